// Marks one bank-transfer order as paid and rejects another.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { createStore, runCommand } from "../support/api.ts"
import { journey } from "../support/journey.ts"

journey("previews and marks an order as paid, and rejects another", async (context) => {
  const { page, goTo, press, follow, expectText, uniqueName } = context
  const store = await createStore(uniqueName, { plan: "starter", trial_days: 14 })
  const other = await createStore(`${uniqueName}x`, { plan: "starter", trial_days: 14 })
  const { reference } = await runCommand<{ reference: string }>("orders:request", { store, plan: "pro" })
  const refused = await runCommand<{ reference: string }>("orders:request", { store: other, plan: "pro" })
  await goTo("/console/orders?status=pending")
  await follow(reference)
  await expectText(W.orders.outcome)
  const number = (await page.locator("#approve code").textContent()) ?? ""
  expect(number).toMatch(/^INV-\d{4}-\d{6}$/)
  await follow(W.orders.approve)
  await expectText(number)
  await press(W.orders.approve)
  await expectText(W.notices.order_approved)
  await goTo(`/console/payments?store=${store}`)
  await page.getByRole("rowheader", { name: number }).waitFor()
  await goTo(`/console/orders/${refused.reference}`)
  await follow(W.orders.reject)
  await page.getByLabel(W.orders.reason).fill("The money never came.")
  await press(W.orders.reject)
  await expectText(W.notices.order_rejected)
  await expectText("The money never came.")
})
