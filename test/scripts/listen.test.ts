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
import { createPacer } from "../../tools/cli/listen-pace"
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
/** An event that is no longer in the feed. */
const EXPIRED_ID = "01A00000000000000000000000"
const buildPayload = (place: number) =>
  JSON.stringify({
    id: getEventId(place),
    type: "store.ready",
    created_at: "2026-09-02T10:15:00+00:00",
    data: { place },
  })

const env = { PATH: process.env.PATH, XDG_STATE_HOME: directory, XDG_CONFIG_HOME: directory }

function startListen(base: string, args: string[]) {
  const child = spawn(process.execPath, [join(root, "scripts/operator.ts"), "listen", ...args], {
    env: { ...env, TENANCY_URL: base, OPERATOR_TOKEN: "operator-token" },
  })
  const stop = async () => {
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  return { child, stop }
}

/** Serves a feed of events, in pages of 20. Every nth request fails. */
const serveFeed = (count: number, failureInterval = Number.POSITIVE_INFINITY) => {
  let requestCount = 0
  return serve(async (request, response) => {
    const { after } = JSON.parse(await readText(request)) as { after?: string }
    if (++requestCount % failureInterval === 0) return void request.socket.destroy()
    if (after === EXPIRED_ID)
      return void response
        .writeHead(410)
        .end(JSON.stringify({ error: { code: "cursor_expired", message: "Expired." } }))
    const from = after === undefined || after === "start" ? 0 : Number(after.slice(-3)) + 1
    const events = Array.from({ length: Math.min(20, count - from) }, (_, index) => from + index)
    const data = {
      events: events.map((place) => ({ id: getEventId(place), payload: buildPayload(place) })),
      next_cursor: getEventId((events.at(-1) ?? from - 1) as number),
    }
    // Without news, the request stays open, as a long poll does.
    if (events.length) response.end(JSON.stringify({ data }))
  })
}

test("listen forwards every event signed and in order, despite kills and failures", async () => {
  const base = await serveFeed(EVENT_COUNT, 5)
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
    const { child, stop } = startListen(base, [`--forward=${receiver}/hook`, ...(run ? [] : ["--from=start"])])
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    await firstReceipts.reached(Math.ceil((EVENT_COUNT * (run + 1)) / (KILL_COUNT + 1)))
    await stop()
  }
  expect([...seen]).toEqual(Array.from({ length: EVENT_COUNT }, (_, place) => place))
  // Only the event in flight at a kill may be repeated.
  expect(repeatCount).toBeLessThanOrEqual(KILL_COUNT)
  const secrets = new Set([...stderr.matchAll(/signed with (\S+)/g)].map(([, secret]) => secret))
  expect(secrets.size).toBe(1)
  for (const request of bodies) await verifyWebhook(request, [...secrets] as string[])
}, 120_000)

test("listen --reconcile forwards again what a restored receiver lacks", async () => {
  const base = await serveFeed(30)
  const received: number[] = []
  const done = new Occurrences()
  let stored: number[] = []
  const receiver = await serve(async (request, response) => {
    const { place } = JSON.parse(await readText(request)).data
    received.push(place)
    // After 25 events, a backup of the first 10 is restored.
    if (received.length === 25) stored = stored.filter((one) => one < 10)
    const last = Math.max(...stored)
    if (stored.length) response.setHeader("webhook-cursor", getEventId(last))
    stored.push(place)
    response.writeHead(204).end()
    done.record()
  })
  const { stop } = startListen(base, [`--forward=${receiver}/hook`, "--from=start", "--reconcile"])
  await done.reached(25 + 20)
  await stop()
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
  expect(received).toEqual([...range(0, 25), ...range(10, 30)])
}, 60_000)

test("listen --reconcile forwards events once more to a receiver that always reports the same cursor", async () => {
  const base = await serveFeed(10)
  const received: number[] = []
  const done = new Occurrences()
  const receiver = await serve(async (request, response) => {
    received.push(JSON.parse(await readText(request)).data.place)
    response.writeHead(204, { "webhook-cursor": getEventId(0) }).end()
    done.record()
  })
  const { stop } = startListen(base, [`--forward=${receiver}/hook`, "--from=start", "--reconcile"])
  // The third event shows that the cursor is behind the second.
  await done.reached(12)
  await stop()
  expect(received).toEqual([0, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9])
}, 60_000)

test("listen --reconcile continues when the receiver reports an event that the platform rejects", async () => {
  const base = await serveFeed(10)
  const received: number[] = []
  const done = new Occurrences()
  const receiver = await serve(async (request, response) => {
    received.push(JSON.parse(await readText(request)).data.place)
    response.writeHead(204, { "webhook-cursor": EXPIRED_ID }).end()
    done.record()
  })
  const { stop } = startListen(base, [`--forward=${receiver}/hook`, "--from=start", "--reconcile"])
  await done.reached(10)
  await stop()
  expect(received).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
}, 60_000)

test("listen --max-per-second sends no more requests", async () => {
  const base = await serveFeed(12)
  const times: number[] = []
  const done = new Occurrences()
  const receiver = await serve((request, response) => {
    request.resume()
    times.push(performance.now())
    response.writeHead(204).end()
    done.record()
  })
  const { stop } = startListen(base, [`--forward=${receiver}/hook`, "--from=start", "--max-per-second=20"])
  await done.reached(12)
  await stop()
  // Eleven intervals of 50 ms; timers may be a millisecond early.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(11 * 49)
}, 60_000)

test.each(["0", "1001", "2.5", "fast"])("listen rejects --max-per-second=%s", (rate) => {
  expect(() => createPacer(rate)).toThrow("--max-per-second must be an integer from 1 to 1000")
})

test("listen --forward announces that it forwards once it knows from which event on", async () => {
  const requests: { after: string | undefined; isAnnounced: boolean }[] = []
  const hasPolled = Promise.withResolvers<void>()
  let output = ""
  const base = await serve(async (request, response) => {
    const { after } = JSON.parse(await readText(request)) as { after?: string }
    requests.push({ after, isAnnounced: output.includes("Forwarding") })
    if (after === "now") response.end(JSON.stringify({ data: { events: [], next_cursor: getEventId(0) } }))
    else hasPolled.resolve()
  })
  const { child, stop } = startListen(base, ["--forward=http://127.0.0.1:9/now"])
  child.stderr.on("data", (text) => (output += text))
  const isClosed = once(child.stderr, "close")
  await hasPolled.promise
  await stop()
  await isClosed
  expect(requests[0]).toEqual({ after: "now", isAnnounced: false })
  expect(requests.map(({ after }) => after)).toEqual(["now", getEventId(0)])
  expect(output).toContain("Forwarding")
})
