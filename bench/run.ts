// npm run bench [-- <topic> …]: measures the bundle that would be deployed, served by workerd without anything in between, and writes what
// it finds to docs/benchmarks.md.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { columns } from "../tools/cli/table.ts"
import { buildBundle } from "../tools/lib/bundle.ts"
import { wranglerConfig } from "../tools/lib/project.ts"
import { serve } from "../tools/lib/serve.ts"
import { scratchDirectory } from "../tools/local/scratch.ts"
import { freshKey } from "../tools/seed/access.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { bundle } from "./bundle.ts"
import { distance } from "./distance.ts"
import { latency } from "./latency.ts"
import { readyStore } from "./lib/ready-store.ts"
import { report } from "./lib/report.ts"
import type { Stage, Topic } from "./lib/topic.ts"
import { licenses } from "./licenses.ts"
import { lists } from "./lists.ts"
import { media } from "./media.ts"
import { memory } from "./memory.ts"
import { peers } from "./peers.ts"
import { platform } from "./platform.ts"
import { push } from "./push.ts"
import { reads } from "./reads.ts"
import { webhooks } from "./webhooks.ts"
import { writes } from "./writes.ts"

/** In their order: the licenses are measured before the reads make a million of them. */
const topics: Record<string, Topic> = {
  bundle,
  platform,
  licenses,
  reads,
  writes,
  lists,
  media,
  memory,
  webhooks,
  latency,
  distance,
  push,
  peers,
}

/** Topics that are measured only when they are named: they bring much that is not the project's. */
const ONLY_NAMED = ["peers"]

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !(name in topics))
if (unknown) {
  console.error(`There is no topic ${unknown}; there are ${Object.keys(topics).join(", ")}.`)
  process.exit(2)
}

const directory = mkdtempSync(join(scratchDirectory(), "bench-"))
try {
  const { stage, stop } = await setUp(directory)
  for (const [name, topic] of Object.entries(topics)) {
    if (wanted.length > 0 ? !wanted.includes(name) : ONLY_NAMED.includes(name)) continue
    const table = await topic(stage)
    console.log(`\n${columns(table)}`)
    report(new Map([[name, table]]), Object.keys(topics))
  }
  await stop()
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Builds and serves both Workers, and makes the key and the store that the topics ask for. */
async function setUp(directory: string): Promise<{ stage: Stage; stop(): Promise<void> }> {
  const operatorToken = randomBytes(24).toString("base64url")
  const vars = {
    CENTRAL_DOMAIN: "localhost",
    PUBLIC_URL: "http://{host}",
    TENANCY_API_RATE_LIMIT: "1000000000",
    TENANCY_API_RATE_LIMIT_PER_IP: "1000000000",
    APP_KEY: `base64:${randomBytes(32).toString("base64")}`,
    OPERATOR_TOKEN: operatorToken,
    STRIPE_WEBHOOK_SECRET: "unused-in-benchmarks",
    MARKETPLACE_TOKEN: "unused-in-benchmarks",
  }
  const bundles = [
    { name: "platform", config: "wrangler.toml", directory: join(directory, "platform"), vars },
    { name: "bare", config: "bench/bare.toml", directory: join(directory, "bare"), vars: {} },
  ]
  await Promise.all(bundles.map(({ config, directory }) => buildBundle(config, directory)))
  const { urls, central, stop } = await serve(bundles, wranglerConfig().d1_databases, join(directory, "state"))
  const { platform = "", bare = "" } = urls
  const key = await freshKey(createSeeder(platform, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const store = await readyStore(createSeeder(platform, operatorToken, key))
  return { stage: { directory, urls: { platform, bare }, central, vars, operatorToken, key, store }, stop }
}
