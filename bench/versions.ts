// Compares the current version with an earlier commit in alternating rounds: the CPU time of reads, the duration of
// writes, and the delivery of webhooks. TENANCY_BENCH_BASE names the commit.
import { execFileSync } from "node:child_process"
import { join, relative } from "node:path"
import { buildBundle } from "../tools/lib/bundle.ts"
import { type Database, readWranglerConfig, root } from "../tools/lib/project.ts"
import { serveBundles } from "../tools/lib/serve.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { BURST_EVENTS, RATES, startReceiver } from "./latency.ts"
import { formatMs, measureCpuTimes, type ReadRequest } from "./lib/cpu.ts"
import { getMedian } from "./lib/load.ts"
import { createReadyStore } from "./lib/ready-store.ts"
import type { Stage, Topic } from "./lib/topic.ts"
import { listSiteReads, makePosts } from "./reads.ts"
import { CREATE_STORE, prepareWrites, waitForStores } from "./writes.ts"

/** The last commit of the release before the rewrite of the language, the apps and the delivery of webhooks. */
const BASE = process.env.TENANCY_BENCH_BASE ?? "51965501"

type Version = Pick<Stage, "urls" | "operatorToken" | "key" | "store">

export const versions: Topic = async (stage) => {
  const checkout = join(stage.directory, "base")
  execFileSync("git", ["worktree", "add", "--detach", checkout, BASE], { cwd: root, stdio: "pipe" })
  try {
    execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: checkout, stdio: "inherit" })
    const config = join(checkout, "wrangler.toml")
    const directory = join(stage.directory, "base-bundle")
    await buildBundle(config, directory)
    const databases = readWranglerConfig().d1_databases
    const current: Build = { config: "wrangler.toml", directory: join(stage.directory, "platform"), databases }
    const migrationsOf = (path: string) => relative(root, join(checkout, path))
    const earlier: Build = {
      config,
      directory,
      databases: databases.map((database) => ({ ...database, migrations_dir: migrationsOf(database.migrations_dir) })),
    }
    return [
      ["median", `before, ${BASE}`, "after", "before ÷ after"],
      ...(await compareRequests(stage, earlier)),
      ...(await compareDeliveries(stage, earlier, current)),
    ]
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", checkout], { cwd: root, stdio: "pipe" })
  }
}

/** A built version. */
interface Build {
  /** Path of its wrangler.toml, relative to the root or absolute. */
  config: string
  /** Directory of its modules, absolute. */
  directory: string
  databases: Database[]
}

/** Compares reads and writes of the served current version with those of an earlier one. */
async function compareRequests(stage: Stage, { config, directory, databases }: Build): Promise<string[][]> {
  const { vars, operatorToken } = stage
  const bundle = { name: "base", config, directory, vars }
  const { urls, stop } = await serveBundles([bundle], databases, join(stage.directory, "base-state"))
  const platform = urls.base ?? ""
  const key = await createFreshKey(createSeeder(platform, operatorToken, ""), {
    name: "Benchmark",
    scopes: "read,write",
  })
  const store = await createReadyStore(createSeeder(platform, operatorToken, key))
  const base: Version = { urls: { platform, bare: platform }, operatorToken, key, store }
  const rows: string[][] = []
  for (const [name, before, after] of await pairReads(base, stage)) {
    const [earlier, current] = await measureCpuTimes([before, after])
    const [beforeMs, afterMs] = [getMedian(earlier.rounds), getMedian(current.rounds)]
    rows.push([`${name}, CPU ms`, formatMs(beforeMs), formatMs(afterMs), (beforeMs / afterMs).toFixed(2)])
  }
  rows.push(...(await compareWrites(base, stage)))
  await stop()
  return rows
}

/** Creates the same posts in both versions and pairs their reads. */
async function pairReads(
  before: Version,
  after: Version,
): Promise<[name: string, before: ReadRequest, after: ReadRequest][]> {
  const [earlier, current] = await Promise.all(
    [before, after].map(async (version) => {
      await makePosts(version)
      return [...(await listSiteReads(version)).map(({ name, ours }) => ({ name, ours })), buildStoreRead(version)]
    }),
  )
  return (current ?? []).map(({ name, ours }, at) => [name, earlier?.[at]?.ours ?? ours, ours])
}

const buildStoreRead = ({ urls, key, store }: Version): { name: string; ours: ReadRequest } => ({
  name: "GET /stores/{id}",
  ours: {
    url: `${urls.platform}/api/platform/v1/stores/${store}`,
    headers: { Authorization: `Bearer ${key}`, "CF-Connecting-IP": "203.0.113.7" },
    holds: store,
  },
})

/** Sends each write to both versions in turn. */
async function compareWrites(before: Version, after: Version): Promise<string[][]> {
  const [earlier, current] = [await prepareWrites(before), await prepareWrites(after)]
  const rows: string[][] = []
  for (const [name, [times, send]] of Object.entries(current)) {
    const sendEarlier = earlier[name]?.[1] ?? send
    const samples: [number[], number[]] = [[], []]
    for (let n = 0; n < times; n += 1) {
      samples[0].push(await measureMs(() => sendEarlier(n)))
      samples[1].push(await measureMs(() => send(n)))
    }
    if (name === CREATE_STORE) await Promise.all([before, after].map((version) => waitForStores(version, times)))
    const [beforeMs, afterMs] = [getMedian(samples[0]), getMedian(samples[1])]
    rows.push([`${name}, ms`, beforeMs.toFixed(1), afterMs.toFixed(1), (beforeMs / afterMs).toFixed(2)])
  }
  return rows
}

/** Delivers the same events from both versions in turn. */
async function compareDeliveries(stage: Stage, ...builds: [before: Build, after: Build]): Promise<string[][]> {
  const [before, after] = await Promise.all(
    builds.map(({ databases, ...build }, at) => {
      const name = `deliveries-${at}`
      const bundle = { name, ...build, vars: stage.vars }
      return startReceiver(stage, { bundle, databases, storage: join(stage.directory, name) })
    }),
  )
  if (!before || !after) throw new Error("Two versions were not served")
  const rows: string[][] = []
  for (const [rate, seconds] of RATES) {
    const [earlier, current] = [await before.measure(rate, seconds), await after.measure(rate, seconds)]
    const ratio = (earlier.p50 / current.p50).toFixed(2)
    rows.push([`event → receiver, ${rate} per second, ms`, earlier.p50.toFixed(0), current.p50.toFixed(0), ratio])
  }
  const [earlier, current] = [(await before.measureBurst()).perSecond, (await after.measureBurst()).perSecond]
  const ratio = (current / earlier).toFixed(2)
  rows.push([`burst of ${BURST_EVENTS} events, per second`, earlier.toFixed(0), current.toFixed(0), `${ratio} ×`])
  await Promise.all([before.stop(), after.stop()])
  return rows
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
