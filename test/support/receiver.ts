// A webhook receiver: stands in for the network, records what was sent, answers what the test wants.
import { env } from "cloudflare:workers"
import { vi } from "vitest"

export interface ReceivedRequest {
  url: string
  headers: Headers
  body: string
}

type Reply =
  | Response
  | Error
  | ((request: ReceivedRequest, count: number, signal: AbortSignal) => Response | Promise<Response>)

/** What DNS says of a name: its addresses, one address for every name, or a response code (RFC 1035: 2 is SERVFAIL, 5 is REFUSED). */
type Dns = string | number | ((name: string) => string[])

/**
 * Takes every outbound request of the Worker.
 * @param reply an answer (or fault) for all, or one made for each
 * @param dns addresses of the receivers' names; the resolver's own requests are answered from it and not recorded
 */
export function mockReceiver(reply: Reply = new Response(null, { status: 204 }), dns: Dns = "203.0.114.10") {
  const requests: ReceivedRequest[] = []
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    if (request.url.startsWith(env.DNS_RESOLVER_URL)) return dnsAnswer(new URL(request.url), dns)
    const received = { url: request.url, headers: request.headers, body: await request.text() }
    requests.push(received)
    if (reply instanceof Error) throw reply
    return typeof reply === "function" ? reply(received, requests.length, request.signal) : reply.clone()
  })
  return { requests, spy, events: () => requests.map((request) => JSON.parse(request.body)) }
}

function dnsAnswer(url: URL, dns: Dns): Response {
  if (typeof dns === "number") return Response.json({ Status: dns })
  const name = url.searchParams.get("name") ?? ""
  const addresses = typeof dns === "string" ? [dns] : dns(name)
  const type = url.searchParams.get("type") === "A" ? 1 : 28
  const ofType = addresses.filter((address) => address.includes(":") === (type === 28))
  return Response.json({ Status: 0, Answer: ofType.map((data) => ({ name, type, TTL: 60, data })) })
}
