// Coupons: saved and listed by an operator, redeemed when a store is made, never more often than allowed.
import { and, asc, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { type Slice, WHOLE } from "../../core/list/page"
import { commit } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { coupons } from "../../db/schema/central/signups"
import { insert, update } from "../../db/write"
import { type Coupon, couponResource, type SaveCoupon } from "./schemas"

/** Creates the coupon, or replaces the one of that code; how often it was redeemed stays. */
export async function saveCoupon(ctx: Ctx, input: z.output<typeof SaveCoupon>): Promise<Coupon> {
  const values = {
    description: input.description,
    trialDays: input.trial_days,
    plans: input.plans,
    maxRedemptions: input.max_redemptions,
    startsAt: input.starts_at,
    expiresAt: input.expires_at,
    isActive: input.is_active,
    updatedAt: ctx.now,
  }
  const [before] = await selectCoupon(ctx.db, input.code)
  const [[coupon]] = await commit(ctx, {
    writes: [
      insert(coupons)
        .values({ code: input.code, redemptions: 0, createdAt: ctx.now, ...values })
        .onConflictDoUpdate({ target: coupons.code, set: values })
        .returning(),
    ],
    trail: [
      {
        audit: {
          subject: "coupon",
          id: input.code,
          deed: "saved",
          before: before ? couponResource(before) : null,
          after: { ...input },
        },
      },
    ],
  })
  if (!coupon) throw new Error("the coupon was not saved")
  return coupon
}

/** All coupons, by code. */
export const listCoupons = (ctx: Ctx, { limit, offset }: Slice = WHOLE): Promise<Coupon[]> =>
  ctx.db.select().from(coupons).orderBy(asc(coupons.code)).limit(limit).offset(offset)

/** The statement that finds a coupon by its code. */
export const selectCoupon = (db: CentralDatabase, code: string) =>
  db.select().from(coupons).where(eq(coupons.code, code))

/** Whether a coupon can be redeemed for a plan now. */
export const isRedeemable = (coupon: Coupon | undefined, plan: string, now: Date): coupon is Coupon =>
  coupon?.isActive === true &&
  (coupon.plans === null || coupon.plans.includes(plan)) &&
  (coupon.maxRedemptions === null || coupon.redemptions < coupon.maxRedemptions) &&
  (coupon.startsAt === null || coupon.startsAt <= now) &&
  (coupon.expiresAt === null || coupon.expiresAt > now)

/**
 * The update that redeems a coupon; it touches no row once there is nothing left to redeem.
 * @param also what else has to hold
 */
export const redemption = ({ code }: Coupon, now: Date, also: SQL) =>
  update(coupons)
    .set({ redemptions: sql`${coupons.redemptions} + 1` })
    .where(
      and(
        eq(coupons.code, code),
        eq(coupons.isActive, true),
        or(isNull(coupons.maxRedemptions), lt(coupons.redemptions, coupons.maxRedemptions)),
        or(isNull(coupons.startsAt), lte(coupons.startsAt, now)),
        or(isNull(coupons.expiresAt), gt(coupons.expiresAt, now)),
        also,
      ),
    )
