// Every test starts on empty, migrated databases, with queues that only remember what they were sent.
import { applyD1Migrations, reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, vi } from "vitest"

beforeEach(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS_CENTRAL)
  await applyD1Migrations(env.SITES_1, env.TEST_MIGRATIONS_SITES)
  const sent = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  vi.spyOn(env.JOB_QUEUE, "send").mockResolvedValue(sent)
  vi.spyOn(env.JOB_QUEUE, "sendBatch").mockResolvedValue(sent)
  vi.spyOn(env.WEBHOOK_QUEUE, "send").mockResolvedValue(sent)
  vi.spyOn(env.WEBHOOK_QUEUE, "sendBatch").mockResolvedValue(sent)
})

afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  await reset()
})
