// Seeds billing: the seller on invoices, bank transfer settings, a pending order and coupons.
import { ignoreIfDone, type Section } from "./seeder.ts"

const coupons = [
  { code: "SPRING30", description: "Trade fair visitors", trial_days: 30 },
  { code: "PRESS", description: "Journalists and reviewers", trial_days: 90, plans: ["pro"], max_redemptions: 20 },
  { code: "LAUNCH", description: "First hundred customers", trial_days: 60, max_redemptions: 100, is_active: false },
]

/** Saves the seller. The first invoices are those of the history, so it comes before. */
export const seedSeller: Section = async (seeder) => {
  await seeder.operator("tax:settings", {
    seller_name: "Tenancy Demo GmbH",
    seller_address: "Hauptstr. 1\n10115 Berlin",
    seller_country: "DE",
    seller_tax_number: "DE123456789",
  })
  return {}
}

/** Creates the settings, the order and the coupons. */
export const seedBilling: Section = async (seeder) => {
  await seeder.operator("offline:settings", {
    enabled: true,
    label: "Bank transfer",
    instructions: "Transfer the amount to DE00 0000 0000 0000 0000 00 and quote the order number.",
  })
  await ignoreIfDone(
    ({ code }) => code === "order_already_open",
    seeder.operator("orders:request", {
      store: "bloom",
      plan: "pro",
      note: "We would like to continue after the trial.",
    }),
  )
  for (const coupon of coupons) await seeder.operator("coupons:save", coupon)
  return {}
}
