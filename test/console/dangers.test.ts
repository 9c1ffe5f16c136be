// What is dangerous asks again, by a table that has no path of nothing.
import { expect, test, vi } from "vitest"
import { makeReadyStore } from "../support/factories"
import { PASSWORD, signIn } from "./support"

/** The dangerous ones, from the decisions: whoever takes one out of the table takes it out of here. */
const DANGEROUS = (store: string) => [
  `/console/stores/${store}/delete`,
  `/console/stores/${store}/support`,
  "/console/orders/PO-000001/approve",
  "/console/keys",
  "/console/keys/1/revoke",
  "/console/webhooks",
  "/console/webhooks/1/rotate-secret",
  `/console/sites/${store}/tokens`,
  `/console/sites/${store}/settings/key`,
  "/console/license-keys",
  "/console/license-settings/keys",
  "/console/operators",
  "/console/operators/1/edit",
  "/console/operators/1/delete",
  "/console/account/passkeys",
  "/console/account/totp/delete",
  "/console/system/billing",
  "/console/system/cron",
]

test("ten minutes after the password each dangerous action asks again, and nothing else does", async () => {
  const start = Date.now()
  const admin = await signIn()
  const store = await makeReadyStore()
  const again = async (path: string) => (await admin.post(path)).text.includes('name="confirm_password"')
  for (const path of DANGEROUS(store)) expect([path, await again(path)]).toEqual([path, false])
  vi.useFakeTimers({ toFake: ["Date"], now: start + 11 * 60_000 })
  for (const path of DANGEROUS(store)) expect([path, await again(path)]).toEqual([path, true])
  for (const path of [`/console/stores/${store}/suspend`, "/console/coupons", "/console/stores"]) {
    expect([path, await again(path)]).toEqual([path, false])
  }
  // Asked once, it is done once: the form's key goes with it.
  const form = { name: "Key", scopes: "read", once: "01ABC" }
  expect((await admin.post("/console/keys", form)).text).toContain('name="once" value="01ABC"')
  const made = await admin.post("/console/keys", { ...form, confirm_password: PASSWORD })
  expect(made.text).toMatch(/tnk_/)
})
