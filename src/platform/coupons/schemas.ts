// The inputs and the resource of coupons.
import * as z from "zod"
import { pageQuery } from "../../core/http/pagination"
import { multilineText, timestampInput, violates, withLookups } from "../../core/http/validation"
import type { coupons } from "../../db/schema/central/signups"
import type { Complete, PublishedColumns } from "../../lib/every-field"
import { formatTimestamp } from "../../lib/time"

export type Coupon = typeof coupons.$inferSelect

/** A coupon code; case and surrounding spaces are ignored. */
export const CouponCode = z
  .string()
  .max(64)
  .transform((code) => code.trim().toUpperCase())
  .refine((code) => /^[A-Z0-9][A-Z0-9_-]{0,39}$/.test(code), violates("format"))
  .meta({ pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$" })

export const SaveCoupon = z.object({
  code: CouponCode,
  description: z.union([z.literal(""), multilineText({ max: 255 })]).default(""),
  // The column is not nullable.
  trial_days: z
    .int()
    .min(1)
    .max(365)
    .nullable()
    .default(null)
    .transform((days) => days ?? 0),
  percent_off: z.int().min(1).max(100).nullable().default(null),
  amount_off: z.int().min(1).max(1_000_000_000).nullable().default(null),
  months: z.int().min(1).max(120).nullable().default(null),
  plans: z.array(z.string().max(63)).max(100).nullable().default(null),
  max_redemptions: z.int().min(1).max(1_000_000_000).nullable().default(null),
  starts_at: timestampInput.nullable().default(null),
  expires_at: timestampInput.nullable().default(null),
  is_active: z.boolean().default(true),
})

const { shape } = SaveCoupon

export const CreateCoupon = withLookups(z.object({ ...shape }), "code")

export const UpdateCoupon = z.object({
  description: shape.description.unwrap().optional(),
  trial_days: z
    .int()
    .min(1)
    .max(365)
    .nullable()
    .transform((days) => days ?? 0)
    .optional(),
  percent_off: shape.percent_off.unwrap().optional(),
  amount_off: shape.amount_off.unwrap().optional(),
  months: shape.months.unwrap().optional(),
  plans: shape.plans.unwrap().optional(),
  max_redemptions: shape.max_redemptions.unwrap().optional(),
  starts_at: shape.starts_at.unwrap().optional(),
  expires_at: shape.expires_at.unwrap().optional(),
  is_active: shape.is_active.unwrap().optional(),
})

export const ListCoupons = z.object({ ...pageQuery, updated_since: timestampInput.optional() })

export const CouponResource = z
  .object({
    code: z.string(),
    description: z.string(),
    trial_days: z.int().nullable(),
    percent_off: z.int().nullable(),
    amount_off: z.int().nullable(),
    months: z.int().nullable(),
    plans: z.array(z.string()).nullable(),
    max_redemptions: z.int().nullable(),
    redemptions: z.int(),
    starts_at: z.string().nullable(),
    expires_at: z.string().nullable(),
    is_active: z.boolean(),
    created_at: z.string(),
    updated_at: z.string(),
  } satisfies PublishedColumns<Coupon, never>)
  .meta({ id: "Coupon" })

export const couponResource = (coupon: Coupon): Complete<z.input<typeof CouponResource>> => ({
  code: coupon.code,
  description: coupon.description,
  trial_days: coupon.trialDays || null,
  percent_off: coupon.percentOff,
  amount_off: coupon.amountOff,
  months: coupon.months,
  plans: coupon.plans,
  max_redemptions: coupon.maxRedemptions,
  redemptions: coupon.redemptions,
  starts_at: formatTimestamp(coupon.startsAt),
  expires_at: formatTimestamp(coupon.expiresAt),
  is_active: coupon.isActive,
  created_at: formatTimestamp(coupon.createdAt),
  updated_at: formatTimestamp(coupon.updatedAt),
})
