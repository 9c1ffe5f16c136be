// npm run bench [-- <topic> …]: benchmarks the production bundle, served directly by workerd, and writes the results to
// docs/operations/benchmarks.md.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { alignColumns } from "../tools/cli/table.ts"
import { buildBundle } from "../tools/lib/bundle.ts"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { exitWithHelp } from "../tools/lib/script-options.ts"
import { serveBundles } from "../tools/lib/serve.ts"
import { getScratchDirectory } from "../tools/local/scratch.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { backups } from "./backups.ts"
import { bundle } from "./bundle.ts"
import { distance } from "./distance.ts"
import { filters } from "./filters.ts"
import { latency, neighbor } from "./latency.ts"
import { createReadyStore } from "./lib/ready-store.ts"
import { writeReport } from "./lib/report.ts"
import type { Stage, Topic } from "./lib/topic.ts"
import { licenses } from "./licenses.ts"
import { lists } from "./lists.ts"
import { media } from "./media.ts"
import { memory } from "./memory.ts"
import { peers } from "./peers.ts"
import { platform } from "./platform.ts"
import { push } from "./push.ts"
import { reads } from "./reads.ts"
import { scale } from "./scale.ts"
import { versions } from "./versions.ts"
import { webhooks } from "./webhooks.ts"
import { writes } from "./writes.ts"

/** In run order: `licenses` must precede `reads`, which creates a million of them. */
const TOPICS: Record<string, Topic> = {
  bundle,
  platform,
  licenses,
  reads,
  writes,
  lists,
  media,
  backups,
  memory,
  webhooks,
  filters,
  latency,
  neighbor,
  scale,
  distance,
  push,
  versions,
  peers,
}

/** Topics that only run when named, because they install an earlier version or third-party servers. */
const ONLY_NAMED = ["versions", "peers"]

exitWithHelp(import.meta.url)
const selected = process.argv.slice(2)
const unknown = selected.find((name) => !(name in TOPICS))
if (unknown) {
  console.error(`Unknown topic ${unknown}. Topics: ${Object.keys(TOPICS).join(", ")}.`)
  process.exit(2)
}

const directory = mkdtempSync(join(getScratchDirectory(), "bench-"))
try {
  const { stage, stop } = await startStage(directory)
  for (const [name, topic] of Object.entries(TOPICS)) {
    if (selected.length > 0 ? !selected.includes(name) : ONLY_NAMED.includes(name)) continue
    const table = await topic(stage)
    console.log(`\n${alignColumns(table)}`)
    writeReport(new Map([[name, table]]), Object.keys(TOPICS))
  }
  await stop()
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Builds and serves both Workers, and creates the key and the store for the topics. */
async function startStage(directory: string): Promise<{ stage: Stage; stop(): Promise<void> }> {
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
  const { urls, central, stop } = await serveBundles(
    bundles,
    readWranglerConfig().d1_databases,
    join(directory, "state"),
  )
  const { platform = "", bare = "" } = urls
  const key = await createFreshKey(createSeeder(platform, operatorToken, ""), {
    name: "Benchmark",
    scopes: "read,write",
  })
  const store = await createReadyStore(createSeeder(platform, operatorToken, key))
  return { stage: { directory, urls: { platform, bare }, central, vars, operatorToken, key, store }, stop }
}
