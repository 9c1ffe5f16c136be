// Tests `listen` while the listener is killed and the receiver and the platform fail.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text as readText } from "node:stream/consumers"
import { afterAll, expect, test } from "vitest"
import { verifyWebhook } from "../../src/client/index"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"
import { Occurrences } from "../support/occurrences"

const EVENT_COUNT = 150
const KILL_COUNT = 4

const directory = mkdtempSync(join(getScratchDirectory(), "listen-"))
const servers: Server[] = []

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(directory, { recursive: true, force: true })
})

async function serve(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1")
  servers.push(server)
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const getEventId = (place: number) => `01K4YQZ0M8T3V6N9R2B5C7D${String(place).padStart(3, "0")}`
const buildPayload = (place: number) =>
  JSON.stringify({
    id: getEventId(place),
    type: "store.ready",
    created_at: "2026-09-02T10:15:00+00:00",
    data: { place },
  })

test("listen forwards every event signed and in order, despite kills and failures", async () => {
  let requestCount = 0
  const base = await serve(async (request, response) => {
    const { after } = JSON.parse(await readText(request)) as { after?: string }
    if (++requestCount % 5 === 0) return void request.socket.destroy()
    const from = after === undefined || after === "start" ? 0 : Number(after.slice(-3)) + 1
    const events = Array.from({ length: Math.min(20, EVENT_COUNT - from) }, (_, index) => from + index)
    const data = {
      events: events.map((place) => ({ id: getEventId(place), payload: buildPayload(place) })),
      next_cursor: getEventId((events.at(-1) ?? from - 1) as number),
    }
    // Without news, the request stays open, as a long poll does.
    if (events.length) response.end(JSON.stringify({ data }))
  })
  const seen = new Set<number>()
  const firstReceipts = new Occurrences()
  let repeatCount = 0
  const bodies: { headers: Record<string, string>; body: string }[] = []
  let posts = 0
  const receiver = await serve(async (request, response) => {
    const body = await readText(request)
    if (++posts % 7 === 0) return void request.socket.destroy()
    if (posts % 11 === 0) return void response.writeHead(503).end()
    const { place } = JSON.parse(body).data
    if (seen.has(place)) repeatCount += 1
    else firstReceipts.record()
    seen.add(place)
    bodies.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(204).end()
  })
  let stderr = ""
  for (let run = 0; run <= KILL_COUNT; run++) {
    const args = [
      join(root, "scripts/operator.ts"),
      "listen",
      `--forward=${receiver}/hook`,
      ...(run ? [] : ["--from=start"]),
    ]
    const env = { PATH: process.env.PATH, XDG_STATE_HOME: directory, XDG_CONFIG_HOME: directory }
    const child = spawn(process.execPath, args, {
      env: { ...env, TENANCY_URL: base, OPERATOR_TOKEN: "operator-token" },
    })
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    await firstReceipts.reached(Math.ceil((EVENT_COUNT * (run + 1)) / (KILL_COUNT + 1)))
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  expect([...seen]).toEqual(Array.from({ length: EVENT_COUNT }, (_, place) => place))
  // Only the event in flight at a kill may be repeated.
  expect(repeatCount).toBeLessThanOrEqual(KILL_COUNT)
  const secrets = new Set([...stderr.matchAll(/signed with (\S+)/g)].map(([, secret]) => secret))
  expect(secrets.size).toBe(1)
  for (const request of bodies) await verifyWebhook(request, [...secrets] as string[])
}, 120_000)
