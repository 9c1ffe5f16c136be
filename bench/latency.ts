// Measures webhook latency from a change to its receiver at 1, 20 and 100 events per second, and next to an endpoint
// with thousands of due deliveries, and the maximum throughput.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Database, readWranglerConfig } from "../tools/lib/project.ts"
import { type Bundle, serveBundles } from "../tools/lib/serve.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder, type Seeder } from "../tools/seed/seeder.ts"
import { respondToDns } from "./lib/dns.ts"
import type { Stage, Topic } from "./lib/topic.ts"

/** Events per second, and duration in seconds. */
export const RATES: [rate: number, seconds: number][] = [
  [1, 15],
  [20, 10],
  [100, 5],
]
/** Rate of the comparison with and without a neighbor. */
const [COMPARED_RATE, COMPARED_SECONDS] = [20, 20]
const NEIGHBOR_DELIVERIES = 10_000
const SWEEP_CRON = "* * * * *"
export const BURST_EVENTS = 1_000
const WRITERS = 8
/** Timeout for the last deliveries. */
const ARRIVAL_TIMEOUT_MS = 120_000

export const latency: Topic = async (stage) => {
  const { measure, measureBurst, stop } = await startReceiver(stage, buildPlatform(stage, "latency"))
  const rows = [["event → receiver", "p50 ms", "p99 ms", "arrived"]]
  for (const [rate, seconds] of RATES) rows.push(toRow(`${rate} per second`, await measure(rate, seconds)))
  const { perSecond, arrived } = await measureBurst()
  rows.push([`burst of ${BURST_EVENTS} events, delivered per second`, perSecond.toFixed(0), "", arrived])
  await stop()
  return rows
}

/** Measures the same before and while another endpoint has thousands of due deliveries. */
export const neighbor: Topic = async (stage) => {
  const { seeder, central, cron, measure, stop } = await startReceiver(stage, buildPlatform(stage, "neighbor"))
  await seeder.platform("POST", "/webhooks", { url: "https://neighbor.example/hook", events: ["app.*"] })
  // The router passes them while the other endpoint has nothing due yet.
  await addPastEvents(central)
  const alone = await measure(COMPARED_RATE, COMPARED_SECONDS)
  await addDueDeliveries(central)
  const sweep = cron(SWEEP_CRON)
  const loaded = await measure(COMPARED_RATE, COMPARED_SECONDS)
  const due = await central
    .prepare("select count(*) as n from webhook_deliveries where event_id like 'due-%' and status <> 'delivered'")
    .first<number>("n")
  await sweep
  await stop()
  return [
    ["event → receiver", "p50 ms", "p99 ms", "arrived"],
    toRow(`${COMPARED_RATE} per second`, alone),
    toRow(`next to an endpoint with ${NEIGHBOR_DELIVERIES} due deliveries, ${due} of them at the end`, loaded),
    ["ratio", (loaded.p50 / alone.p50).toFixed(1), (loaded.p99 / alone.p99).toFixed(1), ""],
  ]
}

interface Latency {
  p50: number
  p99: number
  arrived: string
}

const toRow = (label: string, { p50, p99, arrived }: Latency): string[] => [
  label,
  p50.toFixed(0),
  p99.toFixed(0),
  arrived,
]

/** A version of the platform to serve, with its databases. */
interface Platform {
  bundle: Bundle
  databases: Database[]
  /** An empty directory for its data, absolute. */
  storage: string
}

const buildPlatform = ({ directory, vars }: Stage, name: string): Platform => ({
  bundle: { name, config: "wrangler.toml", directory: join(directory, "platform"), vars },
  databases: readWranglerConfig().d1_databases,
  storage: join(directory, name),
})

/** Serves a version of the platform with an endpoint that receives the events of a few stores. */
export async function startReceiver(
  { operatorToken }: Pick<Stage, "operatorToken">,
  { bundle, databases, storage }: Platform,
) {
  const arrivals = new Map<string, number>()
  const handleOutbound = async (request: Request): Promise<Response> => {
    const dns = respondToDns(request)
    if (dns) return dns
    if (new URL(request.url).hostname.startsWith("neighbor")) return new Response("ok")
    const { data } = (await request.json()) as { data: { changes?: { name?: { to: string } } } }
    const to = data.changes?.name?.to
    if (to && !arrivals.has(to)) arrivals.set(to, performance.now())
    return new Response("ok")
  }
  const { urls, central, cron, stop } = await serveBundles([{ ...bundle, handleOutbound }], databases, storage)
  const base = urls[bundle.name] ?? ""
  const key = await createFreshKey(createSeeder(base, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const seeder = createSeeder(base, operatorToken, key)
  const stores = Array.from({ length: WRITERS }, (_, n) => `late-${n}`)
  for (const subdomain of stores) {
    const person = { owner_email: "owner@bench.example", password: seeder.password("owner") }
    await seeder.platform("POST", "/stores", { subdomain, name: "Benchmark", ...person })
  }
  await seeder.platform("POST", "/webhooks", { url: "https://receiver.example/hook", events: ["store.updated"] })
  const measure = async (rate: number, seconds: number): Promise<Latency> => {
    const sent = await sendEvents(seeder, stores, rate, seconds)
    await waitForAll(sent, arrivals)
    const times = [...sent]
      .flatMap(([name, at]) => (arrivals.has(name) ? [(arrivals.get(name) ?? 0) - at] : []))
      .toSorted((a, b) => a - b)
    const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
    return { p50: at(0.5), p99: at(0.99), arrived: `${times.length} of ${sent.size}` }
  }
  const measureBurst = async (): Promise<{ perSecond: number; arrived: string }> => {
    const started = performance.now()
    const sent = await sendEvents(seeder, stores, Number.POSITIVE_INFINITY, 0)
    await waitForAll(sent, arrivals)
    const times = [...sent.keys()].flatMap((name) => arrivals.get(name) ?? [])
    const seconds = (Math.max(...times) - started) / 1000
    return { perSecond: times.length / seconds, arrived: `${times.length} of ${sent.size}` }
  }
  return { seeder, central, cron, measure, measureBurst, stop }
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

/** Adds events that the router passes. */
async function addPastEvents(central: D1Database): Promise<void> {
  await central
    .prepare(
      `insert into webhook_events (seq, id, type, is_test, payload, created_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${NEIGHBOR_DELIVERIES})
        select last.seq + i, 'due-' || i, 'app.enabled', 1, '{}', ? from n, (select max(seq) as seq from webhook_events) as last`,
    )
    .bind(Date.now())
    .run()
}

/** Adds due deliveries of the past events to the newest endpoint. */
async function addDueDeliveries(central: D1Database): Promise<void> {
  await central
    .prepare(
      `insert into webhook_deliveries (id, endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
        select event.seq * 1048576 + endpoint.id, endpoint.id, event.id, event.type, 1, 'failed', 1, 1, 1, '[]'
          from webhook_events as event, (select max(id) as id from webhook_endpoints) as endpoint where event.id like 'due-%'`,
    )
    .run()
}
