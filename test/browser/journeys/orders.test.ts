// The bank statement has come: one order is paid, another is not.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { command, makeStore } from "../support/api.ts"
import { journey } from "../support/journey.ts"

journey("approves an order after seeing what it comes to, and rejects another", async (walk) => {
  const { page, to, press, follow, sees, word } = walk
  const store = await makeStore(word, { plan: "starter", trial_days: 14 })
  const other = await makeStore(`${word}x`, { plan: "starter", trial_days: 14 })
  const { reference } = await command<{ reference: string }>("orders:request", { store, plan: "pro" })
  const refused = await command<{ reference: string }>("orders:request", { store: other, plan: "pro" })
  await to("/console/orders?status=pending")
  await follow(reference)
  await sees(W.orders.outcome)
  const number = (await page.locator("#approve code").textContent()) ?? ""
  expect(number).toMatch(/^INV-\d{4}-\d{6}$/)
  await press(W.orders.approve)
  await sees(W.notices.order_approved)
  await to(`/console/payments?store=${store}`)
  await page.getByRole("rowheader", { name: number }).waitFor()
  await to(`/console/orders/${refused.reference}`)
  await page.getByLabel(W.orders.reason).fill("The money never came.")
  await press(W.orders.reject)
  await sees(W.notices.order_rejected)
  await sees("The money never came.")
})
