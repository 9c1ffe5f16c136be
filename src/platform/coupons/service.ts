// Saves and lists coupons, and redeems them when a store is created, up to their maximum number of redemptions.
import { and, asc, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { ALL_ROWS, type Slice } from "../../core/list/page"
import { commit, WriteConflict } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { coupons } from "../../db/schema/central/signups"
import { insert, update } from "../../db/write"
import { type Coupon, couponResource, type SaveCoupon } from "./schemas"

/**
 * Creates a coupon, or replaces the one with the same code without resetting its redemptions.
 * @param options `isNew`: refuse a code that is taken instead of replacing its coupon
 * @throws Refusal `validation_failed` for a new coupon with a code that is taken
 */
export async function saveCoupon(
  ctx: Ctx,
  input: z.output<typeof SaveCoupon>,
  options: { isNew: boolean } = { isNew: false },
): Promise<Coupon & { isNew: boolean }> {
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
  const row = insert(coupons).values({ code: input.code, redemptions: 0, createdAt: ctx.now, ...values })
  const [[existing], [coupon]] = await commit(ctx, {
    writes: [
      selectCoupon(ctx.db, input.code),
      (options.isNew ? row : row.onConflictDoUpdate({ target: coupons.code, set: values })).returning(),
    ],
    auditLog: [
      {
        audit: {
          subject: "coupon",
          id: input.code,
          action: "saved",
          before: before ? couponResource(before) : null,
          after: { ...input },
        },
      },
    ],
  }).catch((cause) => {
    throw options.isNew && cause instanceof WriteConflict ? invalid("code", "duplicate") : cause
  })
  if (!coupon) throw new Error("the coupon was not saved")
  return { ...coupon, isNew: existing === undefined }
}

/** Lists the coupons by code. */
export const listCoupons = (ctx: Ctx, { limit, offset }: Slice = ALL_ROWS): Promise<Coupon[]> =>
  ctx.db.select().from(coupons).orderBy(asc(coupons.code)).limit(limit).offset(offset)

/** @throws Refusal `not_found` */
export async function readCoupon(ctx: Ctx, code: string): Promise<Coupon> {
  const [coupon] = await selectCoupon(ctx.db, code)
  if (!coupon) throw new Refusal("not_found")
  return coupon
}

/** Selects a coupon by its code. */
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
 * Redeems a coupon. The update affects no row once the coupon is used up, inactive or expired.
 * @param condition a further condition
 */
export const redeemCoupon = ({ code }: Coupon, now: Date, condition: SQL) =>
  update(coupons)
    .set({ redemptions: sql`${coupons.redemptions} + 1` })
    .where(
      and(
        eq(coupons.code, code),
        eq(coupons.isActive, true),
        or(isNull(coupons.maxRedemptions), lt(coupons.redemptions, coupons.maxRedemptions)),
        or(isNull(coupons.startsAt), lte(coupons.startsAt, now)),
        or(isNull(coupons.expiresAt), gt(coupons.expiresAt, now)),
        condition,
      ),
    )
