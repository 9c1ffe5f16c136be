// Documents the API fields of plans.
import { documentFields, UPDATED_SINCE } from "../../core/http/field-docs"
import { CreatePlan, ListPlans, PlanResource, PlanTermsResource, UpdatePlan } from "./schemas"

const fields = {
  slug: { description: "Identifier of the plan in requests.", example: "starter" },
  name: { description: "Name for customers.", example: "Starter" },
  description: { description: "Short description for customers.", example: "For a first shop." },
  price_cents: {
    description: "Price per billing period in the currency's smallest unit, such as euro cents or yen.",
    example: 1900,
  },
  currency: { description: "ISO 4217 currency code.", example: "EUR" },
  interval: { description: "Length of a billing period." },
  trial_days: { description: "Length of the trial in days; 0 for no trial.", example: 14 },
  limits: {
    description: "Usage limits by name; 0 means unlimited.",
    example: { products: 100, orders: 500, storage_mb: 1024, staff_users: 3 },
  },
  features: {
    description:
      "Whether the plan includes each feature. `webhooks` is the number of webhook endpoints that a store's staff may create: 5 when absent, 0 for none.",
    example: { custom_domain: true, api_access: true, remove_branding: false },
  },
  apps: { description: "Slugs of the apps that the plan includes; null for all.", example: null },
  themes: { description: "Slugs of the themes that the plan includes; null for all.", example: null },
  is_active: { description: "Whether the plan can be assigned to stores." },
  sort_order: { description: "Position in lists, lowest first.", example: 1 },
}

documentFields(PlanResource, {
  ...fields,
  allows_custom_domain: { description: "Whether stores on this plan can attach custom domains." },
})

const { slug: _slug, ...changes } = fields
const stripe_price = {
  description: "Id of the card provider's price. It is never returned.",
  example: "price_1QZx2eKkLmNoPqRs",
}

documentFields(CreatePlan, { ...fields, stripe_price })
documentFields(UpdatePlan, { ...changes, stripe_price })

documentFields(PlanResource.shape.limits, {
  products: { description: "Products in the catalog." },
  orders: { description: "Orders per calendar month." },
  storage_mb: { description: "Stored files, in megabytes." },
  staff_users: { description: "Users with staff access." },
})

documentFields(
  PlanTermsResource,
  { taken_at: { description: "When the terms were copied from the plan." } },
  PlanResource,
)

documentFields(ListPlans, {
  include_inactive: { description: "Set to `true` to include plans that can no longer be assigned." },
  updated_since: UPDATED_SINCE,
})
