// Mocks outbound HTTP: records requests to webhook receivers and returns prepared responses.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { Occurrences } from "./occurrences"

export interface ReceivedRequest {
  url: string
  headers: Headers
  body: string
}

type Reply =
  | Response
  | Error
  | ((request: ReceivedRequest, count: number, signal: AbortSignal) => Response | Promise<Response>)

/**
 * DNS records: addresses by name, one address for every name, or a response code (RFC 1035: 2 is SERVFAIL, 5 is
 * REFUSED).
 */
export type DnsRecords = string | number | ((name: string) => string[])

/**
 * Mocks every outbound request of the Worker.
 * @param reply a response or error for all requests, or a function that creates one
 * @param dns records of the receivers' host names; requests to the resolver are not recorded
 * @returns the recorded requests; `received` resolves when there are that many
 */
export function mockReceiver(reply: Reply = new Response(null, { status: 204 }), dns: DnsRecords = "203.0.114.10") {
  const requests: ReceivedRequest[] = []
  const arrivals = new Occurrences()
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    if (request.url.startsWith(env.DNS_RESOLVER_URL)) return buildDnsResponse(new URL(request.url), dns)
    const received = { url: request.url, headers: request.headers, body: await request.text() }
    requests.push(received)
    arrivals.record()
    if (reply instanceof Error) throw reply
    return typeof reply === "function" ? reply(received, requests.length, request.signal) : reply.clone()
  })
  return {
    requests,
    spy,
    received: (count: number) => arrivals.reached(count),
    events: () => requests.map((request) => JSON.parse(request.body)),
  }
}

/** Builds the response of a DNS-over-HTTPS resolver. */
export function buildDnsResponse(url: URL, dns: DnsRecords): Response {
  if (typeof dns === "number") return Response.json({ Status: dns })
  const name = url.searchParams.get("name") ?? ""
  const addresses = typeof dns === "string" ? [dns] : dns(name)
  const type = url.searchParams.get("type") === "A" ? 1 : 28
  const ofType = addresses.filter((address) => address.includes(":") === (type === 28))
  return Response.json({ Status: 0, Answer: ofType.map((data) => ({ name, type, TTL: 60, data })) })
}
