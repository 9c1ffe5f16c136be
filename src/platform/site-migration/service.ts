// Migrates stores between site databases. The store is locked in both, copied, compared and switched over in one
// commit; then the old rows are deleted. While it is locked, reads work as usual and writes are refused with a retry
// hint. The queue runs the steps, one run at a time. A run may die at any point; the cron starts the next one.
import { and, asc, eq, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { PartialInput } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { startJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import type { Job } from "../../core/queue/messages"
import { applyChange, type Change, commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { batch, siteDatabase } from "../../db/client"
import { type SiteMigrationPhase, siteMigrations } from "../../db/schema/central/site-migrations"
import { stores } from "../../db/schema/central/stores"
import { siteLocks } from "../../db/schema/sites/site-locks"
import { abortUnlessTouched, insert, remove, update } from "../../db/write"
import { addMs, MINUTE } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import { abortWhileCopied, findRunningCopy } from "../backups/running"
import { loadStore } from "../stores/queries"
import { assertProvisioned } from "../stores/rules"
import type { StoreDetails } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { CopyMismatch, deleteLockedRows, findHighestId, removeStaleIncarnation, resumeCopy } from "./copy"
import { ensureDisjointIdRange, hasDisjointIds } from "./id-ranges"
import { lockSite, unlockSite } from "./lock"
import { listCopiedTables } from "./rows"

export type SiteMigration = typeof siteMigrations.$inferSelect

/** Time before the old rows are deleted: isolates and replicas may learn of the switch late. */
const OLD_ROWS_GRACE = 15 * MINUTE

const enqueueMigration = (ctx: Ctx, { storeId, storeSeq }: SiteMigration): void =>
  startJob(ctx, { job: "move", store: storeId, seq: storeSeq })

/**
 * Starts the migration of a store.
 * @param input `to`: the binding of a site database
 * @returns the migration; the running one when it has the same target
 * @throws Refusal `not_found`, `not_provisioned`, `illegal_transition` during a backup, a restore or another migration,
 *   `validation_failed` about `to`: `selected` unless it is another site database, `taken` when rows of the two
 *   databases may have the same ids
 */
export async function startSiteMigration(
  ctx: Ctx,
  storeId: string,
  input: PartialInput<{ to: string }, "to">,
): Promise<SiteMigration> {
  const to = input.require("to")

  const migration = await applyChange(
    ctx,
    async () => ({
      facts: await loadStore(ctx, storeId),
      current: await findMigration(ctx, storeId),
      isCopied: await findRunningCopy(ctx, storeId),
    }),
    async ({ facts, current, isCopied }) => {
      assertProvisioned(facts.store)
      if (current?.target === to && current.phase === "copying") return { result: current }
      if (current || isCopied) throw new Refusal("illegal_transition")
      const source = facts.store.database
      if (!source || source === to || !ctx.settings.SITE_DATABASES.includes(to)) throw input.reject("to", "selected")
      if (!(await hasDisjointIds(ctx, source)) || !(await hasDisjointIds(ctx, to))) throw input.reject("to", "taken")
      const row = newMigration(ctx, facts.store, source, to)
      return {
        result: row,
        change: {
          guard: guardedUpdate(facts, {}),
          writes: [abortWhileCopied(storeId), insert(siteMigrations).values(row)],
          auditLog: buildAuditLog(row, "created"),
        },
      }
    },
  )
  enqueueMigration(ctx, migration)
  return migration
}

const newMigration = (ctx: Ctx, { id, seq }: StoreDetails["store"], source: string, target: string): SiteMigration => ({
  storeId: id,
  storeSeq: seq,
  migrationId: ulid(ctx.now),
  source,
  target,
  phase: "copying",
  emptied: null,
  dueAt: ctx.now,
  createdAt: ctx.now,
})

/**
 * Cancels a migration before the switch-over: the store stays in its database, and the copied rows are deleted.
 * @throws Refusal `not_found` for a store without a migration, `illegal_transition` after the switch-over
 */
export async function cancelSiteMigration(ctx: Ctx, storeId: string): Promise<SiteMigration> {
  const migration = await findMigration(ctx, storeId)
  if (!migration) throw new Refusal("not_found")
  try {
    const values = await abortMigration(ctx, migration)
    enqueueMigration(ctx, migration)
    return { ...migration, ...values }
  } catch (cause) {
    throw cause instanceof WriteConflict ? new Refusal("illegal_transition") : cause
  }
}

/**
 * Ends a migration before the switch-over.
 * @param extra data of the audit entry in addition to the two databases
 * @throws WriteConflict after the switch-over
 */
async function abortMigration(ctx: Ctx, migration: SiteMigration, extra: Record<string, string> = {}) {
  const values = { phase: "settling" as const, emptied: migration.target, dueAt: ctx.now }
  await commit(ctx, {
    guard: update(siteMigrations).set(values).where(isCopying(migration)),
    auditLog: buildAuditLog(migration, "cancelled", extra),
  })
  return values
}

const isMigration = ({ storeId, migrationId }: SiteMigration) =>
  and(eq(siteMigrations.storeId, storeId), eq(siteMigrations.migrationId, migrationId))

const isCopying = (migration: SiteMigration) => and(isMigration(migration), eq(siteMigrations.phase, "copying"))

const buildAuditLog = (
  { storeId, migrationId, source, target }: SiteMigration,
  action: "created" | "moved" | "cancelled",
  extra: Record<string, string> = {},
): Change["auditLog"] => [
  {
    audit: {
      subject: "site_move",
      id: migrationId,
      action,
      siteId: storeId,
      data: { from: source, to: target, ...extra },
    },
  },
]

async function findMigration(ctx: Ctx, storeId: string): Promise<SiteMigration | undefined> {
  const [migration] = await ctx.db.select().from(siteMigrations).where(eq(siteMigrations.storeId, storeId))
  return migration
}

/** A migration and the progress of its copy. */
export interface SiteMigrationProgress extends SiteMigration {
  /** Number of tables copied, of those compared, and in total. */
  copied: number
  compared: number
  tables: number
}

/** Lists running migrations, oldest first. */
export async function listSiteMigrations(ctx: Ctx): Promise<SiteMigrationProgress[]> {
  const migrations = await ctx.db.select().from(siteMigrations).orderBy(asc(siteMigrations.createdAt)).limit(100)
  return Promise.all(
    // lint: each migration counts rows in its own database
    migrations.map(async (migration) => {
      const db = siteDatabase(ctx.env, migration.target, migration.storeId)
      const [[lock]] = await batch(db, [db.select({ tableIndex: siteLocks.tableIndex }).from(siteLocks)])
      const tables = listCopiedTables().length
      const tableIndex = migration.emptied === migration.source ? 2 * tables : (lock?.tableIndex ?? 0)
      return { ...migration, copied: Math.min(tableIndex, tables), compared: Math.max(tableIndex - tables, 0), tables }
    }),
  )
}

/** Lists due migrations with no message in flight, because it was lost or its run died. */
export const listOverdueMigrations = (ctx: Ctx, limit: number): Promise<{ store: string; seq: number }[]> =>
  ctx.db
    .select({ store: siteMigrations.storeId, seq: siteMigrations.storeSeq })
    .from(siteMigrations)
    .where(
      and(
        lte(siteMigrations.dueAt, addMs(ctx.now, -QUEUE_GRACE_MS)),
        isUnlocked(sql`'site:' || ${siteMigrations.storeId}`, ctx.now),
      ),
    )
    .orderBy(asc(siteMigrations.dueAt))
    .limit(limit)

/**
 * Runs one step of a store's migration. Idempotent.
 * @param seq the incarnation to migrate; any when absent
 * @returns the next step; null when the migration is complete or has to wait
 */
export async function runSiteMigration(ctx: Ctx, storeId: string, seq?: number): Promise<Job | null> {
  const migration = await findMigration(ctx, storeId)
  if (!migration || (seq ?? migration.storeSeq) !== migration.storeSeq) return null
  // If the store was deleted during the migration, its purge removes the rows.
  const continues = (await storeExists(ctx, migration)) && (await STEPS[migration.phase](ctx, migration))
  return continues ? { job: "move", store: storeId, seq } : null
}

async function storeExists(ctx: Ctx, { storeId, storeSeq }: SiteMigration): Promise<boolean> {
  const rows = await ctx.db
    .select({ seq: stores.seq })
    .from(stores)
    .where(and(eq(stores.id, storeId), eq(stores.seq, storeSeq)))
  return rows.length > 0
}

/**
 * Copies for one run's time, and switches over once everything is copied. If the copy differs from the source, the
 * migration is aborted, so that the store accepts writes again. There is always a next step.
 */
async function copyStore(ctx: Ctx, migration: SiteMigration): Promise<true> {
  const [source, target] = [
    siteDatabase(ctx.env, migration.source, migration.storeId),
    siteDatabase(ctx.env, migration.target, migration.storeId),
  ]
  await removeStaleIncarnation(target, migration)
  await lockSite(target, migration, ctx.now)
  await lockSite(source, migration, ctx.now)
  await ensureDisjointIdRange(ctx, migration.target, await findHighestId(source, migration.storeId))
  try {
    if (await resumeCopy(source, target, migration, ctx.run.endsAt)) await switchOver(ctx, migration)
  } catch (cause) {
    if (!(cause instanceof CopyMismatch)) throw cause
    ctx.log.error("a store's migration was aborted", cause, { store: migration.storeId, table: cause.table })
    await abortMigration(ctx, migration, { differs: cause.table })
  }
  return true
}

/** Switches the store over to the target. */
const switchOver = (ctx: Ctx, migration: SiteMigration): Promise<null> =>
  applyChange(
    ctx,
    () => loadStore(ctx, migration.storeId),
    (facts) => ({
      result: null,
      change: {
        guard: guardedUpdate(facts, { database: migration.target }, eq(stores.seq, migration.storeSeq)),
        writes: [
          update(siteMigrations)
            .set({ phase: "settling", emptied: migration.source, dueAt: ctx.now })
            .where(isCopying(migration)),
          abortUnlessTouched,
        ],
        auditLog: buildAuditLog(migration, "moved"),
      },
    }),
  )

/** Unlocks the store in the database that it now uses. */
async function unlockStore(ctx: Ctx, migration: SiteMigration): Promise<true> {
  const hasMoved = migration.emptied === migration.source
  await unlockSite(siteDatabase(ctx.env, hasMoved ? migration.target : migration.source, migration.storeId), migration)
  await writeUnaudited(ctx, "progress", [
    update(siteMigrations)
      .set({ phase: "emptying", dueAt: hasMoved ? addMs(ctx.now, OLD_ROWS_GRACE) : ctx.now })
      .where(isMigration(migration)),
  ])
  return true
}

/**
 * Deletes the rows in the other database, once no isolate reads them.
 * @returns whether there is more to delete
 */
async function deleteOldRows(ctx: Ctx, migration: SiteMigration): Promise<boolean> {
  if (!migration.emptied || migration.dueAt > ctx.now) return false
  const db = siteDatabase(ctx.env, migration.emptied, migration.storeId)
  if (!(await deleteLockedRows(db, migration, ctx.run.endsAt))) return true
  await writeUnaudited(ctx, "cleanup", [remove(siteMigrations).where(isMigration(migration))])
  return false
}

const STEPS: Record<SiteMigrationPhase, (ctx: Ctx, migration: SiteMigration) => Promise<boolean>> = {
  copying: copyStore,
  settling: unlockStore,
  emptying: deleteOldRows,
}
