import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import { waitUntilHealthy } from "../../tools/local/health"

let server: ReturnType<typeof createServer> | undefined

afterEach(() => server?.close().closeAllConnections())

async function startServer(listener: RequestListener): Promise<number> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

const skipWait = async () => undefined

test("requests the central host and tolerates a first failure", async () => {
  const hosts: unknown[] = []
  const port = await startServer((request, response) => {
    hosts.push(request.headers.host)
    response.writeHead(hosts.length === 1 ? 503 : 200).end("{}")
  })
  await waitUntilHealthy(port, "shops.example", () => false, skipWait)
  expect(hosts).toEqual([`shops.example:${port}`, `shops.example:${port}`])
})

test("reports the Worker's message when the health check keeps failing", async () => {
  const port = await startServer((_, response) => {
    response.writeHead(500).end('{"status":"error","message":"Bad settings: APP_KEY is not set."}')
  })
  await expect(waitUntilHealthy(port, "localhost", () => false, skipWait)).rejects.toThrow(
    "Health check returned 500. Bad settings: APP_KEY is not set.",
  )
})

test("stops waiting when the server has exited", async () => {
  await expect(waitUntilHealthy(1, "localhost", () => true)).rejects.toThrow("exited before the Worker was ready")
})
