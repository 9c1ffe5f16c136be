import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import { getMedian, measureRequestsPerSecond, measureThroughput } from "../../bench/lib/load"

const servers: ReturnType<typeof createServer>[] = []

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?q=1`
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

test("counts only the server's responses, on the given number of connections", async () => {
  let responseCount = 0
  const connections = new Set<unknown>()
  const url = await startServer((request, response) => {
    responseCount += 1
    connections.add(request.socket)
    response.end(`${request.url} ${request.headers.authorization}`)
  })
  const rate = await measureRequestsPerSecond({ url, headers: { Authorization: "Bearer x" } }, 3, 100)
  expect(connections.size).toBe(3)
  expect(rate * 0.1).toBeLessThanOrEqual(responseCount)
  expect(responseCount).toBeGreaterThan(3)
})

test("reads chunked responses completely", async () => {
  const url = await startServer((_, response) => {
    response.write("a")
    response.end("b")
  })
  await expect(measureRequestsPerSecond({ url, headers: {} }, 1, 50)).resolves.toBeGreaterThan(0)
})

test("stops the measurement at a status other than 200", async () => {
  const url = await startServer((_, response) => response.writeHead(429).end("slow down"))
  await expect(measureThroughput({ it: { url, headers: {} } }, { rounds: 1, milliseconds: 50 })).rejects.toThrow("429")
})

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[7], 7],
])("the median of %j is %d", (values, middle) => {
  expect(getMedian(values)).toBe(middle)
})
