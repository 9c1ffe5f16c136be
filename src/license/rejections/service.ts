// Records why license requests were rejected, so that the vendor can help customers: clients learn little about the
// reason. Clients may retry a thousand times per minute, so there is one row per license and reason, written in the
// background.
import { lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deleteExpired } from "../../core/queue/delete-expired"
import { writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import {
  type LicenseOperation,
  licenseRejections,
  licenses,
  type RejectionReason,
} from "../../db/schema/central/licenses"
import { insertSelect } from "../../db/write"
import type { Bindings } from "../../env"
import { isolateState } from "../../lib/isolate-state"
import { addMs, DAY, MINUTE } from "../../lib/time"
import { type LicenseRef, requireLicense, selectLicense } from "../licenses/queries"
import type { LicenseWithProduct } from "../licenses/schemas"
import type { LicenseCtx } from "../types"
import { selectRejections } from "./queries"

export type Rejection = typeof licenseRejections.$inferSelect

/** Counted from the latest rejection with the same reason. */
const RETENTION_MS = 90 * DAY

/** Pairs of license and reason. */
const MAX_CACHED_WRITES = 10_000

interface CachedWrite {
  writtenAt: Date
  /** Rejections since then that are not in the database yet. */
  pending: number
}

const recentWrites = isolateState(() => new WeakMap<Bindings, Map<string, CachedWrite>>())

/**
 * Logs why a request was rejected and counts it for the license's page in the console.
 * @param license the license's id; null for an unknown code, which is only logged
 */
export function recordRejection(
  ctx: LicenseCtx,
  operation: LicenseOperation,
  reason: RejectionReason | "unknown",
  license: number | null = null,
): void {
  ctx.log.info("license refused", { attempt: operation, fault: reason, license })
  if (license !== null && reason !== "unknown") countRejection(ctx, operation, license, reason)
}

/**
 * Counts a rejection in the background, with at most one write per minute for each license and reason. Rejections in
 * between are added to the next write, if the isolate lives that long.
 */
function countRejection(ctx: LicenseCtx, operation: LicenseOperation, license: number, reason: RejectionReason): void {
  const writes = getRecentWrites(ctx)
  const key = `${license}:${reason}`
  const last = writes.get(key)
  if (last && ctx.now.getTime() - last.writtenAt.getTime() < MINUTE) {
    last.pending += 1
    return
  }
  const current: CachedWrite = { writtenAt: ctx.now, pending: 0 }
  if (writes.size >= MAX_CACHED_WRITES) writes.clear()
  writes.set(key, current)
  const count = 1 + (last?.pending ?? 0)
  const restorePending = () => {
    current.pending += count
  }
  ctx.inBackground(
    writeRejection(ctx, { operation, license, reason, count }).then(
      (isWritten) => isWritten || restorePending(),
      restorePending,
    ),
  )
}

function getRecentWrites({ env }: LicenseCtx): Map<string, CachedWrite> {
  const writes = recentWrites.current.get(env) ?? new Map<string, CachedWrite>()
  recentWrites.current.set(env, writes)
  return writes
}

interface RejectionWrite {
  operation: LicenseOperation
  license: number
  reason: RejectionReason
  count: number
}

/** @returns false when another isolate wrote the row within the last minute, or the license was deleted */
async function writeRejection(
  ctx: LicenseCtx,
  { operation, license, reason, count }: RejectionWrite,
): Promise<boolean> {
  const { domain, ip } = ctx.client
  const last = { lastAt: ctx.now, attempt: operation, domain, ip: reason === "other_ip" || domain === null ? ip : null }
  const [{ meta }] = await writeUnaudited(ctx, "statistics", [
    insertSelect(
      licenseRejections,
      { licenseId: license, reason, tries: count, firstAt: ctx.now, ...last },
      sql`from ${licenses} where ${licenses.id} = ${license}`,
    ).onConflictDoUpdate({
      target: [licenseRejections.licenseId, licenseRejections.reason],
      set: { ...last, tries: sql`${licenseRejections.tries} + ${count}` },
      setWhere: lte(licenseRejections.lastAt, addMs(ctx.now, -MINUTE)),
    }),
  ])
  return meta.changes > 0
}

/**
 * Returns a license with its rejections, latest first.
 * @throws Refusal `not_found`
 */
export async function readLicenseWithRejections(
  ctx: Pick<Ctx, "db">,
  ref: LicenseRef,
): Promise<LicenseWithProduct & { rejections: Rejection[] }> {
  const [licenses, candidates] = await batch(ctx.db, [selectLicense(ref), selectRejections(ctx.db, ref)])
  const found = requireLicense(licenses)
  const rejections = candidates.filter(({ licenseId }) => licenseId === found.license.id)
  return { ...found, rejections: rejections.sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime()) }
}

/** Deletes rejections older than the retention period. */
export const deleteExpiredRejections = (ctx: Pick<Ctx, "db" | "now" | "run">): Promise<void> =>
  deleteExpired(
    ctx,
    licenseRejections,
    (limit) =>
      sql`select license_id, reason from ${licenseRejections} where ${licenseRejections.lastAt} <= ${addMs(ctx.now, -RETENTION_MS).getTime()} limit ${limit}`,
    sql`(license_id, reason)`,
  )
