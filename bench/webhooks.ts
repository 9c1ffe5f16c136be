// Outbound webhooks: how long a sweep takes when some receivers hang, and what an event for a thousand endpoints costs.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { wranglerConfig } from "../tools/lib/project.ts"
import { type Served, serve } from "../tools/lib/serve.ts"
import { freshKey } from "../tools/seed/access.ts"
import { createSeeder, type Seeder } from "../tools/seed/seeder.ts"
import { median } from "./lib/load.ts"
import type { Topic } from "./lib/topic.ts"

const ENDPOINTS = 100
const HANGING = 10
const DUE = 10_000
const LISTENERS = 1_000
const TIMEOUT_SECONDS = 10

/** What the promises are: see the README's budgets. */
const BUDGETS = { rate: "≥ 100" }

/** The sweep's trigger, how often the platform runs it, and how long the measurement waits for all deliveries. */
const SWEEP = "* * * * *"
const MINUTE_MS = 60_000
const LONGEST_MS = 180_000

interface World {
  seeder: Seeder
  central: D1Database
  cron: Served["cron"]
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
  const bundle = { name: "webhooks", config: "wrangler.toml", directory: join(directory, "platform"), vars, outbound }
  const { urls, central, cron, stop } = await serve(
    [bundle],
    wranglerConfig().d1_databases,
    join(directory, "webhooks"),
  )
  const base = urls.webhooks ?? ""
  const key = await freshKey(createSeeder(base, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const world = { seeder: createSeeder(base, operatorToken, key), central, cron }
  const rows = [["webhooks", "measured", "budget"], ...(await measureSweep(world)), ...(await measureFanOut(world))]
  await stop()
  return rows
}

/** The network: a resolver that knows every name, receivers that answer at once, and receivers that never do. */
async function outbound(request: Request): Promise<Response> {
  const url = new URL(request.url)
  if (url.pathname === "/dns-query") {
    const Answer = url.searchParams.get("type") === "A" ? [{ type: 1, data: "203.0.114.10" }] : []
    return Response.json({ Status: 0, Answer })
  }
  await request.arrayBuffer()
  return url.hostname.startsWith("hangs") ? new Promise(() => undefined) : new Response("ok")
}

/** Ten thousand due deliveries, a hundred for each of a hundred endpoints, of which ten hang: how fast the healthy ones are settled. */
async function measureSweep({ seeder, central, cron }: World): Promise<string[][]> {
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
    const name = endpoint < HANGING ? "hangs" : "answers"
    await seeder.platform("POST", "/webhooks", { url: `https://${name}-${endpoint}.example/hook`, events: ["app.*"] })
  }
  await central
    .prepare(
      `insert into webhook_events (seq, id, type, is_test, payload, created_at)
        select 1 + coalesce(max(seq), 0), 'due', 'app.enabled', 1, '{}', ? from webhook_events`,
    )
    .bind(Date.now())
    .run()
  await central
    .prepare(
      `insert into webhook_deliveries (id, endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DUE / ENDPOINTS})
        select (select seq from webhook_events where id = 'due') * 1048576 + id * 1000 + i, id, 'due', 'app.enabled', 1, 'failed', 1, 1, 1, '[]' from webhook_endpoints, n`,
    )
    .run()
  const healthy = DUE - (DUE * HANGING) / ENDPOINTS
  const started = Date.now()
  const count = (condition: string) =>
    central.prepare(`select count(*) as n from webhook_deliveries where ${condition}`).first<number>("n")
  const runs: Promise<void>[] = []
  while (((await count("status = 'delivered'")) ?? 0) < healthy && Date.now() - started < LONGEST_MS) {
    if (Date.now() - started >= runs.length * MINUTE_MS) runs.push(cron(SWEEP))
    await sleep(250)
  }
  await Promise.all(runs)
  const delivered = (await count("status = 'delivered'")) ?? 0
  const last = await central.prepare("select max(delivered_at) as at from webhook_deliveries").first<number>("at")
  const seconds = ((last ?? Date.now()) - started) / 1000
  const wronged = await count("endpoint_id > 10 and error is not null")
  return [
    [`sweep of ${DUE} due, ${HANGING} of ${ENDPOINTS} endpoints hang: delivered`, String(delivered), String(healthy)],
    ["  a second", (delivered / seconds).toFixed(0), BUDGETS.rate],
    ["  healthy ones that failed", String(wronged), "0"],
  ]
}

/** A change of a store whose event goes to a thousand endpoints, against the same change with nobody listening. */
async function measureFanOut({ seeder, central }: World): Promise<string[][]> {
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
    return `${median(times).toFixed(0)} ms`
  }
  const alone = await measure()
  await central
    .prepare(
      `insert into webhook_endpoints (url, events, secret, is_active, consecutive_failures, failure_seq, created_by_name, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LISTENERS})
        select url, '["store.updated"]', secret, 1, 0, 0, 'bench', 1, 1 from webhook_endpoints, n where id = ${HANGING + 1}`,
    )
    .run()
  const heard = await measure()
  const told = await central
    .prepare("select count(*) as n from webhook_deliveries where event = 'store.updated'")
    .first<number>("n")
  return [
    ["change of a store, its event for nobody", alone, ""],
    [`change of a store, its event for ${LISTENERS} endpoints`, heard, "one batch"],
    ["  deliveries opened by 5 such changes", String(told), String(5 * LISTENERS)],
  ]
}
