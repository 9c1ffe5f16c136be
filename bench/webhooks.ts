// Measures outbound webhooks: the duration of a sweep while some receivers hang, and the cost of an event for a
// thousand endpoints.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { type Bundle, type BundleServer, serveBundles } from "../tools/lib/serve.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder, type Seeder } from "../tools/seed/seeder.ts"
import { respondToDns } from "./lib/dns.ts"
import { getMedian } from "./lib/load.ts"
import type { Topic } from "./lib/topic.ts"

const ENDPOINTS = 100
const HANGING_ENDPOINTS = 10
const DUE_DELIVERIES = 10_000
const SUBSCRIBED_ENDPOINTS = 1_000
const TIMEOUT_SECONDS = 10

const BUDGETS = { rate: "≥ 100" }

/** The sweep's cron trigger, its interval, and the timeout for all deliveries. */
const SWEEP_CRON = "* * * * *"
const MINUTE_MS = 60_000
const TIMEOUT_MS = 180_000

interface SweepContext {
  seeder: Seeder
  central: D1Database
  cron: BundleServer["cron"]
}

export const webhooks: Topic = async ({ directory }) => {
  const operatorToken = randomBytes(24).toString("base64url")
  const vars = {
    CENTRAL_DOMAIN: "localhost",
    PUBLIC_URL: "http://{host}",
    TENANCY_API_RATE_LIMIT: "1000000000",
    TENANCY_API_RATE_LIMIT_PER_IP: "0",
    TENANCY_WEBHOOK_TIMEOUT: String(TIMEOUT_SECONDS),
    APP_KEY: `base64:${randomBytes(32).toString("base64")}`,
    OPERATOR_TOKEN: operatorToken,
    STRIPE_WEBHOOK_SECRET: "unused-in-benchmarks",
    MARKETPLACE_TOKEN: "unused-in-benchmarks",
  }
  const bundle: Bundle = {
    name: "webhooks",
    config: "wrangler.toml",
    directory: join(directory, "platform"),
    vars,
    handleOutbound,
  }
  const { urls, central, cron, stop } = await serveBundles(
    [bundle],
    readWranglerConfig().d1_databases,
    join(directory, "webhooks"),
  )
  const base = urls.webhooks ?? ""
  const key = await createFreshKey(createSeeder(base, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const world = { seeder: createSeeder(base, operatorToken, key), central, cron }
  const rows = [["webhooks", "measured", "budget"], ...(await measureSweep(world)), ...(await measureFanOut(world))]
  await stop()
  return rows
}

/** Mocks the network: DNS resolves every name; receivers respond at once or hang. */
async function handleOutbound(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const dns = respondToDns(request)
  if (dns) return dns
  await request.arrayBuffer()
  return url.hostname.startsWith("hangs") ? new Promise(() => undefined) : new Response("ok")
}

/** Measures the delivery throughput of healthy endpoints: 10,000 due deliveries to 100 endpoints, 10 of which hang. */
async function measureSweep({ seeder, central, cron }: SweepContext): Promise<string[][]> {
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
    const name = endpoint < HANGING_ENDPOINTS ? "hangs" : "answers"
    await seeder.platform("POST", "/webhooks", { url: `https://${name}-${endpoint}.example/hook`, events: ["app.*"] })
  }
  await central
    .prepare(
      `insert into webhook_events (seq, id, type, is_test, payload, created_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DUE_DELIVERIES / ENDPOINTS})
        select i + (select coalesce(max(seq), 0) from webhook_events), 'due-' || i, 'app.enabled', 1, '{}', ? from n`,
    )
    .bind(Date.now())
    .run()
  await central
    .prepare(
      `insert into webhook_deliveries (id, endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
        select event.seq * 1048576 + endpoint.id, endpoint.id, event.id, event.type, 1, 'failed', 1, 1, 1, '[]'
          from webhook_events event, webhook_endpoints endpoint where event.id like 'due-%'`,
    )
    .run()
  const healthy = DUE_DELIVERIES - (DUE_DELIVERIES * HANGING_ENDPOINTS) / ENDPOINTS
  const started = Date.now()
  const count = (condition: string) =>
    central.prepare(`select count(*) as n from webhook_deliveries where ${condition}`).first<number>("n")
  const runs: Promise<void>[] = []
  while (((await count("status = 'delivered'")) ?? 0) < healthy && Date.now() - started < TIMEOUT_MS) {
    if (Date.now() - started >= runs.length * MINUTE_MS) runs.push(cron(SWEEP_CRON))
    await sleep(250)
  }
  await Promise.all(runs)
  const delivered = (await count("status = 'delivered'")) ?? 0
  const last = await central.prepare("select max(delivered_at) as at from webhook_deliveries").first<number>("at")
  const seconds = ((last ?? Date.now()) - started) / 1000
  const failedHealthy = await count("endpoint_id > 10 and error is not null")
  return [
    [
      `sweep of ${DUE_DELIVERIES} due, ${HANGING_ENDPOINTS} of ${ENDPOINTS} endpoints hang: delivered`,
      String(delivered),
      String(healthy),
    ],
    ["  per second", (delivered / seconds).toFixed(0), BUDGETS.rate],
    ["  failed at healthy endpoints", String(failedHealthy), "0"],
  ]
}

/** Compares a store update whose event goes to a thousand endpoints with one without subscribers. */
async function measureFanOut({ seeder, central }: SweepContext): Promise<string[][]> {
  await seeder.platform("POST", "/stores", {
    subdomain: "bench",
    name: "Benchmark",
    owner_email: "owner@bench.example",
    password: seeder.password("owner"),
  })
  const rename = async () => {
    const started = performance.now()
    await seeder.platform("PATCH", "/stores/bench", { name: `Benchmark ${randomBytes(4).toString("hex")}` })
    return performance.now() - started
  }
  const measure = async () => {
    const times: number[] = []
    for (let round = 0; round < 5; round++) times.push(await rename())
    return `${getMedian(times).toFixed(0)} ms`
  }
  const withoutEndpoints = await measure()
  await central
    .prepare(
      `insert into webhook_endpoints (url, events, secret, is_active, consecutive_failures, failure_seq, created_by_name, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${SUBSCRIBED_ENDPOINTS})
        select url, '["store.updated"]', secret, 1, 0, 0, 'bench', 1, 1 from webhook_endpoints, n where id = ${HANGING_ENDPOINTS + 1}`,
    )
    .run()
  const withEndpoints = await measure()
  const createdDeliveries = await central
    .prepare("select count(*) as n from webhook_deliveries where event = 'store.updated'")
    .first<number>("n")
  return [
    ["change of a store without subscribed endpoints", withoutEndpoints, ""],
    [`change of a store with ${SUBSCRIBED_ENDPOINTS} subscribed endpoints`, withEndpoints, "one batch"],
    ["  deliveries created by 5 changes", String(createdDeliveries), String(5 * SUBSCRIBED_ENDPOINTS)],
  ]
}
