// Measures webhook latency from a change to its receiver at 1, 20 and 100 events per second, and the maximum
// throughput.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { type Bundle, serveBundles } from "../tools/lib/serve.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder, type Seeder } from "../tools/seed/seeder.ts"
import type { Topic } from "./lib/topic.ts"

/** Events per second, and duration in seconds. */
const RATES: [rate: number, seconds: number][] = [
  [1, 15],
  [20, 10],
  [100, 5],
]
const BURST_EVENTS = 1_000
const WRITERS = 8
/** Timeout for the last deliveries. */
const ARRIVAL_TIMEOUT_MS = 120_000

export const latency: Topic = async ({ directory, vars, operatorToken }) => {
  const arrivals = new Map<string, number>()
  const handleOutbound = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    if (url.pathname === "/dns-query") {
      const Answer = url.searchParams.get("type") === "A" ? [{ type: 1, data: "203.0.114.10" }] : []
      return Response.json({ Status: 0, Answer })
    }
    const { data } = (await request.json()) as { data: { changes?: { name?: { to: string } } } }
    const name = data.changes?.name?.to
    if (name && !arrivals.has(name)) arrivals.set(name, performance.now())
    return new Response("ok")
  }
  const bundle: Bundle = {
    name: "latency",
    config: "wrangler.toml",
    directory: join(directory, "platform"),
    vars,
    handleOutbound,
  }
  const { urls, stop } = await serveBundles([bundle], readWranglerConfig().d1_databases, join(directory, "latency"))
  const base = urls.latency ?? ""
  const key = await createFreshKey(createSeeder(base, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const seeder = createSeeder(base, operatorToken, key)
  const stores = Array.from({ length: WRITERS }, (_, n) => `late-${n}`)
  for (const subdomain of stores) {
    const person = { owner_email: "owner@bench.example", password: seeder.password("owner") }
    await seeder.platform("POST", "/stores", { subdomain, name: "Benchmark", ...person })
  }
  await seeder.platform("POST", "/webhooks", { url: "https://receiver.example/hook", events: ["store.updated"] })
  const rows = [["event → receiver", "p50 ms", "p99 ms", "arrived"]]
  for (const [rate, seconds] of RATES) {
    const sent = await sendEvents(seeder, stores, rate, seconds)
    await waitForAll(sent, arrivals)
    const times = [...sent]
      .flatMap(([name, at]) => (arrivals.has(name) ? [(arrivals.get(name) ?? 0) - at] : []))
      .toSorted((a, b) => a - b)
    const at = (part: number) => (times[Math.floor(times.length * part)] ?? Number.NaN).toFixed(0)
    rows.push([`${rate} per second`, at(0.5), at(0.99), `${times.length} of ${sent.size}`])
  }
  const started = performance.now()
  const sent = await sendEvents(seeder, stores, Number.POSITIVE_INFINITY, 0)
  await waitForAll(sent, arrivals)
  const last = Math.max(...[...sent.keys()].map((name) => arrivals.get(name) ?? 0))
  const rate = (BURST_EVENTS / ((last - started) / 1000)).toFixed(0)
  rows.push([
    `burst of ${BURST_EVENTS} events, delivered per second`,
    rate,
    "",
    `${[...sent.keys()].filter((name) => arrivals.has(name)).length} of ${sent.size}`,
  ])
  await stop()
  return rows
}

/** Renames stores at a fixed rate, or as fast as possible. @returns the time of each rename by name */
async function sendEvents(
  seeder: Seeder,
  stores: string[],
  rate: number,
  seconds: number,
): Promise<Map<string, number>> {
  const sent = new Map<string, number>()
  const total = Number.isFinite(rate) ? rate * seconds : BURST_EVENTS
  const started = performance.now()
  let next = 0
  await Promise.all(
    stores.map(async (store) => {
      while (next < total) {
        const turn = next
        next += 1
        await sleep(Math.max(0, started + (turn * 1000) / rate - performance.now()))
        const name = `event ${randomBytes(6).toString("hex")}`
        const startedAt = performance.now()
        await seeder.platform("PATCH", `/stores/${store}`, { name })
        sent.set(name, startedAt)
      }
    }),
  )
  return sent
}

async function waitForAll(sent: ReadonlyMap<string, number>, arrived: ReadonlyMap<string, number>): Promise<void> {
  const started = Date.now()
  while (![...sent.keys()].every((name) => arrived.has(name)) && Date.now() - started < ARRIVAL_TIMEOUT_MS)
    await sleep(100)
}
