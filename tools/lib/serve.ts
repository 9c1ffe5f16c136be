// Serves built bundles in one workerd, each on its own direct socket. The proxy of `wrangler dev` would cost more than
// most requests.
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler"
import { listMigrations } from "../local/migrations.ts"
import { findFreePort } from "../local/port.ts"
import { type Database, root } from "./project.ts"

/** The used part of Miniflare, which comes from inside wrangler, so both run the same workerd. */
interface MiniflareModule {
  Miniflare: new (
    options: object,
  ) => {
    ready: Promise<URL>
    getD1Database(binding: string, worker: string): Promise<D1Database>
    getWorker(worker: string): Promise<{ scheduled(options: { cron: string }): Promise<unknown> }>
    dispose(): Promise<void>
  }
  convertV4MiniflareOptions(options: object): object
  Log: new (level: number) => object
  LogLevel: { NONE: number }
}

/** A bundle to serve. */
export interface Bundle {
  name: string
  /** Path of its wrangler.toml, relative to the root or absolute. */
  config: string
  /** Directory of its modules, absolute. */
  directory: string
  /** Settings and secrets that override those in its wrangler.toml. */
  vars: Record<string, string>
  /** Receives its log lines. */
  onLog?: (message: string) => void
  /** Mocks the network for its outgoing requests. */
  handleOutbound?: (request: Request) => Promise<Response>
}

export interface BundleServer {
  /** Base URLs by name of the bundle. */
  urls: Record<string, string>
  /** The first database. */
  central: D1Database
  /** The second database: a site database. */
  site: D1Database
  /** Runs a cron trigger of the first bundle. */
  cron(expression: string): Promise<void>
  stop(): Promise<void>
}

/**
 * Serves the bundles.
 * @param bundles Workers with the same `database_id` share that database
 * @param databases the databases of the first bundle, which are migrated
 * @param storage an empty directory for their data, absolute
 * @param inspectorPort port of the debugger; none by default
 */
export async function serveBundles(
  bundles: Bundle[],
  databases: Database[],
  storage: string,
  inspectorPort?: number,
): Promise<BundleServer> {
  const { Miniflare, convertV4MiniflareOptions, Log, LogLevel } = await importMiniflare()
  const urls: Record<string, string> = {}
  const workers = []
  for (const bundle of bundles) {
    const port = await findFreePort()
    urls[bundle.name] = `http://localhost:${port}`
    workers.push(workerOptions(bundle, port))
  }
  const instance = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      logRequests: false,
      unsafeLocalExplorer: false,
      unsafeObservability: false,
      resourcePersistencePath: storage,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ level, message }: { level: string; message: string }) => {
        if (level === "error") console.error(message)
        for (const { onLog } of bundles) onLog?.(message)
      },
      inspectorPort,
      workers,
    }),
  )
  await instance.ready
  const worker = bundles[0]?.name ?? ""
  for (const database of databases) {
    const d1 = await instance.getD1Database(database.binding, worker)
    for (const file of listMigrations(database)) {
      const sql = readFileSync(join(root, database.migrations_dir, file), "utf8")
      await d1.batch(unstable_splitSqlQuery(sql).map((statement) => d1.prepare(statement)))
    }
  }
  const central = await instance.getD1Database(databases[0]?.binding ?? "", worker)
  const site = await instance.getD1Database(databases[1]?.binding ?? "", worker)
  const cron = async (expression: string) => {
    await (await instance.getWorker(worker)).scheduled({ cron: expression })
  }
  return { urls, central, site, cron, stop: () => instance.dispose() }
}

function workerOptions({ name, config, directory, vars, handleOutbound: outbound }: Bundle, port: number): object {
  // Suppresses wrangler's message about .dev.vars.
  process.env.WRANGLER_LOG = "error"
  const { workerOptions: buildWorkerOptions } = unstable_getMiniflareWorkerOptions(resolve(root, config))
  // Miniflare would run a router in front of a Worker with assets; workerd serves their folder itself.
  const { assets, serviceBindings, ...ownOptions } = buildWorkerOptions as {
    assets?: unknown
    serviceBindings?: object
  }
  const files = { disk: { path: join(root, "assets"), writable: false } }
  const texts = readdirSync(directory).filter((file) => /\.(sql|txt|html|css|json|md)$/.test(file))
  return {
    ...ownOptions,
    serviceBindings: { ...serviceBindings, ...(assets !== undefined && { ASSETS: files }) },
    name,
    bindings: { ...(buildWorkerOptions.bindings as object), ...vars },
    modulesRules: undefined,
    modulesRoot: directory,
    modules: [
      { type: "ESModule", path: join(directory, findBundleEntry(directory)) },
      ...texts.map((file) => ({ type: "Text", path: join(directory, file) })),
    ],
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    ...(outbound && { outboundService: outbound }),
  }
}

const findBundleEntry = (directory: string): string =>
  readdirSync(directory).find((file) => file.endsWith(".js")) ?? "index.js"

function importMiniflare(): Promise<MiniflareModule> {
  const fromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"))
  return import(fromWrangler.resolve("miniflare"))
}
