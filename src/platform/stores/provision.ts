// Provisioning: a new store gets its place in a site database, its first staff user and its apps, and opens. Every step can be
// taken twice, so a repeated message, or a second run after a fault halfway, does no harm.
import { count, eq, inArray, sql } from "drizzle-orm"
import { change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { describeError } from "../../core/log"
import { Refusal } from "../../core/refusal"
import { siteDatabase } from "../../db/client"
import { stores, usageSnapshots } from "../../db/schema/central/stores"
import { enabledApps } from "../../db/schema/sites/apps"
import { users } from "../../db/schema/sites/users"
import { MINUTE, yearMonth } from "../../lib/time"
import { findTheme } from "../../themes/catalog"
import { loadStore } from "./queries"
import { PROVISIONING_LEASE } from "./rules"
import { type StoreFacts, storeResource } from "./schemas"
import { guardedUpdate } from "./service"

/**
 * Provisions a store that is waiting for it: pending, failed, or left behind by a run that died.
 * @returns whether this call did it; false when there was nothing to do
 */
export async function provisionStore(ctx: Ctx, id: string): Promise<boolean> {
  const store = await claim(ctx, id)
  if (!store) return false
  try {
    const apps = await furnish(ctx, store)
    await open(ctx, id, apps)
  } catch (cause) {
    ctx.log.error("provisioning failed", cause, { store: id })
    await fail(ctx, id, cause)
  }
  return true
}

/** Takes the store for this run, and gives it its database. */
async function claim(ctx: Ctx, id: string): Promise<StoreFacts["store"] | null> {
  return change(
    ctx,
    async () => ({ facts: await loadStore(ctx, id).catch(gone), database: await emptiestDatabase(ctx) }),
    ({ facts, database }) => {
      if (!facts || !isWaiting(facts.store, ctx.now)) return { answer: null }
      const values = {
        status: "provisioning" as const,
        database: facts.store.database ?? database,
        provisioningStartedAt: ctx.now,
        updatedAt: ctx.now,
      }
      return { answer: { ...facts.store, ...values }, change: { guard: guardedUpdate(ctx, facts, values) } }
    },
  )
}

/** A store deleted before its message came is no fault. */
function gone(thrown: unknown): null {
  if (thrown instanceof Refusal && thrown.code === "not_found") return null
  throw thrown
}

/** Whether a store waits to be provisioned. */
export function isWaiting(store: StoreFacts["store"], now: Date): boolean {
  if (store.status === "pending" || store.status === "failed") return true
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

/** Puts into the site database what a store starts with. */
async function furnish(ctx: Ctx, store: StoreFacts["store"]): Promise<string[]> {
  if (!store.database || !store.adminPasswordHash) throw new Error("The store has no database or no admin to provision")
  const db = siteDatabase(ctx.env, store.database)
  const apps = findTheme(store.theme)?.requires ?? []
  const admin = {
    siteId: store.id,
    email: store.ownerEmail,
    emailKey: store.ownerEmail.toLowerCase(),
    firstName: store.name,
    lastName: "Admin",
    passwordHash: store.adminPasswordHash,
    isStaff: true,
    emailVerifiedAt: ctx.now,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
  await db.batch([
    db.insert(users).values(admin).onConflictDoNothing(),
    ...apps.map((slug) =>
      db.insert(enabledApps).values({ siteId: store.id, slug, enabledAt: ctx.now }).onConflictDoNothing(),
    ),
  ])
  return apps
}

/** Opens the store. */
const open = (ctx: Ctx, id: string, apps: string[]): Promise<null> =>
  change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      if (facts.store.status !== "provisioning") return { answer: null }
      const values = { status: "ready" as const, provisionedAt: ctx.now, adminPasswordHash: null, updatedAt: ctx.now }
      const usage = {
        storeId: id,
        period: yearMonth(ctx.now),
        products: 0,
        orders: 0,
        storageBytes: 0,
        staffUsers: 1,
        collectedAt: ctx.now,
      }
      const next = { ...facts, store: { ...facts.store, ...values }, usage }
      const { preset, theme } = facts.store
      return {
        answer: null,
        change: {
          guard: guardedUpdate(ctx, facts, values),
          writes: [
            ctx.db
              .insert(usageSnapshots)
              .values(usage)
              .onConflictDoUpdate({ target: usageSnapshots.storeId, set: usage }),
          ],
          happenings: [
            {
              audit: { storeId: id, type: "store_ready", from: "provisioning", to: "ready" },
              events: [
                {
                  type: "store.ready",
                  store: storeResource(ctx.settings, next),
                  data: { provisioning: { preset, theme, apps, plugin_migration_paths: apps.length } },
                },
              ],
            },
          ],
        },
      }
    },
  )

/** Marks the store failed; it can be provisioned again. */
const fail = (ctx: Ctx, id: string, cause: unknown): Promise<null> =>
  change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      if (facts.store.status !== "provisioning") return { answer: null }
      const values = { status: "failed" as const, updatedAt: ctx.now }
      const { error: message, class: kind } = describeError(cause)
      return {
        answer: null,
        change: {
          guard: guardedUpdate(ctx, facts, values),
          happenings: [
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
      sql`(${eq(stores.status, "pending")} and ${stores.createdAt} <= ${before - MINUTE})
        or (${eq(stores.status, "provisioning")} and ${stores.provisioningStartedAt} <= ${before - PROVISIONING_LEASE})`,
    )
    .orderBy(stores.seq)
    .limit(limit)
  return rows.map((row) => row.id)
}
