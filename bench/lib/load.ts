// Generates load over keep-alive connections with one request in flight each. Uses raw sockets, because an HTTP client
// would need more CPU than the server.
import { once } from "node:events"
import { connect } from "node:net"

/** A request that is sent over and over. */
export interface Target {
  /** Absolute, plain http. */
  url: string
  headers: Record<string, string>
  /** Body of a POST request. */
  json?: object
}

/**
 * Sends one request over and over.
 * @param connections how many at a time
 * @param milliseconds for how long
 * @returns responses per second
 * @throws Error for a status other than 200
 */
export async function measureRequestsPerSecond(
  target: Target,
  connections: number,
  milliseconds: number,
): Promise<number> {
  const started = performance.now()
  const end = started + milliseconds
  const counts = await Promise.all(Array.from({ length: connections }, () => sendRequestsUntil(target, end)))
  return (counts.reduce((sum, count) => sum + count, 0) / (performance.now() - started)) * 1000
}

async function sendRequestsUntil({ url, headers, json }: Target, end: number): Promise<number> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const body = json ? JSON.stringify(json) : ""
  const length = json ? { "Content-Length": String(Buffer.byteLength(body)) } : {}
  const lines = Object.entries({ Host: host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `${json ? "POST" : "GET"} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, "connect")
  let responses = 0
  let received = ""
  socket.setEncoding("latin1")
  socket.write(request)
  for await (const chunk of socket) {
    received += chunk
    const length = getResponseLength(received)
    if (length === null || received.length < length) continue
    if (!received.startsWith("HTTP/1.1 200 ")) throw new Error(`${url} answered ${received.slice(0, 500)}`)
    received = received.slice(length)
    responses += 1
    if (performance.now() >= end) break
    socket.write(request)
  }
  socket.destroy()
  return responses
}

/** Returns the length of the first response in bytes; null while its headers are incomplete. */
function getResponseLength(received: string): number | null {
  const head = received.indexOf("\r\n\r\n")
  if (head < 0) return null
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, head))?.[1]
  if (length !== undefined) return head + 4 + Number(length)
  const last = received.indexOf("\r\n0\r\n\r\n", head)
  return last < 0 ? Number.POSITIVE_INFINITY : last + 7
}

/**
 * Measures targets in alternating rounds, so that other load on the machine affects all of them equally.
 * @param targets by name
 * @returns the median responses per second of each target
 */
export async function measureThroughput<Name extends string>(
  targets: Record<Name, Target>,
  { rounds = 5, connections = 16, milliseconds = 2000 } = {},
): Promise<Record<Name, number>> {
  const names = Object.keys(targets) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (const name of names) await measureRequestsPerSecond(targets[name], connections, milliseconds / 2)
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names)
      measured[name].push(await measureRequestsPerSecond(targets[name], connections, milliseconds))
  }
  return Object.fromEntries(names.map((name) => [name, getMedian(measured[name])])) as Record<Name, number>
}

/** The middle value, or the mean of the two in the middle. */
export function getMedian(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

/** The values that enclose the middle half. */
export function getQuartiles(values: number[]): [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN
  return [at(0.25), at(0.75)]
}
