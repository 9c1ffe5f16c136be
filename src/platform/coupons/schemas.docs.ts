// Documents the API fields of coupons.
import { documentFields, UPDATED_SINCE } from "../../core/http/field-docs"
import { CouponResource, CreateCoupon, ListCoupons, UpdateCoupon } from "./schemas"

const changes = {
  description: { description: "Note for operators.", example: "Spring campaign" },
  trial_days: {
    description: "Days that the coupon adds to the trial; null for none. A coupon without a discount needs some.",
    example: 30,
  },
  percent_off: {
    description: "Percentage off the price of each paid period; not together with `amount_off`.",
    example: 20,
  },
  amount_off: {
    description: "Amount off the price of each paid period, in the smallest unit of the plan's currency.",
    example: null,
  },
  months: {
    description:
      "The discount applies to paid periods that begin within this many months of the first one; null for all periods. Only with a discount.",
    example: 3,
  },
  plans: { description: "Slugs of the plans that the coupon applies to; null for all.", example: ["starter"] },
  max_redemptions: { description: "How often the coupon can be redeemed; null for no limit.", example: 100 },
  starts_at: { description: "When the coupon becomes valid; null for immediately.", example: null },
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
