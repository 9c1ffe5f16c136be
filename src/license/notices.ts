// Emits events when licenses and their update periods are about to end or have ended. Each event is sent exactly once:
// the transaction that stores it also advances `next_notice_at`.
import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { forEachItem } from "../core/queue/for-each-item"
import { commit, WriteConflict, writeUnaudited } from "../core/write/commit"
import type { EventDraft } from "../core/write/events"
import { aliasedColumns } from "../db/join-columns"
import { licenseProducts, licenses } from "../db/schema/central/licenses"
import { update } from "../db/write"
import { addMs, HOUR } from "../lib/time"
import { licenseResource } from "./licenses/schemas"
import { PRODUCT_SUMMARY_COLUMNS } from "./products/schemas"
import { getDueNotices, getNextNoticeAt, type Notice } from "./rules/notices"

/** Licenses per run. The next run, a minute later, handles the rest. */
const BATCH_SIZE = 40

/** Delay before a failed license is retried, so that it does not take another license's place in every run. */
const RETRY_AFTER = HOUR

/** Emits all due events. A license that fails is logged and retried later; it does not block the others. */
export async function sendLicenseNotices(ctx: Ctx): Promise<void> {
  // Only ids are selected: an unreadable row must fail alone, not the whole batch.
  const due = await ctx.db
    .select({ id: licenses.id })
    .from(licenses)
    .where(
      and(
        lte(licenses.nextNoticeAt, ctx.now),
        or(isNull(licenses.noticeFailedAt), lte(licenses.noticeFailedAt, addMs(ctx.now, -RETRY_AFTER))),
      ),
    )
    .orderBy(asc(licenses.noticeFailedAt), asc(licenses.nextNoticeAt))
    .limit(BATCH_SIZE)
  const failed = await forEachItem(
    ctx,
    "license-notices",
    due.map(({ id }) => id),
    (id) => sendNotices(ctx, id).catch(ignoreConflict),
  )
  if (!failed.length) return
  const ids = sql`(select value from json_each(${JSON.stringify(failed)}))`
  await writeUnaudited(ctx, "progress", [
    update(licenses).set({ noticeFailedAt: ctx.now }).where(inArray(licenses.id, ids)),
  ])
}

/** Another run, or an update of the license, won the race and takes care of the notices. */
function ignoreConflict(cause: unknown): void {
  if (!(cause instanceof WriteConflict)) throw cause
}

/** Emits the due events of one license. A blocked license emits none. */
async function sendNotices(ctx: Ctx, id: number): Promise<void> {
  const [facts] = await ctx.db
    .select({ license: aliasedColumns(licenses), product: aliasedColumns(licenseProducts, PRODUCT_SUMMARY_COLUMNS) })
    .from(licenses)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
    .where(eq(licenses.id, id))
  if (!facts) throw new Error("the license or its product no longer exists")
  const { license } = facts
  const since = license.nextNoticeAt
  if (!since || since > ctx.now) return
  const notices = license.isValid ? getDueNotices(license, since, ctx.now) : []
  await commit(ctx, {
    guard: update(licenses)
      .set({
        nextNoticeAt: getNextNoticeAt(license, ctx.now),
        noticeFailedAt: null,
        revision: sql`${licenses.revision} + 1`,
      })
      .where(and(eq(licenses.id, license.id), eq(licenses.revision, license.revision))),
    auditLog: notices.length
      ? [
          {
            audit: { subject: "license", action: "announced", id, data: { events: notices.map(({ event }) => event) } },
            events: notices.map((notice) => buildEvent(licenseResource(facts), notice)),
          },
        ]
      : { auditSkipped: "progress" },
  })
}

const buildEvent = (license: object, notice: Notice): EventDraft =>
  notice.event === "license.expiring"
    ? { type: notice.event, data: { license, days: notice.days } }
    : { type: notice.event, data: { license } }
