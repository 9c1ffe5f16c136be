// Measures deliveries per second with one, two and four delivery databases: to one endpoint, and to a hundred.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readWranglerConfig, root } from "../tools/lib/project.ts"
import { type Bundle, serveBundles } from "../tools/lib/serve.ts"
import { addDeliveryDatabases, DELIVERY_DATABASES } from "../tools/local/delivery-databases.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { respondToDns } from "./lib/dns.ts"
import type { Stage, Topic } from "./lib/topic.ts"

const DATABASE_COUNTS = [1, 2, 4]

/**
 * Endpoints and events of each load, with the deliveries per second before there were delivery databases (commit
 * 51965501), and the goal.
 */
const LOADS = [
  { endpoints: 1, events: 2_000, before: 50, goal: 150, row: "one of 1,000 under load, 1,000 events to 1 endpoint" },
  { endpoints: 100, events: 40, before: 123, goal: 400, row: "one of 1,000 under load, 100 events to 10 endpoints" },
]

/** The cron that starts the router for events that were inserted without a request. */
const ROUTING_CRON = "* * * * *"
const TIMEOUT_MS = 120_000

export const scale: Topic = async (stage) => {
  const columns = ["delivery databases", "endpoints", "delivered", "per second", "before", "goal"]
  const table = [[...columns, "rows written", "transactions"]]
  for (const load of LOADS) for (const databases of DATABASE_COUNTS) table.push(await measure(stage, databases, load))
  return table
}

/** The cost of a delivery in the table of the tests: rows written and transactions. */
function readCost(row: string): string[] {
  const { columns, deliveries } = JSON.parse(readFileSync(join(root, "test/costs/table.json"), "utf8"))
  const costs: number[] = deliveries[row].background
  return ["rowsWritten", "transactions"].map((column) => String(costs[columns.indexOf(column)] ?? ""))
}

async function measure(
  { directory, vars, operatorToken }: Stage,
  databases: number,
  load: (typeof LOADS)[number],
): Promise<string[]> {
  const added = addDeliveryDatabases([`${DELIVERY_DATABASES}${databases}`])
  let arrived = 0
  let lastAt = 0
  const bundle: Bundle = {
    name: "scale",
    config: `.wrangler-delivery-databases-${databases}.toml`,
    directory: join(directory, "platform"),
    vars: { ...vars, WEBHOOK_DATABASES: added.databases.map(({ binding }) => binding).join() },
    handleOutbound: async (request) => {
      const dns = respondToDns(request)
      if (dns) return dns
      await request.arrayBuffer()
      arrived += 1
      lastAt = performance.now()
      return new Response("ok")
    },
  }
  const { urls, central, cron, stop } = await serveBundles(
    [bundle],
    [...readWranglerConfig().d1_databases, ...added.databases],
    join(directory, `scale-${databases}-${load.endpoints}`),
  )
  const base = urls.scale ?? ""
  const key = await createFreshKey(createSeeder(base, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const seeder = createSeeder(base, operatorToken, key)
  for (let endpoint = 0; endpoint < load.endpoints; endpoint++)
    await seeder.platform("POST", "/webhooks", { url: `https://e${endpoint}.example/hook`, events: ["store.updated"] })
  await central
    .prepare(
      `insert into webhook_events (seq, id, type, is_test, payload, created_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
        select i + (select coalesce(max(seq), 0) from webhook_events), printf('01SCALE%019d', i), 'store.updated', 0, '{}', ?2 from n`,
    )
    .bind(load.events, Date.now())
    .run()
  const total = load.endpoints * load.events
  const started = performance.now()
  await cron(ROUTING_CRON)
  while (arrived < total && performance.now() - started < TIMEOUT_MS) await sleep(50)
  await stop()
  const seconds = (lastAt - started) / 1000
  return [
    ...[databases, load.endpoints].map(String),
    `${arrived} of ${total}`,
    ...[arrived / seconds, load.before, load.goal].map((rate) => rate.toFixed(0)),
    ...readCost(load.row),
  ]
}
