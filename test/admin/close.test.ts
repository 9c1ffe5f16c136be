import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { PASSWORD } from "../support/content-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { setSubscription } from "../support/subscription-factories"
import { signInToAdmin } from "./support"

test("closes the shop with its name and the owner's password, and says when its data is deleted", async () => {
  const plan = await makePlan()
  const store = await makeReadyStore({ plan: plan.slug, name: "Harbor Tea" })
  const [owner, admin] = [await signInToAdmin(store), await signInToAdmin(store, "admin")]
  expect((await owner.get("/admin/settings")).text).toContain('href="/admin/close"')
  expect((await admin.get("/admin/settings")).text).not.toContain("/admin/close")
  expect((await admin.get("/admin/close")).status).toBe(403)
  const right = { name: "Harbor Tea", password: PASSWORD }
  expect((await admin.post("/admin/close", right)).status).toBe(403)
  const page = await owner.get("/admin/close")
  expect(page.text).toContain("Close Harbor Tea?")
  expect(page.text).toContain("are deleted for good")
  for (const [fields, ids] of [
    [{ ...right, name: "harbor" }, ["name"]],
    [{ ...right, password: "wrong" }, ["password"]],
    [{ name: "", password: "" }, ["name", "password"]],
  ] as const) {
    const refused = await owner.post("/admin/close", fields)
    expect(refused.status).toBe(422)
    for (const id of ids) expect(refused.text, id).toContain(`id="${id}-error"`)
    expect(refused.text).not.toContain('value="wrong"')
  }
  const status = async () => (await rows("select status from subscriptions where store_id = ?", store))[0]?.status
  expect(await status()).not.toBe("cancelled")
  const closed = await owner.post("/admin/close", right)
  expect(closed.headers.get("Location")).toBe("/admin?done=shop_closed")
  expect(await status()).toBe("cancelled")
  const home = await owner.get("/admin")
  expect(home.text).toMatch(/This shop was closed on .+ Its data is deleted on .+Go to billing/s)
  expect((await admin.get("/admin")).text).not.toContain("Go to billing")
  expect((await owner.post("/admin/close", right)).status).toBe(503)
  const entries = await rows("select actor_id from audit_entries where type = 'cancelled'")
  expect(entries).toEqual([{ actor_id: owner.user.id }])
})

test("leads to billing instead of closing a shop that pays by card", async () => {
  const store = await makeReadyStore({ plan: (await makePlan()).slug })
  const owner = await signInToAdmin(store)
  await setSubscription(store, { provider: "stripe" })
  const { text } = await owner.get("/admin/close")
  expect(text).toContain('href="/billing#plans"')
  expect(text).not.toContain('action="/admin/close"')
})

test("says the reason that an operator gave for closing the shop", async () => {
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  const suspend = (reason: string) =>
    env.DB.prepare(
      "update stores set status = 'suspended', operator_suspended_at = ?, suspension_reason = ? where id = ?",
    )
      .bind(Date.UTC(2026, 0, 2), reason, store)
      .run()
  await suspend("Counterfeit <goods>")
  const { text } = await owner.get("/admin")
  expect(text).toContain('closed this shop on <time datetime="2026-01-02T00:00:00.000Z"')
  expect(text).toContain("Reason: Counterfeit &lt;goods&gt;. ")
  await suspend("Fraud (see our email.)")
  expect((await owner.get("/admin")).text).toContain("Reason: Fraud (see our email.) ")
})
