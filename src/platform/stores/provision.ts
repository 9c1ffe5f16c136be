// Provisioning: a new store gets its place in a site database, its first staff user and its apps, and opens. Every step can be
// taken twice, so a repeated message, or a second run after a fault halfway, does no harm.
import { and, count, eq, inArray, sql } from "drizzle-orm"
import { findPlugin, migrationsOf } from "../../apps/registry"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { describeError } from "../../core/log"
import { writeUnaudited, change, WriteConflict } from "../../core/write/commit"
import { QUEUE_GRACE } from "../../core/write/events"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { isTransient } from "../../db/errors"
import { stores, usageSnapshots } from "../../db/schema/central/stores"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { users } from "../../db/schema/sites/users"
import { insert, update } from "../../db/write"
import { later } from "../../lib/time"
import { mailWrite, postMails } from "../../mails/outbox"
import { findTheme } from "../../themes/catalog"
import { startingApps } from "../apps/rules"
import { numberApart } from "../site-migration/id-ranges"
import { ownerMail } from "../subscriptions/mail"
import { countSites } from "../usage/collect"
import { type Counts, NOTHING } from "../usage/rules"
import { snapshot } from "../usage/snapshots"
import { deleteObjects } from "./delete-site-rows"
import { enqueueProvisioning } from "./enqueue"
import { loadStore } from "./queries"
import { PROVISIONING_LEASE, PROVISIONING_PATIENCE } from "./rules"
import { type StoreFacts, storeResource } from "./schemas"
import { guardedUpdate } from "./service"

/**
 * Provisions a store that is waiting for it: pending, or left behind by a run that died.
 * @param seq the incarnation that is meant; any when absent
 * @returns whether this call did it, or marked the store failed; false when there was nothing to do
 * @throws a transient error: the store goes on being `provisioning`, and the caller tries again
 */
export async function provisionStore(ctx: Ctx, id: string, seq?: number): Promise<boolean> {
  const facts = await claim(ctx, id, seq)
  if (!facts) return false
  try {
    await open(ctx, facts, await fill(ctx, facts))
    postMails(ctx)
  } catch (cause) {
    if (isWorthRetrying(ctx, facts, cause)) {
      await release(ctx, facts).catch((fault) => ctx.log.error("a store was not released", fault, { store: id }))
      throw cause
    }
    ctx.log.error("provisioning failed", cause, { store: id })
    await fail(ctx, facts, cause)
  }
  return true
}

function isWorthRetrying({ now }: Ctx, { store }: StoreFacts, cause: unknown): boolean {
  const isOver = later(store.provisioningSince ?? now, PROVISIONING_PATIENCE) <= now
  return !isOver && (isTransient(cause) || cause instanceof WriteConflict)
}

/**
 * Has a store whose provisioning failed provisioned again, by the queue.
 * @throws Refusal `not_found`; `illegal_transition` for a store in any other state
 */
export async function retryProvisioning(ctx: Ctx, id: string): Promise<StoreFacts> {
  const answer = await change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      if (facts.store.status !== "failed") throw new Refusal("illegal_transition")
      const values = { status: "pending" as const, updatedAt: ctx.now }
      return {
        answer: { ...facts, store: { ...facts.store, ...values } },
        change: {
          guard: guardedUpdate(facts, values),
          trail: [{ audit: { storeId: id, type: "provisioning_retried", from: "failed", to: "pending" } }],
        },
      }
    },
  )
  enqueueProvisioning(ctx, answer.store)
  return answer
}

/** Takes the store for this run, and gives it its database. */
async function claim(ctx: Ctx, id: string, seq: number | undefined): Promise<StoreFacts | null> {
  return change(
    ctx,
    async () => ({ facts: await loadStore(ctx, id).catch(nullIfDeleted), database: await emptiestDatabase(ctx) }),
    ({ facts, database }) => {
      if (!facts || facts.store.seq !== (seq ?? facts.store.seq)) return { answer: null }
      if (!isWaiting(facts.store, ctx.now)) return { answer: null }
      const isRetried = facts.store.status === "provisioning"
      const values = {
        status: "provisioning" as const,
        database: facts.store.database ?? database,
        provisioningStartedAt: ctx.now,
        provisioningSince: (isRetried && facts.store.provisioningSince) || ctx.now,
        updatedAt: ctx.now,
      }
      const next = { ...facts, store: { ...facts.store, ...values } }
      return { answer: next, change: { guard: guardedUpdate(facts, values), trail: { auditSkipped: "its end is told of" } } }
    },
  )
}

/** Lets the next attempt begin at once, instead of when the lease of this one is over. */
async function release(ctx: Ctx, { store: { seq, provisioningStartedAt } }: StoreFacts): Promise<void> {
  const isOurs = sql`${stores.provisioningStartedAt} = ${provisioningStartedAt?.getTime()}`
  await writeUnaudited(ctx, "the lease of an attempt that is over", [
    update(stores)
      .set({ provisioningStartedAt: null })
      .where(and(eq(stores.seq, seq), eq(stores.status, "provisioning"), isOurs)),
  ])
}

/** A store deleted before its message came is no fault. */
function nullIfDeleted(thrown: unknown): null {
  if (thrown instanceof Refusal && thrown.code === "not_found") return null
  throw thrown
}

/** Whether a store waits to be provisioned. */
function isWaiting(store: StoreFacts["store"], now: Date): boolean {
  if (store.status === "pending") return true
  const started = store.provisioningStartedAt?.getTime() ?? 0
  return store.status === "provisioning" && now.getTime() - started >= PROVISIONING_LEASE
}

/** The site database with the fewest stores. */
async function emptiestDatabase(ctx: Ctx): Promise<string> {
  const names = ctx.settings.SITE_DATABASES
  const [first = ""] = names
  if (names.length === 1) return first
  const rows = await ctx.db
    .select({ name: stores.database, stores: count() })
    .from(stores)
    .where(inArray(stores.database, names))
    .groupBy(stores.database)
  const load = new Map(rows.map((row) => [row.name, row.stores]))
  return names.reduce((best, name) => ((load.get(name) ?? 0) < (load.get(best) ?? 0) ? name : best), first)
}

/** What a store starts with. */
interface Start {
  apps: string[]
  usage: Counts
}

/** Puts into the site database what a store starts with: its first staff user, and the samples of its apps. */
async function fill(ctx: Ctx, { store, subscription }: StoreFacts): Promise<Start> {
  const { id, name, theme, database, ownerEmail } = store
  const [kept] = await ctx.db.select({ hash: stores.adminPasswordHash }).from(stores).where(eq(stores.id, id))
  if (!database || !kept?.hash) throw new Error("The store has no database or no admin to provision")
  const db = siteDatabase(ctx.env, database)
  await claimSite(ctx, db, store)
  const terms = subscription?.plan ?? null
  const apps = startingApps(findTheme(theme)?.requires ?? [], terms)
  const admin = {
    siteId: id,
    email: ownerEmail,
    emailKey: ownerEmail.toLowerCase(),
    firstName: name,
    lastName: "Admin",
    passwordHash: kept.hash,
    isStaff: true,
    emailVerifiedAt: ctx.now,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
  // Rows of a second database are never numbered as those of the first: a store may be moved between them.
  if (ctx.settings.SITE_DATABASES.length > 1) await numberApart(ctx, database)
  const samples = await Promise.all(apps.map((slug) => findPlugin(slug)?.samples?.()))
  await writeUnaudited({ db }, "what provisioning starts a store with; the trail tells of it once the store is open", [
    insert(users)
      .values(admin)
      .onConflictDoUpdate({ target: [users.siteId, users.emailKey], set: { ...admin, phone: null } }),
    ...samples.flatMap((sample) => sample?.({ id, db, name, theme, terms, now: ctx.now }) ?? []),
  ])
  const counts = await countSites(ctx, database, [id])
  return { apps, usage: counts.get(id) ?? NOTHING }
}

/**
 * Lets this store's requests write, and no longer those to an earlier store of its name (core/site-commit.ts). Does nothing once it is done.
 */
async function claimSite(ctx: Ctx, db: SiteDatabase, { id, seq }: StoreFacts["store"]): Promise<void> {
  const isOfSite = eq(siteIncarnations.siteId, id)
  const [known] = await db.select({ seq: siteIncarnations.storeSeq }).from(siteIncarnations).where(isOfSite)
  if (known?.seq === seq) return
  // An upload to the earlier store may have ended behind its purge.
  await deleteObjects(ctx.env.MEDIA, `${id}/`)
  const own = { siteId: id, storeSeq: seq }
  await writeUnaudited({ db }, "the site's store, whose beginning is in the trail", [
    insert(siteIncarnations).values(own).onConflictDoUpdate({ target: siteIncarnations.siteId, set: own }),
  ])
}

/** Opens the store. */
const open = (ctx: Ctx, { store: { id, seq } }: StoreFacts, { apps, usage: counts }: Start): Promise<null> =>
  change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      if (facts.store.seq !== seq || facts.store.status !== "provisioning") return { answer: null }
      const { now } = ctx
      const values = { status: "ready" as const, apps, provisionedAt: now, adminPasswordHash: null, updatedAt: now }
      const usage = snapshot(ctx, id, counts)
      const next = { ...facts, store: { ...facts.store, ...values }, usage }
      const { preset, theme } = facts.store
      return {
        answer: null,
        change: {
          guard: guardedUpdate(facts, values),
          writes: [
            insert(usageSnapshots).values(usage).onConflictDoUpdate({ target: usageSnapshots.storeId, set: usage }),
            mailWrite(ctx, ownerMail(ctx.settings, next, "store_ready", "opened")),
          ],
          trail: [
            {
              audit: { storeId: id, type: "store_ready", from: "provisioning", to: "ready" },
              events: [
                {
                  type: "store.ready",
                  store: storeResource(ctx.settings, next),
                  data: { provisioning: { preset, theme, apps, plugin_migration_paths: migrationsOf(apps).length } },
                },
              ],
            },
          ],
        },
      }
    },
  )

/** Marks the store failed, unless a later attempt has claimed it; it can be provisioned again. */
const fail = (ctx: Ctx, { store: { id, seq, provisioningStartedAt } }: StoreFacts, cause: unknown): Promise<null> =>
  change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      const { store } = facts
      const isOurs = store.seq === seq && store.provisioningStartedAt?.getTime() === provisioningStartedAt?.getTime()
      if (!isOurs || store.status !== "provisioning") return { answer: null }
      const values = { status: "failed" as const, updatedAt: ctx.now }
      const { error: message, class: kind } = describeError(cause)
      return {
        answer: null,
        change: {
          guard: guardedUpdate(facts, values),
          trail: [
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
                  store: storeResource(ctx.settings, { ...facts, store: { ...facts.store, ...values } }),
                  data: { error: { message, class: kind } },
                },
              ],
            },
          ],
        },
      }
    },
  )

/** Ids of stores that have waited for the queue too long, oldest first; the cron provisions them. */
export async function overdueStores(ctx: Ctx, limit: number): Promise<string[]> {
  const before = ctx.now.getTime()
  const rows = await ctx.db
    .select({ id: stores.id })
    .from(stores)
    .where(
      sql`(${eq(stores.status, "pending")} and ${stores.createdAt} <= ${before - QUEUE_GRACE})
        or (${eq(stores.status, "provisioning")} and coalesce(${stores.provisioningStartedAt}, 0) <= ${before - PROVISIONING_LEASE})`,
    )
    .orderBy(stores.seq)
    .limit(limit)
  return rows.map((row) => row.id)
}
