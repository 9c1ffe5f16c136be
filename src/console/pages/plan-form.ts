// The form of a plan: the price in units of its currency, and a box for each unlimited limit.
import * as z from "zod"
import { type FieldErrors, Refusal } from "../../core/http/refusal"
import { parseAmount } from "../../lib/intl"
import type { FEATURES } from "../../platform/plans/features"
import { SavePlanInput } from "../../platform/plans/schemas"

export const LIMITS = ["products", "orders", "storage_mb", "staff_users"] as const

const { price_cents: _, ...fields } = SavePlanInput.shape

const limit = z.int().min(0).nullish()
const box = z.boolean().optional()

export const PlanForm = z.object({
  ...fields,
  description: fields.description.default(""),
  trial_days: fields.trial_days.default(0),
  features: z
    .object({
      custom_domain: z.boolean().default(false),
      api_access: z.boolean().default(false),
      remove_branding: z.boolean().default(false),
      webhooks: fields.features.shape.webhooks,
    } satisfies Record<keyof typeof FEATURES | "webhooks", z.ZodType>)
    .prefault({}),
  price: z.string().trim().min(1).max(20),
  limits: z.object({ products: limit, orders: limit, storage_mb: limit, staff_users: limit }),
  unlimited: z.object({ products: box, orders: box, storage_mb: box, staff_users: box }).prefault({}),
  /** Saves a plan although the card provider charges another price. */
  confirm_price: box,
})

/**
 * Converts the form to the input that saves the plan.
 * @throws Refusal `validation_failed` for a price with more decimals than its currency has, and for a limit of 0, which
 *   would mean unlimited, without the box that says so
 */
export function toPlanInput(form: z.output<typeof PlanForm>): z.output<typeof SavePlanInput> {
  const { price, limits, unlimited, confirm_price: _, ...values } = form
  const errors: FieldErrors = {}
  const price_cents = parseAmount(price, values.currency)
  if (price_cents === null) errors.price = [{ rule: "format" }]
  const stored = { products: 0, orders: 0, storage_mb: 0, staff_users: 0 }
  for (const name of LIMITS) {
    if (unlimited[name]) continue
    stored[name] = limits[name] ?? 0
    if (stored[name] === 0) errors[`limits.${name}`] = [{ rule: "min_value", facts: { min: 1 } }]
  }
  if (Object.keys(errors).length) throw new Refusal("validation_failed", { fields: errors })
  return { ...values, price_cents: price_cents ?? 0, limits: stored }
}
