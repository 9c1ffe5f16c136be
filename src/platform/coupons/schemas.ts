// Defines the inputs and the resource of coupons.
import * as z from "zod"
import { violates, prose } from "../../core/http/validation"
import type { coupons } from "../../db/schema/central/signups"
import { timestamp } from "../../lib/time"

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
  description: z.union([z.literal(""), prose({ max: 255 })]).default(""),
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
  starts_at: timestamp(coupon.startsAt),
  expires_at: timestamp(coupon.expiresAt),
  is_active: coupon.isActive,
  created_at: timestamp(coupon.createdAt),
  updated_at: timestamp(coupon.updatedAt),
})
