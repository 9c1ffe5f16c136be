// Resuming a store whose subscription is not in order: the resolutions, their money, and who may choose them.
import { beforeEach, expect, test } from "vitest"
import { DAY } from "../../src/lib/time"
import { parsePostForms } from "../console/crawler"
import { signIn } from "../console/support"
import { platform, sendOperatorCommand } from "../support/app"
import { readHistory } from "../support/billing-factories"
import { makeKey } from "../support/factories"
import { rows } from "../support/rows"
import { clearHistory, makeSubscribedStore, setSubscription } from "../support/subscription-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const post = (id: string, action: string, json?: object) => platform("POST", `/stores/${id}/${action}`, { token, json })

/** A store that an operator suspended, with a subscription in a status. */
async function makeSuspendedStore(status: "active" | "past_due" | "suspended"): Promise<string> {
  const id = await makeSubscribedStore()
  await post(id, "suspend")
  const now = new Date()
  await setSubscription(id, { status, ...(status === "suspended" ? { suspendedAt: now } : { pastDueSince: now }) })
  await clearHistory()
  return id
}

test.each(["past_due", "suspended"] as const)(
  "books a payment with an invoice for a store that is %s",
  async (status) => {
    await sendOperatorCommand("tax:settings", { seller_name: "Tenancy GmbH" })
    const id = await makeSuspendedStore(status)
    const [first, second] = await Promise.all([
      post(id, "resume", { resolution: "mark_paid" }),
      post(id, "resume", { resolution: "mark_paid" }),
    ])
    expect([first.status, second.status].sort()).toEqual([200, 409])
    const { body } = await platform("GET", `/stores/${id}`, { token })
    expect(body.data).toMatchObject({ status: "ready", subscription: { status: "active", past_due_since: null } })
    const [invoice, ...others] = (await sendOperatorCommand("invoices:list", {})).body.data
    expect(others).toEqual([])
    const until = body.data.subscription.current_period_ends_at
    const { price_cents: price, name, slug } = body.data.subscription.plan
    expect(invoice).toMatchObject({ store: id, gross_cents: price, plan: name, method: "other", period: { to: until } })
    expect((await sendOperatorCommand("payments:list", {})).body.data).toMatchObject([
      { number: invoice.number, provider: "local", order: null, plan: slug, amount_cents: price },
    ])
    expect(await readHistory(id)).toEqual({
      events: ["store.resumed", "subscription.activated"],
      auditLog: ["resumed", "payment_received", "activated"],
      mails: ["receipt"],
    })
  },
)

test("starts a trial of the given days, or of the plan's, and opens the store", async () => {
  for (const [days, length] of [
    [30, 30],
    [undefined, 14],
  ]) {
    const id = await makeSuspendedStore("suspended")
    const { status, body } = await post(id, "resume", { resolution: "extend_trial", days })
    expect([status, body.data.status, body.data.subscription.status]).toEqual([200, "ready", "trialing"])
    const left = (Date.parse(body.data.subscription.trial_ends_at) - Date.now()) / DAY
    expect(Math.abs(left - (length ?? 0))).toBeLessThan(0.01)
    expect((await readHistory(id)).events).toEqual(["store.resumed", "subscription.extended"])
  }
})

test("leaves the subscription alone with `leave`, and without a resolution", async () => {
  for (const json of [undefined, { resolution: "leave" }]) {
    const id = await makeSuspendedStore("past_due")
    const { body } = await post(id, "resume", json)
    expect([body.data.status, body.data.subscription.status]).toEqual(["ready", "past_due"])
    expect((await readHistory(id)).events).toEqual(["store.resumed"])
  }
})

test("refuses a resolution of a subscription in order, of one billed by card, and of a free plan", async () => {
  const code = async (id: string, json: object) => (await post(id, "resume", json)).body.error?.code
  const inOrder = await makeSuspendedStore("active")
  expect(await code(inOrder, { resolution: "mark_paid" })).toBe("illegal_transition")
  expect(await code(inOrder, { resolution: "extend_trial" })).toBe("illegal_transition")
  expect(await code(inOrder, { resolution: "refund" })).toBe("validation_failed")
  const byCard = await makeSuspendedStore("past_due")
  await setSubscription(byCard, { provider: "stripe" })
  expect(await code(byCard, { resolution: "mark_paid" })).toBe("stripe_managed")
  const free = await makeSuspendedStore("suspended")
  await rows("update subscriptions set plan = json_set(plan, '$.price_cents', 0)")
  expect(await code(free, { resolution: "mark_paid" })).toBe("validation_failed")
  await rows("update subscriptions set plan = null where store_id = ?", free)
  expect(await code(free, { resolution: "mark_paid" })).toBe("no_plan")
  expect(await rows("select * from payments")).toEqual([])
})

test("asks in the console what happens to the subscription, and offers what the role may do", async () => {
  const id = await makeSuspendedStore("past_due")
  const path = `/console/stores/${id}/resume`
  const [admin, support] = [await signIn(), await signIn({ role: "support" })]
  const page = await admin.get(path)
  expect(page.text).toContain("What happens to it?")
  expect(parsePostForms(page.text).some(({ action }) => action === path)).toBe(false)
  for (const choice of ["extend_trial", "mark_paid", "leave"]) expect(page.text).toContain(`resolution=${choice}`)
  expect((await admin.post(path, {})).status).toBe(422)
  expect((await support.get(path)).text).not.toContain("resolution=mark_paid")
  expect((await support.get(`${path}?resolution=mark_paid`)).status).toBe(422)
  expect((await admin.confirm(path, { resolution: "mark_paid" })).status).toBe(303)
  expect(await rows("select status from subscriptions")).toEqual([{ status: "active" }])
  expect(await rows("select amount_cents from payments")).toHaveLength(1)
})
