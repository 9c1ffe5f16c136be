// Demo billing: bank transfers are sold, one order waits for its money, and coupons can be redeemed.
import { ignoreIfDone, type Section } from "./seeder.ts"

const coupons = [
  { code: "SPRING", description: "For those who met us at the fair", trial_days: 30 },
  { code: "PRESS", description: "Journalists and reviewers", trial_days: 90, plans: ["pro"], max_redemptions: 20 },
  { code: "LAUNCH", description: "The first hundred", trial_days: 60, max_redemptions: 100, is_active: false },
]

/** Makes the settings, the order and the coupons. */
export const seedBilling: Section = async (seeder) => {
  await seeder.operator("offline:settings", {
    enabled: true,
    label: "Bank transfer",
    instructions: "Transfer the amount to DE00 0000 0000 0000 0000 00 and name the order.",
  })
  await ignoreIfDone(
    ({ code }) => code === "order_already_open",
    seeder.operator("orders:request", { store: "bloom", plan: "pro", note: "We would like to go on after the trial." }),
  )
  for (const coupon of coupons) await seeder.operator("coupons:save", coupon)
  return {}
}
