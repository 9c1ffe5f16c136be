// Bank-transfer orders from the request to the receipt, with gapless numbers under concurrency.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { longDate, money } from "../../src/lib/intl"
import { addMs, DAY, formatTimestamp } from "../../src/lib/time"
import { approveOrder, withdrawOrder } from "../../src/platform/orders/service"
import { cron, platform, run, sendOperatorCommand } from "../support/app"
import { collectSentMails, readHistory, runClockAt } from "../support/billing-factories"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { rows } from "../support/rows"
import {
  clearHistory,
  listEventPayloads,
  makeSubscribedStore,
  setSubscription,
} from "../support/subscription-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
  await sendOperatorCommand("offline:settings", { enabled: "true", label: "Transfer", instructions: "IBAN XX00" })
})

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const request = (store: string, plan: string, note?: string) =>
  sendOperatorCommand("orders:request", { store, plan, note })
const approve = (reference: string) => sendOperatorCommand("orders:approve", { reference })
const codeOf = (response: { status: number; body: { error?: { code: string } } }) => [
  response.status,
  response.body.error?.code,
]

describe("offline:settings", () => {
  test("returns the bank-transfer settings and their defaults", async () => {
    await env.DB.exec("delete from settings")
    const defaults = { enabled: false, label: "Bank transfer", instructions: "", receipt_prefix: "INV" }
    expect((await sendOperatorCommand("offline:settings")).body.data).toEqual(defaults)
    const changed = await sendOperatorCommand("offline:settings", { enabled: true, receipt_prefix: "RE" })
    expect(changed.body.data).toEqual({ ...defaults, enabled: true, receipt_prefix: "RE" })
    expect((await sendOperatorCommand("offline:settings", { receipt_prefix: "no spaces" })).status).toBe(422)
  })

  test("locks only the receipt prefix with the first receipt", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    await sendOperatorCommand("offline:settings", { receipt_prefix: "RE" })
    const { reference } = (await request(id, slug)).body.data
    await sendOperatorCommand("offline:settings", { receipt_prefix: "AB" })
    const year = new Date().getUTCFullYear()
    expect((await approve(reference)).body.data.number).toBe(`AB-${year}-000001`)
    expect(codeOf(await sendOperatorCommand("offline:settings", { receipt_prefix: "CD" }))).toEqual([
      409,
      "prefix_locked",
    ])
    const response = await sendOperatorCommand("offline:settings", { receipt_prefix: "AB", label: "Wire" })
    expect(response.body.data).toMatchObject({ receipt_prefix: "AB", label: "Wire" })
  })

  test("preserves a concurrent change when saving settings, including its locked prefix", async () => {
    const { slug } = await makePlan()
    const { reference } = (await request(await makeReadyStore(), slug)).body.data
    const spy = interceptRoundTrips(async (send, statements) => {
      if (statements.some((text) => text.startsWith('insert into "settings"'))) {
        spy.mockRestore()
        await sendOperatorCommand("offline:settings", { enabled: false, receipt_prefix: "ACME" })
        await approve(reference)
      }
      return send()
    })
    const late = await sendOperatorCommand("offline:settings", { label: "Wire" })
    expect(late.body.data).toMatchObject({ enabled: false, label: "Wire", receipt_prefix: "ACME" })
    expect((await sendOperatorCommand("offline:settings")).body.data).toEqual(late.body.data)
  })

  test("refuses a new prefix while the first receipt is issued concurrently", async () => {
    const { slug } = await makePlan()
    const { reference } = (await request(await makeReadyStore(), slug)).body.data
    const spy = interceptRoundTrips(async (send, statements) => {
      if (statements.some((text) => text.startsWith('insert into "settings"'))) {
        spy.mockRestore()
        await approve(reference)
      }
      return send()
    })
    expect(codeOf(await sendOperatorCommand("offline:settings", { receipt_prefix: "AB" }))).toEqual([
      409,
      "prefix_locked",
    ])
  })
})

describe("requests", () => {
  test("stores the current price of an order, sends order.requested, and entitles to nothing", async () => {
    const { slug } = await makePlan({ price_cents: 4900 })
    const id = await makeReadyStore()
    await clearHistory()
    const response = await request(id, slug, "PO 17")
    expect(response.body.data).toEqual({
      reference: "PO-000001",
      status: "pending",
      plan: slug,
      amount_cents: 4900,
      currency: "EUR",
      note: "PO 17",
      reason: null,
      number: null,
      created_at: expect.any(String),
      paid_at: null,
      store: id,
    })
    expect((await read(id)).subscription).toBeNull()
    const { store: _, ...order } = response.body.data
    const [event] = await listEventPayloads(id)
    const present = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null))
    expect([event.type, event.data.order]).toEqual(["order.requested", present])
    const auditLog = (await platform("GET", `/stores/${id}/events`, { token })).body.data
    expect(auditLog[0]).toMatchObject({ type: "order_requested", data: { order: "PO-000001", plan: slug } })
  })

  test("refuses an order when disabled, with another one open, for card customers, and for plans that cannot be ordered", async () => {
    const { slug } = await makePlan()
    const free = await makePlan({ price_cents: 0 })
    const retired = await makePlan({ is_active: false })
    const id = await makeReadyStore()
    for (const plan of ["nothing", free.slug, retired.slug]) {
      const response = await request(id, plan)
      expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ["plan"]])
    }
    await request(id, slug)
    expect(codeOf(await request(id, slug))).toEqual([409, "order_already_open"])
    const cardStore = await makeSubscribedStore({ provider: "stripe" })
    expect(codeOf(await request(cardStore, slug))).toEqual([409, "stripe_managed"])
    expect(codeOf(await request("nobody", slug))).toEqual([404, "not_found"])
    expect((await request(id, slug, "x".repeat(501))).status).toBe(422)
    await sendOperatorCommand("offline:settings", { enabled: "false" })
    expect(codeOf(await request(await makeReadyStore(), slug))).toEqual([409, "offline_disabled"])
  })

  test("creates one order with one number from ten concurrent requests", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const responses = await Promise.all(Array.from({ length: 10 }, () => request(id, slug)))
    expect(responses.map((response) => response.status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await rows("select value from sequences")).toEqual([{ value: 1 }])
  })
})

describe("approvals", () => {
  /** Approves an order of a store in the given state, for its current plan or another one. */
  async function approveOrderOf(state: Parameters<typeof setSubscription>[1] | null, same: boolean) {
    const { slug } = await makePlan({ price_cents: 4900, trial_days: 14 })
    const id = state ? await makeSubscribedStore(state) : await makeReadyStore()
    const current = state && (await read(id)).subscription.plan.slug
    const closed = state?.status === "suspended" || state?.status === "cancelled"
    if (closed) await env.DB.prepare("update stores set status = ? where id = ?").bind(state.status, id).run()
    const { reference } = (await request(id, same && current ? current : slug)).body.data
    await clearHistory()
    const response = await approve(reference)
    expect(response.status).toBe(200)
    return { id, paid: new Date(response.body.data.paid_at), now: await read(id), history: await readHistory(id) }
  }

  const addMonth = (from: Date) => {
    const end = new Date(from)
    end.setUTCMonth(end.getUTCMonth() + 1)
    return formatTimestamp(end)
  }

  test.each([
    ["none", null, "assigned"],
    ["suspended", { status: "suspended", suspendedAt: new Date() }, "assigned"],
    ["cancelled", { status: "cancelled", cancelledAt: new Date() }, "assigned"],
  ] as const)(
    "assigns the ordered plan without a trial and opens the store when its subscription is %s",
    async (_, state, type) => {
      const { paid, now, history } = await approveOrderOf(state && { ...state }, false)
      expect(now).toMatchObject({
        status: "ready",
        subscription: {
          status: "active",
          trial_ends_at: null,
          plan: { price_cents: 4900 },
          cancelled_at: null,
          suspended_at: null,
        },
      })
      expect(Date.parse(now.subscription.current_period_ends_at) - Date.parse(addMonth(paid))).toBeLessThan(3 * DAY)
      expect(history).toEqual({
        events: ["order.paid", `subscription.${type}`],
        auditLog: ["order_paid", type],
        mails: ["receipt"],
      })
    },
  )

  test("changes the plan for the rest of the paid period for an order of a larger plan", async () => {
    const end = addMs(new Date(), 300 * DAY)
    const { history, now } = await approveOrderOf({ currentPeriodEndsAt: end }, false)
    expect(history.events).toEqual(["order.paid", "subscription.plan_changed"])
    expect(now.subscription.current_period_ends_at).toBe(formatTimestamp(end))
  })

  test("extends the same plan from the end of its period, or from now if that has passed, and ends a trial", async () => {
    const end = new Date("2030-01-31T12:00:00Z")
    const ahead = await approveOrderOf({ currentPeriodEndsAt: end }, true)
    expect(ahead.now.subscription.current_period_ends_at).toBe("2030-02-28T12:00:00+00:00")
    expect(ahead.history.events).toEqual(["order.paid", "subscription.extended"])
    const past = addMs(new Date(), -3 * DAY)
    const due = await approveOrderOf({ status: "past_due", pastDueSince: past, currentPeriodEndsAt: past }, true)
    expect(due.now.subscription).toMatchObject({ status: "active", past_due_since: null })
    expect(Date.parse(due.now.subscription.current_period_ends_at)).toBeGreaterThan(Date.now() + 27 * DAY)
    expect(due.history.events).toEqual(["order.paid", "subscription.activated"])
    const trial = await approveOrderOf({ status: "trialing", trialEndsAt: addMs(new Date(), 10 * DAY) }, true)
    expect(trial.now.subscription.status).toBe("active")
    expect(Date.parse(trial.now.subscription.trial_ends_at)).toBeLessThanOrEqual(Date.now())
    expect(trial.history.events).toEqual(["order.paid", "subscription.activated"])
  })

  test("issues a numbered invoice in the mail, the ledger, the audit log and the event", async () => {
    const { slug } = await makePlan({ price_cents: 4900 })
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await clearHistory()
    const number = `INV-${new Date().getUTCFullYear()}-000001`
    expect((await approve(reference)).body.data).toMatchObject({ status: "paid", number, paid_at: expect.any(String) })
    const [event, assigned] = await listEventPayloads(id)
    expect(event.data.order).toMatchObject({ reference, number, status: "paid" })
    expect(event.data.subscription.status).toBe("active")
    expect(assigned.meta.log.data).toMatchObject({ order: reference, plan: slug })
    const auditLog = (await platform("GET", `/stores/${id}/events`, { token })).body.data
    expect(auditLog[1]).toMatchObject({ type: "order_paid", data: { order: reference, number } })
    expect((await sendOperatorCommand("payments:list", { store: id })).body.data).toEqual([
      {
        id: 1,
        store: id,
        provider: "local",
        number,
        order: reference,
        plan: slug,
        amount_cents: 4900,
        currency: "EUR",
        paid_at: expect.any(String),
      },
    ])
    const [mail] = await collectSentMails()
    expect([mail?.subject, mail?.text.includes("€49.00")]).toEqual([`Invoice ${number}`, true])
  })

  test("refuses to approve orders that are not pending, unknown, of an inactive plan, or of a store that is not ready", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await makePlan({ slug, is_active: false })
    expect(Object.keys((await approve(reference)).body.errors)).toEqual(["plan"])
    await makePlan({ slug })
    expect((await approve(reference)).status).toBe(200)
    expect(codeOf(await approve(reference))).toEqual([409, "order_not_pending"])
    expect(codeOf(await approve("PO-999999"))).toEqual([404, "not_found"])
    const pending = await makeStore()
    const second = (await request(pending, slug)).body.data
    expect(codeOf(await approve(second.reference))).toEqual([409, "not_provisioned"])
    expect(await rows("select value from sequences where name like 'receipts:%'")).toEqual([{ value: 1 }])
  })

  test("does not open a store that an operator closed", async () => {
    const { slug } = await makePlan()
    const id = await makeSubscribedStore({ status: "suspended", suspendedAt: new Date() })
    const { reference } = (await request(id, slug)).body.data
    await env.DB.prepare("update stores set status = 'suspended', operator_suspended_at = 1 where id = ?")
      .bind(id)
      .run()
    expect((await approve(reference)).status).toBe(200)
    const store = await read(id)
    expect([store.status, store.subscription.status]).toEqual(["suspended", "active"])
  })

  test("does not approve an order that is withdrawn at the same moment", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    const spy = interceptRoundTrips(async (send, statements) => {
      if (statements.some((text) => text.startsWith('insert into "audit_entries"'))) {
        spy.mockRestore()
        await run((ctx) => withdrawOrder(ctx, id, reference))
      }
      return send()
    })
    expect(codeOf(await approve(reference))).toEqual([409, "order_not_pending"])
    expect(await rows("select id from payments")).toEqual([])
  })

  test("approves each of 24 orders once in 80 concurrent attempts over New Year, with gapless numbers per year", async () => {
    const { slug } = await makePlan()
    const references: string[] = []
    for (let n = 0; n < 24; n++) references.push((await request(await makeReadyStore(), slug)).body.data.reference)
    const eve = new Date("2027-12-31T23:59:59Z")
    const outcomes = await Promise.allSettled(
      Array.from({ length: 80 }, (_, n) =>
        run((ctx) => approveOrder(ctx, { reference: references[n % 24] ?? "" }), { now: addMs(eve, (n % 4) * 500) }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(24)
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "order_not_pending" })
    }
    const numbers = (await rows("select number from orders order by number")).map((row) => String(row.number))
    expect(new Set(numbers).size).toBe(24)
    for (const year of ["2027", "2028"]) {
      const ofYear = numbers.filter((number) => number.startsWith(`INV-${year}-`))
      expect(ofYear.length).toBeGreaterThan(0)
      expect(ofYear).toEqual(ofYear.map((_, n) => `INV-${year}-${String(n + 1).padStart(6, "0")}`))
    }
    const paid = await rows("select count(*) as n from webhook_events where type = 'order.paid'")
    expect([paid[0]?.n, (await rows("select id from payments")).length]).toEqual([24, 24])
  })
})

describe("orders that are not paid", () => {
  test("rejects an order with a reason, mails it unchanged, and uses no receipt number", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await clearHistory()
    expect((await sendOperatorCommand("orders:reject", { reference })).status).toBe(422)
    expect((await sendOperatorCommand("orders:reject", { reference, reason: "x".repeat(501) })).status).toBe(422)
    const reason = "No transfer <b>of</b> that amount arrived."
    const response = await sendOperatorCommand("orders:reject", { reference, reason })
    expect(response.body.data).toMatchObject({ status: "rejected", reason, number: null })
    expect(codeOf(await sendOperatorCommand("orders:reject", { reference, reason }))).toEqual([
      409,
      "order_not_pending",
    ])
    expect(codeOf(await approve(reference))).toEqual([409, "order_not_pending"])
    expect((await listEventPayloads(id)).map((event) => [event.type, event.data.order.reason])).toEqual([
      ["order.rejected", reason],
    ])
    const [mail] = await collectSentMails()
    expect(mail?.text).toContain(reason)
    expect(mail?.html).toContain("&lt;b&gt;")
    expect((await request(id, slug)).body.data.reference).toBe("PO-000002")
  })

  test.each([
    ["en", "The order was for A store: Plan large plan, 1 year, €29.00.", "Reason: No money."],
    ["es", "El pedido era para A store: plan Plan large, 1 año, 29,00 €.", "Motivo: No money."],
    ["fr", "La commande portait sur A store : forfait Plan large, 1 an, 29,00 €.", "Motif : No money."],
    ["vi", "Đơn này dành cho A store: gói Plan large, 1 năm, 29,00 €.", "Lý do: No money."],
  ])("mails the store, plan, period, amount and reason of a rejected order in %s", async (language, terms, reason) => {
    await makePlan({ slug: "large", name: "Plan large", price_cents: 2900, interval: "year" })
    const id = await makeReadyStore()
    await sendOperatorCommand("site:settings", { site: id, language })
    const { reference } = (await request(id, "large")).body.data
    await clearHistory()
    await sendOperatorCommand("orders:reject", { reference, reason: "No money." })
    const [mail] = await collectSentMails()
    expect(mail?.text.replaceAll("\u00a0", " ").split("\n\n")).toEqual(expect.arrayContaining([terms, reason]))
  })

  test("mails until when a rejected order for the rest of a period would have paid", async () => {
    await makePlan({ slug: "small", name: "Small", price_cents: 1000 })
    await makePlan({ slug: "large", name: "Large", price_cents: 3000 })
    const id = await makeReadyStore({ plan: "small" })
    const end = addMs(new Date(), 15 * DAY)
    await setSubscription(id, { currentPeriodEndsAt: end })
    const { reference, amount_cents: cents } = (await request(id, "large")).body.data
    expect(await rows("select kind from orders")).toEqual([{ kind: "difference" }])
    await clearHistory()
    await sendOperatorCommand("orders:reject", { reference, reason: "No money." })
    const [mail] = await collectSentMails()
    expect(mail?.text).toContain(
      `The order was for A store: Large plan until ${longDate(end, "en")}, ${money(cents, "EUR", "en")}.`,
    )
    expect(mail?.text.match(/The order was for/g)).toHaveLength(1)
  })

  test("withdraws an order only for its own store, with an audit entry and without an event", async () => {
    const { slug } = await makePlan()
    const [id, other] = [await makeReadyStore(), await makeReadyStore()]
    const { reference } = (await request(id, slug)).body.data
    await clearHistory()
    await expect(run((ctx) => withdrawOrder(ctx, other, reference))).rejects.toMatchObject({ code: "not_found" })
    await run((ctx) => withdrawOrder(ctx, id, reference))
    expect(await readHistory(id)).toEqual({ events: [], auditLog: ["order_withdrawn"], mails: [] })
    expect((await sendOperatorCommand("orders:list", { status: "withdrawn" })).body.data).toHaveLength(1)
    expect((await sendOperatorCommand("orders:list", { store: other })).body.data).toEqual([])
  })

  test("withdraws the open order of a deleted store, and hides it from a later store with the same id", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    await request(id, slug)
    await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
    expect((await sendOperatorCommand("orders:list")).body.data).toMatchObject([{ status: "withdrawn" }])
    await env.DB.exec("delete from purges")
    await makeReadyStore({ subdomain: id })
    expect((await sendOperatorCommand("orders:list", { store: id })).body.data).toEqual([])
  })

  test("returns no_tenant when approving an order of a deleted store", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await env.DB.prepare("delete from stores where id = ?").bind(id).run()
    const { status, body } = await approve(reference)
    expect([status, body.error.code]).toEqual([409, "no_tenant"])
  })

  test("rejects an order of a deleted store", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await env.DB.prepare("delete from stores where id = ?").bind(id).run()
    expect((await sendOperatorCommand("orders:reject", { reference, reason: "closed" })).body.data).toMatchObject({
      status: "rejected",
    })
    const entry = "select type, subject_id from audit_entries order by id desc limit 1"
    expect(await rows(entry)).toEqual([{ type: "order_rejected", subject_id: reference }])
  })

  test("reopens a store whose trial ended when its pending order is paid", async () => {
    const { slug } = await makePlan({ trial_days: 14 })
    const id = await makeReadyStore({ plan: slug })
    const { reference } = (await request(id, slug)).body.data
    await runClockAt(addMs(new Date(), 15 * DAY))
    expect((await read(id)).access_state).toBe("suspended")
    await approve(reference)
    expect((await read(id)).access_state).toBe("serving")
  })
})

test("mails open orders to enabled operators once a day", async () => {
  const password = "long enough for all"
  await sendOperatorCommand("operators:create", { email: "op@example.com", name: "Op", password })
  const gone = await sendOperatorCommand("operators:create", { email: "gone@example.com", name: "Gone", password })
  await sendOperatorCommand("operators:update", { id: gone.body.data.id, disabled: true })
  await cron("30 2 * * *")
  expect(await rows("select id from mails where kind = 'open_orders'")).toEqual([])
  const { slug } = await makePlan({ price_cents: 1500, currency: "JPY" })
  const id = await makeReadyStore()
  await request(id, slug)
  await cron("30 2 * * *")
  await cron("30 2 * * *")
  const digest = (await collectSentMails()).filter((mail) => mail.to === "op@example.com")
  expect(digest).toHaveLength(1)
  expect(digest[0]?.text).toContain(`PO-000001  ${id}  ${slug}  ¥1,500`)
  expect(await rows("select id from mails where recipient = 'gone@example.com'")).toEqual([])
})
