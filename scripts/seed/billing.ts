// Demo billing: bank transfers are sold, one order waits for its money, and a coupon can be redeemed.
import { type Section, unlessDone } from "./seeder.ts"

/** Makes the settings, the order and the coupon. */
export const billing: Section = async (seeder) => {
  await seeder.operator("offline:settings", {
    enabled: true,
    label: "Bank transfer",
    instructions: "Transfer the amount to DE00 0000 0000 0000 0000 00 and name the order.",
  })
  await unlessDone(
    ({ code }) => code === "order_already_open",
    seeder.operator("orders:request", { store: "bloom", plan: "pro", note: "We would like to go on after the trial." }),
  )
  await seeder.operator("coupons:save", {
    code: "SPRING",
    description: "For those who met us at the fair",
    trial_days: 30,
  })
  return {}
}
