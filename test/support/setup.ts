// Every test starts on empty, migrated databases, with queues that only remember what they were sent.
import { type D1Migration, reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, vi } from "vitest"

/** Tests of code without bindings: they need no database, and are spared the time to make one. */
const PURE = /^test\/(lib|themes)\/|^test\/license\/(encryption|places|rules|version-order)\./

beforeEach(async ({ task }) => {
  if (PURE.test(task.file.name)) return
  await Promise.all([migrate(env.DB, env.TEST_MIGRATIONS_CENTRAL), migrate(env.SITES_1, env.TEST_MIGRATIONS_SITES)])
  const sent = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  vi.spyOn(env.JOB_QUEUE, "send").mockResolvedValue(sent)
  vi.spyOn(env.JOB_QUEUE, "sendBatch").mockResolvedValue(sent)
  vi.spyOn(env.WEBHOOK_QUEUE, "send").mockResolvedValue(sent)
  vi.spyOn(env.WEBHOOK_QUEUE, "sendBatch").mockResolvedValue(sent)
})

afterEach(async ({ task }) => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  if (!PURE.test(task.file.name)) await reset()
})

/** All migrations in one round trip; `applyD1Migrations` takes one for each, and keeps a record nobody reads here. */
const migrate = (database: D1Database, migrations: D1Migration[]) =>
  database.batch(migrations.flatMap(({ queries }) => queries).map((query) => database.prepare(query)))
