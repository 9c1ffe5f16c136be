// Documents the API fields of coupons.
import { documentFields, UPDATED_SINCE } from "../../core/http/field-docs"
import { CouponResource, CreateCoupon, ListCoupons, UpdateCoupon } from "./schemas"

const changes = {
  description: { description: "Note for operators.", example: "Spring campaign" },
  trial_days: { description: "Days that the coupon adds to the trial.", example: 30 },
  plans: { description: "Slugs of the plans that the coupon applies to; null for all.", example: ["starter"] },
  max_redemptions: { description: "How often the coupon can be redeemed; null for no limit.", example: 100 },
  starts_at: { description: "When the coupon becomes valid; null for at once.", example: null },
  expires_at: { description: "When the coupon expires; null for never.", example: null },
  is_active: { description: "Whether the coupon can be redeemed." },
}

const code = { description: "Code that owners type at sign-up, in any case.", example: "SPRING30" }

documentFields(CouponResource, {
  ...changes,
  code,
  redemptions: { description: "How often the coupon was redeemed.", example: 12 },
})

documentFields(CreateCoupon, { ...changes, code })
documentFields(UpdateCoupon, changes)
documentFields(ListCoupons, { updated_since: UPDATED_SINCE })
