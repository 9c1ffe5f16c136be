// Gives every test empty, migrated databases, a new isolate's state, and mocked queues and mail.
import { reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, vi } from "vitest"
import { resetIsolateState } from "../../src/lib/isolate-state"
import { isolate } from "./app"
import { checkedEnv, takeViolations } from "./checked-database"
import { takeCoveredResponses } from "./contract-coverage"
import { DATABASES, emptyStorage } from "./empty-storage"
import { validateEmittedEvents } from "./events"
import { checkSends, resetSends } from "./queue-mocks"
import { clearRequests, listRequestedRoutes } from "./requested-routes"
import { dropLogLines, importWorkerOnce } from "./runner"
import { createSchema } from "./schema"
import { markPristine, storage } from "./storage-use"
import { injectedFaults, startFaults } from "./test-faults"
import { clearDeadlines, skipWaits, trackDeadlines } from "./timers"

/** Milliseconds after which a database may be hibernated. */
const IDLE_AFTER_MS = 5_000

/** Waits of the Worker up to this long only keep concurrent writers apart; tests skip them. */
const MAX_BACKOFF_MS = 200

let startedAt = 0

importWorkerOnce()
dropLogLines()

beforeEach(async ({ task }) => {
  startFaults(`${task.file.name} ${task.fullTestName}`)
  storage.test += 1
  resetIsolateState()
  skipWaits((ms) => ms <= MAX_BACKOFF_MS)
  trackDeadlines()
  if (!storage.isPristine) await createStorage()
  isolate.env = checkedEnv()
  resetSends()
  clearRequests()
})

afterEach(async ({ task }) => {
  const injected = injectedFaults()
  const [error] = (injected.length && task.result?.errors) || []
  if (error) error.message += `\nInjected faults:\n${injected.join("\n")}`
  const violations = takeViolations()
  const covered = takeCoveredResponses()
  if (covered.length) task.meta.coveredResponses = covered
  if (task.file.name.startsWith("test/attack/")) task.meta.requestedRoutes = await listRequestedRoutes()
  vi.restoreAllMocks()
  vi.useRealTimers()
  clearDeadlines()
  if (!storage.isPristine) await clearStorage()
  if (violations.length) throw new Error(violations.join("\n"))
  checkSends()
})

async function createStorage(): Promise<void> {
  startedAt = performance.now()
  // The last reset misses a hibernated database, and migrating it again fails. It is awake then, so a second reset
  // works.
  await makeDatabases().catch(async () => {
    await reset()
    await makeDatabases()
  })
  markPristine()
}

async function clearStorage(): Promise<void> {
  try {
    await validateEmittedEvents()
  } finally {
    if (!storage.hasCached && (await emptyStorage())) {
      startedAt = performance.now()
      markPristine()
    } else await resetStorage()
  }
}

/** Deletes all storage. */
async function resetStorage(): Promise<void> {
  if (performance.now() - startedAt > IDLE_AFTER_MS) await wakeStorage()
  await reset()
  // A reset sometimes misses a bucket, although the test used it a moment ago. Listing it wakes it for another reset.
  if (!(await areBucketsEmpty())) await reset()
  storage.databases.clear()
  storage.buckets.clear()
  storage.hasCached = false
  storage.isPristine = false
}

/** Returns whether the buckets that the test used are empty. */
async function areBucketsEmpty(): Promise<boolean> {
  const lists = await Promise.all([...storage.buckets].map((bucket) => bucket.list({ limit: 1 })))
  return lists.every(({ objects }) => objects.length === 0)
}

/** `reset` clears only what is awake; databases hibernate after ten seconds without requests. */
async function wakeStorage(): Promise<void> {
  await Promise.all(
    [env.DB, env.SITES_1, env.SITES_2, env.WEBHOOKS_1, env.WEBHOOKS_2].map((database) =>
      database.prepare("select 1").run(),
    ),
  )
  await caches.default.match("http://wake/")
  await Promise.all([env.MEDIA, env.UPDATES, env.BACKUPS, env.ARCHIVE].map((bucket) => bucket.list({ limit: 1 })))
}

const makeDatabases = () => Promise.all(DATABASES.map(([database, migrations]) => createSchema(database, migrations)))
