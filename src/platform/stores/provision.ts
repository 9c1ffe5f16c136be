// Provisions new stores: assigns a site database, creates the first staff user and the apps' sample data, and opens the
// store. Every step is idempotent, so repeated messages and retries after a partial failure are safe.
import { and, eq, sql } from "drizzle-orm"
import { findApp, getMigrations } from "../../apps/registry"
import type { Ctx } from "../../core/context"
import { nullIfNotFound, Refusal } from "../../core/http/refusal"
import { describeError } from "../../core/log"
import { isUnlocked } from "../../core/queue/lock"
import { mediaStore } from "../../core/storage/media"
import { applyChange, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { retryTransient } from "../../core/write/retry"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { isTransient } from "../../db/errors"
import { stores, usageSnapshots } from "../../db/schema/central/stores"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { insert, update } from "../../db/write"
import { addMs } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { findTheme } from "../../themes/catalog"
import { initialApps } from "../apps/rules"
import { ensureDisjointIdRange } from "../site-migration/id-ranges"
import { buildOwnerMail } from "../subscriptions/mail"
import { countUsage } from "../usage/collect"
import { NO_USAGE, type UsageCounts } from "../usage/rules"
import { buildSnapshot } from "../usage/snapshots"
import { pickDatabase, readDatabaseLoad } from "./choose-database"
import { deleteObjects } from "./delete-site-rows"
import { enqueueProvisioning } from "./enqueue"
import { loadStore } from "./queries"
import { PROVISIONING_LEASE, PROVISIONING_RETRY_WINDOW } from "./rules"
import { type StoreDetails, storeResource } from "./schemas"
import { guardedUpdate } from "./service"

/**
 * Provisions a store that is `pending`, or whose last run died.
 * @param seq the expected incarnation; any when absent
 * @returns true when this call provisioned the store or marked it failed, false when there was nothing to do
 * @throws a transient error: the store stays `provisioning`, and the caller retries
 */
export async function provisionStore(ctx: Ctx, id: string, seq?: number): Promise<boolean> {
  const facts = await claimStore(ctx, id, seq)
  if (!facts) return false
  try {
    await completeProvisioning(ctx, facts, await seedStore(ctx, facts))
    enqueueMailRun(ctx)
  } catch (cause) {
    if (isWorthRetrying(ctx, facts, cause)) {
      await releaseLease(ctx, facts).catch((error) => ctx.log.error("failed to release a store", error, { store: id }))
      throw cause
    }
    ctx.log.error("provisioning failed", cause, { store: id })
    await markFailed(ctx, facts, cause)
  }
  return true
}

function isWorthRetrying({ now }: Ctx, { store }: StoreDetails, cause: unknown): boolean {
  const isOver = addMs(store.provisioningSince ?? now, PROVISIONING_RETRY_WINDOW) <= now
  return !isOver && (isTransient(cause) || cause instanceof WriteConflict)
}

/**
 * Provisions a failed store again, on the queue.
 * @throws Refusal `not_found`; `illegal_transition` for a store in any other state
 */
export async function retryProvisioning(ctx: Ctx, id: string): Promise<StoreDetails> {
  const facts = await applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      if (facts.store.status !== "failed") throw new Refusal("illegal_transition")
      const values = { status: "pending" as const, updatedAt: ctx.now }
      return {
        result: { ...facts, store: { ...facts.store, ...values } },
        change: {
          guard: guardedUpdate(facts, values),
          auditLog: [{ audit: { storeId: id, type: "provisioning_retried", from: "failed", to: "pending" } }],
        },
      }
    },
  )
  enqueueProvisioning(ctx, facts.store)
  return facts
}

/** Leases the store for this run and assigns its database. */
const claimStore = (ctx: Ctx, id: string, seq: number | undefined): Promise<StoreDetails | null> =>
  retryTransient(() => decideClaim(ctx, id, seq))

const decideClaim = (ctx: Ctx, id: string, seq: number | undefined): Promise<StoreDetails | null> =>
  applyChange(
    ctx,
    // A store that was deleted before its message arrived is not an error.
    async () => ({ facts: await loadStore(ctx, id).catch(nullIfNotFound), load: await readDatabaseLoad(ctx) }),
    ({ facts, load }) => {
      if (!facts || facts.store.seq !== (seq ?? facts.store.seq)) return { result: null }
      if (!needsProvisioning(facts.store, ctx.now)) return { result: null }
      const database =
        facts.store.database ?? pickDatabase(ctx.settings.SITE_DATABASES, load.recorded, load.storeCounts)
      if (database === null) {
        // It stays `pending`, and the cron tries again.
        ctx.log.warn("a store waits for a site database that is not full", { store: id })
        return { result: null }
      }
      const isRetried = facts.store.status === "provisioning"
      const values = {
        status: "provisioning" as const,
        database,
        provisioningStartedAt: ctx.now,
        provisioningSince: (isRetried && facts.store.provisioningSince) || ctx.now,
        updatedAt: ctx.now,
      }
      const next = { ...facts, store: { ...facts.store, ...values } }
      return {
        result: next,
        change: {
          guard: guardedUpdate(facts, values),
          auditLog: { auditSkipped: "audited_elsewhere" },
        },
      }
    },
  )

/** Releases the lease, so the next attempt can start before it expires. */
async function releaseLease(ctx: Ctx, { store: { seq, provisioningStartedAt } }: StoreDetails): Promise<void> {
  const isOurs = sql`${stores.provisioningStartedAt} = ${provisioningStartedAt?.getTime()}`
  await writeUnaudited(ctx, "coordination", [
    update(stores)
      .set({ provisioningStartedAt: null })
      .where(and(eq(stores.seq, seq), eq(stores.status, "provisioning"), isOurs)),
  ])
}

/**
 * Whether a store is pending, its provisioning lease has expired, or the lease is this run's, whose claim took effect
 * although its response was lost.
 */
function needsProvisioning(store: StoreDetails["store"], now: Date): boolean {
  if (store.status === "pending") return true
  const age = now.getTime() - (store.provisioningStartedAt?.getTime() ?? 0)
  return store.status === "provisioning" && (age === 0 || age >= PROVISIONING_LEASE)
}

/** The apps and usage counts of a newly provisioned store. */
interface InitialState {
  apps: string[]
  usage: UsageCounts
}

/** Writes a store's initial rows to its site database: the first staff user, and the apps' samples. */
async function seedStore(ctx: Ctx, { store, subscription }: StoreDetails): Promise<InitialState> {
  const { id, name, theme, database, ownerEmail } = store
  const [credentials] = await ctx.db.select({ hash: stores.adminPasswordHash }).from(stores).where(eq(stores.id, id))
  if (!database || !credentials?.hash) throw new Error("The store has no database or no admin to provision")
  const db = siteDatabase(ctx.env, database, id)
  await bindIncarnation(ctx, db, store)
  const terms = subscription?.plan ?? null
  const apps = initialApps(findTheme(theme)?.requires ?? [], terms)
  const admin = {
    email: ownerEmail,
    emailKey: ownerEmail.toLowerCase(),
    firstName: name,
    lastName: "Admin",
    passwordHash: credentials.hash,
    isStaff: true,
    role: "owner" as const,
    emailVerifiedAt: ctx.now,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
  // A store may be migrated between databases, so their row ids must not overlap.
  if (ctx.settings.SITE_DATABASES.length > 1) await ensureDisjointIdRange(ctx, database)
  const samples = await Promise.all(apps.map((slug) => findApp(slug)?.samples?.()))
  await retryTransient(() =>
    writeUnaudited({ db }, "audited_elsewhere", [
      inSite(id)
        .insert(users)
        .values(admin)
        .onConflictDoUpdate({ target: [users.siteId, users.emailKey], set: { ...admin, phone: null } }),
      ...samples.flatMap((sample) => sample?.({ id, db, name, theme, terms, now: ctx.now }) ?? []),
    ]),
  )
  const counts = await countUsage(ctx, database, [id])
  return { apps, usage: counts.get(id) ?? NO_USAGE }
}

/**
 * Allows this store's requests to write, and no longer those to an earlier store of the same subdomain
 * (core/write/site-commit.ts). Does nothing when it is already done.
 */
async function bindIncarnation(ctx: Ctx, db: SiteDatabase, { id, seq }: StoreDetails["store"]): Promise<void> {
  const [known] = await db.select({ seq: siteIncarnations.storeSeq }).from(siteIncarnations)
  if (known?.seq === seq) return
  // An upload to the earlier store may have finished after its purge.
  await deleteObjects(mediaStore(ctx.env), `${id}/`, ctx.run.endsAt)
  const own = { storeSeq: seq }
  await writeUnaudited({ db }, "audited_elsewhere", [
    inSite(id).insert(siteIncarnations).values(own).onConflictDoUpdate({ target: siteIncarnations.siteId, set: own }),
  ])
}

/** Marks the store `ready` and mails its owner. */
const completeProvisioning = (
  ctx: Ctx,
  { store: { id, seq } }: StoreDetails,
  { apps, usage: counts }: InitialState,
): Promise<null> =>
  applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      if (facts.store.seq !== seq || facts.store.status !== "provisioning") return { result: null }
      const { now } = ctx
      const values = { status: "ready" as const, apps, provisionedAt: now, adminPasswordHash: null, updatedAt: now }
      const usage = buildSnapshot(ctx, id, counts)
      const next = { ...facts, store: { ...facts.store, ...values }, usage }
      const { preset, theme } = facts.store
      return {
        result: null,
        change: {
          guard: guardedUpdate(facts, values),
          writes: [
            insert(usageSnapshots).values(usage).onConflictDoUpdate({ target: usageSnapshots.storeId, set: usage }),
            buildMailWrite(ctx, buildOwnerMail(ctx.settings, next, "store_ready", "opened")),
          ],
          auditLog: [
            {
              audit: { storeId: id, type: "store_ready", from: "provisioning", to: "ready" },
              events: [
                {
                  type: "store.ready",
                  data: {
                    store: storeResource(ctx.settings, next),
                    provisioning: { preset, theme, apps, plugin_migration_paths: getMigrations(apps).length },
                  },
                },
              ],
            },
          ],
        },
      }
    },
  )

/** Marks the store `failed`, unless a later attempt has claimed it. It can be provisioned again. */
export const markFailed = (
  ctx: Ctx,
  { store: { id, seq, provisioningStartedAt } }: StoreDetails,
  cause: unknown,
): Promise<null> =>
  applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      const { store } = facts
      const isOurs = store.seq === seq && store.provisioningStartedAt?.getTime() === provisioningStartedAt?.getTime()
      if (!isOurs || store.status !== "provisioning") return { result: null }
      const values = { status: "failed" as const, updatedAt: ctx.now }
      const { error: message, class: kind } = describeError(cause)
      return {
        result: null,
        change: {
          guard: guardedUpdate(facts, values),
          auditLog: [
            {
              audit: {
                storeId: id,
                type: "provisioning_failed",
                from: "provisioning",
                to: "failed",
                data: { reason: message },
              },
              events: [
                {
                  type: "store.provisioning_failed",
                  data: {
                    store: storeResource(ctx.settings, { ...facts, store: { ...facts.store, ...values } }),
                    error: { message, class: kind },
                  },
                },
              ],
            },
          ],
        },
      }
    },
  )

/** Lists the stores that have waited too long for the queue and have no message in flight, oldest first. */
export function listOverdueStores(ctx: Ctx, limit: number): Promise<{ id: string; seq: number }[]> {
  const before = ctx.now.getTime()
  return ctx.db
    .select({ id: stores.id, seq: stores.seq })
    .from(stores)
    .where(
      sql`((${eq(stores.status, "pending")} and ${stores.createdAt} <= ${before - QUEUE_GRACE_MS})
        or (${eq(stores.status, "provisioning")} and coalesce(${stores.provisioningStartedAt}, 0) <= ${before - PROVISIONING_LEASE}))
        and ${isUnlocked(sql`'provision:' || ${stores.id}`, ctx.now)}`,
    )
    .orderBy(stores.seq)
    .limit(limit)
}
