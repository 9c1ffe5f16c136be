// Seeds four plans: three for sale and one for existing customers only.
import type { Section } from "./seeder.ts"

const ALL_FEATURES = { custom_domain: true, api_access: true, remove_branding: true }

const demoPlans = [
  {
    slug: "free",
    name: "Free",
    description: "Try it out with a small shop on a platform address.",
    price_cents: 0,
    trial_days: 0,
    limits: { products: 10, orders: 25, storage_mb: 100, staff_users: 1 },
    features: { custom_domain: false, api_access: false, remove_branding: false },
    apps: ["ecommerce", "contact"],
    themes: ["atelier", "nocturne"],
    is_active: true,
  },
  {
    slug: "starter",
    name: "Starter",
    description: "For a first real shop, with a domain of its own and every app.",
    price_cents: 1900,
    trial_days: 14,
    limits: { products: 250, orders: 500, storage_mb: 5_000, staff_users: 3 },
    features: { custom_domain: true, api_access: false, remove_branding: false },
    apps: null,
    themes: null,
    is_active: true,
  },
  {
    slug: "pro",
    name: "Pro",
    description: "For a business: API access, no branding, and no limit on products and orders.",
    price_cents: 7900,
    trial_days: 14,
    limits: { products: 0, orders: 0, storage_mb: 50_000, staff_users: 25 },
    features: ALL_FEATURES,
    apps: null,
    themes: null,
    is_active: true,
  },
  {
    slug: "legacy-2024",
    name: "Founders 2024",
    description: "The launch offer. No longer available to new customers.",
    price_cents: 2900,
    trial_days: 30,
    limits: { products: 1_000, orders: 0, storage_mb: 10_000, staff_users: 5 },
    features: ALL_FEATURES,
    apps: null,
    themes: null,
    is_active: false,
  },
]

/** What the stand-in for the payment provider knows a plan's price by. */
const getPriceField = (cents: number) => (cents > 0 ? { stripe_price: `price_demo_${cents}` } : {})

/** Saves the plans in display order. */
export const seedPlans: Section = async (seeder) => {
  for (const [index, plan] of demoPlans.entries()) {
    await seeder.operator("plans:save", {
      ...plan,
      ...getPriceField(plan.price_cents),
      currency: "USD",
      interval: "month",
      sort_order: index + 1,
    })
  }
  return {}
}
