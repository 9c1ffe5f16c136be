// Every test starts on empty, migrated databases, with queues and a mail service that only remember what they were sent.
import { type D1Migration, listDurableObjectIds, reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, vi } from "vitest"
import { isolate } from "./app"
import { holdEvents } from "./events"
import { takeSeen } from "./seen"
import { forgetSends } from "./sends"

/** Tests of code without bindings: they need no database, and are spared the time to make one. */
const PURE = /^test\/(lib|themes)\/|^test\/license\/(encryption|places|rules|version-order)\./

/** Milliseconds after which a database or an object may be asleep. */
const IDLE_AFTER = 5_000

let started = 0

beforeEach(async ({ task }) => {
  if (PURE.test(task.file.name)) return
  started = performance.now()
  // A database that slept through the last reset refuses to be made again; asked, it is awake, and the next reset reaches it.
  await makeDatabases().catch(async () => {
    await reset()
    await makeDatabases()
  })
  isolate.env = { ...env }
  forgetSends()
})

afterEach(async ({ task }) => {
  const seen = takeSeen()
  if (seen.length) task.meta.seen = seen
  vi.restoreAllMocks()
  vi.useRealTimers()
  if (PURE.test(task.file.name)) return
  if (performance.now() - started > IDLE_AFTER) await wake()
  await holdEvents().finally(reset)
})

/** `reset` forgets only what is awake, and whatever nobody asked for ten seconds has gone to sleep. */
async function wake(): Promise<void> {
  await Promise.all([env.DB, env.SITES_1, env.SITES_2].map((database) => database.prepare("select 1").run()))
  await Promise.all([env.MEDIA, env.UPDATES].map((bucket) => bucket.list({ limit: 1 })))
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    for (const id of await listDurableObjectIds(namespace)) await namespace.get(id).fetch("http://wake/")
  }
}

const makeDatabases = () =>
  Promise.all([migrate(env.DB, env.TEST_MIGRATIONS_CENTRAL), migrate(env.SITES_1, env.TEST_MIGRATIONS_SITES)])

/** All migrations in one round trip; `applyD1Migrations` takes one for each, and keeps a record nobody reads here. */
const migrate = (database: D1Database, migrations: D1Migration[]) =>
  database.batch(migrations.flatMap(({ queries }) => queries).map((query) => database.prepare(query)))
