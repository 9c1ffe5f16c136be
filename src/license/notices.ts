// The events that a license's dates bring: each is told once, in the transaction that moves the license on to its next one.
import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { forEachItem } from "../core/queue/for-each-item"
import { writeUnaudited, commit, WriteConflict } from "../core/write/commit"
import { named } from "../db/join-columns"
import { licenseProducts, licenses } from "../db/schema/central/licenses"
import { update } from "../db/write"
import { HOUR, later } from "../lib/time"
import { licenseEvent } from "./licenses/events"
import { NAMED_PRODUCT } from "./products/schemas"
import { dueNotices, nextNoticeAt } from "./rules/notices"

/** Licenses that one run handles; the next run, a minute later, goes on. */
const BATCH = 40

/** How long a license that failed waits; meanwhile it takes no other's place in a run. */
const RETRY_AFTER = HOUR

/** Tells what is due. A license that fails is logged and waits; it stops no other. */
export async function announceDates(ctx: Ctx): Promise<void> {
  // Only the ids: a row that cannot even be read is a fault of that row.
  const due = await ctx.db
    .select({ id: licenses.id })
    .from(licenses)
    .where(
      and(
        lte(licenses.nextNoticeAt, ctx.now),
        or(isNull(licenses.noticeFailedAt), lte(licenses.noticeFailedAt, later(ctx.now, -RETRY_AFTER))),
      ),
    )
    .orderBy(asc(licenses.noticeFailedAt), asc(licenses.nextNoticeAt))
    .limit(BATCH)
  const failed = await forEachItem(
    ctx,
    "license dates",
    due.map(({ id }) => id),
    (id) => announce(ctx, id).catch(unlessOutrun),
  )
  await forEachItem(ctx, "license dates", failed, (id) =>
    writeUnaudited(ctx, "when telling of the license's dates failed", [
      update(licenses).set({ noticeFailedAt: ctx.now }).where(eq(licenses.id, id)),
    ]),
  )
}

/** Another run, or a change of its dates, was faster: what is to be told is told by whoever was. */
function unlessOutrun(cause: unknown): void {
  if (!(cause instanceof WriteConflict)) throw cause
}

/** Tells what is due of one license. A blocked one is passed over in silence. */
async function announce(ctx: Ctx, id: number): Promise<void> {
  const [facts] = await ctx.db
    .select({ license: named(licenses), product: named(licenseProducts, NAMED_PRODUCT) })
    .from(licenses)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
    .where(eq(licenses.id, id))
  if (!facts) throw new Error("the license or its product is not there any more")
  const { license } = facts
  const since = license.nextNoticeAt
  if (!since || since > ctx.now) return
  const notices = license.isValid ? dueNotices(license, since, ctx.now) : []
  await commit(ctx, {
    guard: update(licenses)
      .set({
        nextNoticeAt: nextNoticeAt(license, ctx.now),
        noticeFailedAt: null,
        revision: sql`${licenses.revision} + 1`,
      })
      .where(and(eq(licenses.id, license.id), eq(licenses.revision, license.revision))),
    trail: notices.length
      ? [
          {
            audit: { subject: "license", deed: "announced", id, data: { events: notices.map(({ event }) => event) } },
            events: notices.map(({ event, ...data }) => licenseEvent(event, facts, data)),
          },
        ]
      : { auditSkipped: "nothing of it was due" },
  })
}
