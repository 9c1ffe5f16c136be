// A webhook receiver: stands in for the network, records what was sent, answers what the test wants.
import { vi } from "vitest"

export interface Received {
  url: string
  headers: Headers
  body: string
}

type Reply = Response | Error | ((request: Received, count: number) => Response | Promise<Response>)

/**
 * Takes every outbound request of the Worker.
 * @param reply an answer (or fault) for all, or one made for each
 */
export function receive(reply: Reply = new Response(null, { status: 204 })) {
  const requests: Received[] = []
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    const received = { url: request.url, headers: request.headers, body: await request.text() }
    requests.push(received)
    if (reply instanceof Error) throw reply
    return typeof reply === "function" ? reply(received, requests.length) : reply.clone()
  })
  return { requests, spy, events: () => requests.map((request) => JSON.parse(request.body)) }
}
