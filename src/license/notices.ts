// The events that a license's dates bring: each is told once, in the transaction that moves the license on to its next one.
import { and, asc, eq, lte, sql } from "drizzle-orm"
import { commit, LostRace } from "../core/commit"
import type { Ctx } from "../core/context"
import { named } from "../db/joined"
import { licenseProducts, licenses } from "../db/schema/central/licenses"
import { update } from "../db/write"
import { licenseEvent } from "./licenses/events"
import type { LicenseOfProduct } from "./licenses/schemas"
import { dueNotices, nextNoticeAt } from "./rules/notices"

/** Licenses that one run handles; the next run, a minute later, goes on. */
const BATCH = 40

/** Tells what is due. A blocked license is passed over in silence. */
export async function announceDates(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .select({ license: named(licenses), product: named(licenseProducts) })
    .from(licenses)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
    .where(lte(licenses.nextNoticeAt, ctx.now))
    .orderBy(asc(licenses.nextNoticeAt))
    .limit(BATCH)
  for (const found of due) {
    try {
      await announce(ctx, found)
    } catch (cause) {
      // Another run, or a change of its dates, was faster.
      if (!(cause instanceof LostRace)) throw cause
    }
  }
}

async function announce(ctx: Ctx, facts: LicenseOfProduct): Promise<void> {
  const { license } = facts
  const since = license.nextNoticeAt ?? ctx.now
  const notices = license.isValid ? dueNotices(license, since, ctx.now) : []
  await commit(ctx, {
    guard: update(licenses)
      .set({ nextNoticeAt: nextNoticeAt(license, ctx.now), revision: sql`${licenses.revision} + 1` })
      .where(and(eq(licenses.id, license.id), eq(licenses.revision, license.revision))),
    trail: [{ events: notices.map(({ event, ...data }) => licenseEvent(event, facts, data)) }],
  })
}
