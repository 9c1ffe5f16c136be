// The inputs and the resource of coupons.
import * as z from "zod"
import { multilineText, violates } from "../../core/http/validation"
import type { coupons } from "../../db/schema/central/signups"
import { formatTimestamp } from "../../lib/time"

export type Coupon = typeof coupons.$inferSelect

/** A coupon code; case and surrounding spaces are ignored. */
export const CouponCode = z
  .string()
  .max(64)
  .transform((code) => code.trim().toUpperCase())
  .refine((code) => /^[A-Z0-9][A-Z0-9_-]{0,39}$/.test(code), violates("format"))

const timestampInput = z
  .string()
  .refine((value) => z.iso.datetime({ offset: true }).safeParse(value).success, { ...violates("date"), abort: true })
  .transform((value) => new Date(value))

export const SaveCoupon = z.object({
  code: CouponCode,
  description: z.union([z.literal(""), multilineText({ max: 255 })]).default(""),
  trial_days: z.int().min(1).max(365),
  plans: z.array(z.string().max(63)).max(100).nullable().default(null),
  max_redemptions: z.int().min(1).max(1_000_000_000).nullable().default(null),
  starts_at: timestampInput.nullable().default(null),
  expires_at: timestampInput.nullable().default(null),
  is_active: z.boolean().default(true),
})

export const couponResource = (coupon: Coupon) => ({
  code: coupon.code,
  description: coupon.description,
  trial_days: coupon.trialDays,
  plans: coupon.plans,
  max_redemptions: coupon.maxRedemptions,
  redemptions: coupon.redemptions,
  starts_at: formatTimestamp(coupon.startsAt),
  expires_at: formatTimestamp(coupon.expiresAt),
  is_active: coupon.isActive,
  created_at: formatTimestamp(coupon.createdAt),
  updated_at: formatTimestamp(coupon.updatedAt),
})
