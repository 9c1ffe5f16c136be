// Creates archives of everything in a store for its owner: starts them, lists them, opens them for a download, and
// deletes them when they expire. The steps that write an archive are in run.ts.
import { and, asc, desc, eq, gt, isNotNull, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { startJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import { backupStore } from "../../core/storage/backups"
import { applyChange, writeUnaudited } from "../../core/write/commit"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { batch } from "../../db/client"
import { type StoreExport, storeExports } from "../../db/schema/central/exports"
import { insert, remove } from "../../db/write"
import { addMs, DAY } from "../../lib/time"
import { verifyLink } from "../../mails/signed-link"
import { loadStore } from "../stores/queries"
import { assertProvisioned } from "../stores/rules"
import { archiveKey, exportPrefix } from "./archive"

/** A store may start an archive this long after its last one that did not fail. */
const EXPORT_INTERVAL_MS = DAY

/** An export that is not done by then fails. */
export const MAX_EXPORT_MS = DAY

/** Time for which an archive can be downloaded. */
export const DOWNLOAD_TTL_MS = DAY

/** Exports that the page lists. */
const MAX_LISTED = 5

const selectOfStore = (ctx: Ctx, storeSeq: number) =>
  ctx.db
    .select()
    .from(storeExports)
    .where(and(eq(storeExports.storeSeq, storeSeq), gt(storeExports.expiresAt, ctx.now)))
    .orderBy(desc(storeExports.id))
    .limit(MAX_LISTED)

/** Returns when the next archive may be started; null when it may be now. */
export function getNextExportAt(exports: readonly StoreExport[], now: Date): Date | null {
  const last = exports.find(({ phase }) => phase !== "failed")
  const next = last && addMs(last.createdAt, EXPORT_INTERVAL_MS)
  return next && next > now ? next : null
}

/**
 * Starts an archive of a store, unless one is being made.
 * @param recipient the address that gets the link
 * @throws Refusal `rate_limited` within a day after the last one; `not_provisioned`
 */
export async function startExport(ctx: Ctx, storeId: string, recipient: string): Promise<void> {
  await applyChange(
    ctx,
    async () => {
      const { store } = await loadStore(ctx, storeId)
      return { store, exports: await selectOfStore(ctx, store.seq) }
    },
    ({ store, exports }) => {
      assertProvisioned(store)
      if (exports.some(({ dueAt }) => dueAt !== null)) return { result: undefined }
      const next = getNextExportAt(exports, ctx.now)
      if (next) {
        const seconds = Math.ceil((next.getTime() - ctx.now.getTime()) / 1000)
        throw new Refusal("rate_limited", { seconds, headers: { "Retry-After": String(seconds) } })
      }
      const row = {
        storeId,
        storeSeq: store.seq,
        recipient,
        phase: "running" as const,
        dueAt: ctx.now,
        createdAt: ctx.now,
        expiresAt: addMs(ctx.now, MAX_EXPORT_MS + DOWNLOAD_TTL_MS),
      }
      // Of two requests at the same moment, the unique index lets one through.
      const id = sql`(select max(${storeExports.id}) from ${storeExports} where ${storeExports.storeSeq} = ${store.seq})`
      return {
        result: undefined,
        change: {
          writes: [insert(storeExports).values(row)],
          auditLog: [{ audit: { subject: "export", id, action: "created", siteId: storeId } }],
        },
      }
    },
  )
  startJob(ctx, { job: "export", store: storeId })
}

/** Lists the latest exports of a store that have not expired, newest first. */
export async function listExports(ctx: Ctx, storeSeq: number): Promise<StoreExport[]> {
  const [rows] = await batch(ctx.db, [selectOfStore(ctx, storeSeq)])
  return rows
}

/** An archive that is being downloaded. */
export interface OpenedExport {
  createdAt: Date
  object: R2ObjectBody
}

/** A mailed link to an archive. */
export interface ExportLink {
  token: string
  /** Whether the person to whom the link was mailed may still download the archive. */
  isAllowed: (recipient: string) => Promise<boolean>
}

/**
 * Opens an archive of a store.
 * @param link without one, the newest archive
 * @throws Refusal `not_found` when there is none, the token is forged, expired, or another store's, or its recipient
 *   may no longer download it
 */
export async function openExport(ctx: Ctx, storeSeq: number, link?: ExportLink): Promise<OpenedExport> {
  const token = link?.token
  const signed = token === undefined ? null : await verifyLink(ctx.settings, "store-export", token)
  const [id, expiresAt] = signed ?? []
  if (token !== undefined && (id === undefined || expiresAt === undefined)) throw new Refusal("not_found")
  const found = (await listExports(ctx, storeSeq)).find(
    (row) => row.phase === "done" && (id === undefined || (row.id === id && row.expiresAt.getTime() === expiresAt)),
  )
  if (found && link && !(await link.isAllowed(found.recipient))) throw new Refusal("not_found")
  const object = found && (await backupStore(ctx.env).get(archiveKey(found.id)))
  if (!object) throw new Refusal("not_found")
  return { createdAt: found.createdAt, object }
}

/** Lists the stores of running exports with no message in flight, because it was lost or its run died. */
export const listOverdueExports = (ctx: Ctx, limit: number): Promise<{ store: string }[]> =>
  ctx.db
    .select({ store: storeExports.storeId })
    .from(storeExports)
    .where(
      and(
        isNotNull(storeExports.dueAt),
        lte(storeExports.dueAt, addMs(ctx.now, -QUEUE_GRACE_MS)),
        isUnlocked(sql`'export:' || ${storeExports.storeId}`, ctx.now),
      ),
    )
    .orderBy(asc(storeExports.dueAt))
    .limit(limit)

/** Exports that one run deletes. */
const BATCH_SIZE = 100

/** Deletes expired archives, and their rows after them. */
export async function deleteExpiredExports(ctx: Ctx): Promise<void> {
  const expired = await ctx.db
    .select({ id: storeExports.id })
    .from(storeExports)
    .where(lte(storeExports.expiresAt, ctx.now))
    .orderBy(asc(storeExports.expiresAt))
    .limit(BATCH_SIZE)
  // lint: each export's files are deleted before its row
  for (const { id } of expired) {
    if (ctx.run.isOutOfTime()) return
    while (await backupStore(ctx.env).deletePage(exportPrefix(id)));
    await writeUnaudited(ctx, "cleanup", [remove(storeExports).where(eq(storeExports.id, id))])
  }
  if (expired.length === BATCH_SIZE) ctx.run.stop()
}
