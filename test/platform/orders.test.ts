// Bank-transfer orders: from the request to the receipt, numbered without holes or twins, whoever is at it at once.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { DAY, later, timestamp } from "../../src/lib/time"
import { approveOrder, withdrawOrder } from "../../src/platform/orders/service"
import { cron, platform, run } from "../support/app"
import { clockAt, operate, sentMails, toldOf } from "../support/billing-factories"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { aroundTrips } from "../support/round-trips"
import { rows } from "../support/rows"
import { forgetHistory, makeSubscribed, payloadsOf, type setSubscription } from "../support/subscription-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
  await operate("offline:settings", { enabled: "true", label: "Transfer", instructions: "IBAN XX00" })
})

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const request = (store: string, plan: string, note?: string) => operate("orders:request", { store, plan, note })
const approve = (reference: string) => operate("orders:approve", { reference })
const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
]

describe("offline:settings", () => {
  test("shows what is set, and the defaults", async () => {
    await env.DB.exec("delete from settings")
    const defaults = { enabled: false, label: "Bank transfer", instructions: "", receipt_prefix: "INV" }
    expect((await operate("offline:settings")).body.data).toEqual(defaults)
    const changed = await operate("offline:settings", { enabled: true, receipt_prefix: "RE" })
    expect(changed.body.data).toEqual({ ...defaults, enabled: true, receipt_prefix: "RE" })
    expect((await operate("offline:settings", { receipt_prefix: "no spaces" })).status).toBe(422)
  })

  test("the prefix is locked by the first receipt, and the rest is not", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    await operate("offline:settings", { receipt_prefix: "RE" })
    const { reference } = (await request(id, slug)).body.data
    await operate("offline:settings", { receipt_prefix: "AB" })
    const year = new Date().getUTCFullYear()
    expect((await approve(reference)).body.data.number).toBe(`AB-${year}-000001`)
    expect(codeOf(await operate("offline:settings", { receipt_prefix: "CD" }))).toEqual([409, "prefix_locked"])
    const answer = await operate("offline:settings", { receipt_prefix: "AB", label: "Wire" })
    expect(answer.body.data).toMatchObject({ receipt_prefix: "AB", label: "Wire" })
  })

  test("what is saved in the moment of another save keeps what that one changed, and goes around no lock", async () => {
    const { slug } = await makePlan()
    const { reference } = (await request(await makeReadyStore(), slug)).body.data
    const spy = aroundTrips(async (send, statements) => {
      if (statements.some((text) => text.startsWith('insert into "settings"'))) {
        spy.mockRestore()
        await operate("offline:settings", { enabled: false, receipt_prefix: "ACME" })
        await approve(reference)
      }
      return send()
    })
    const late = await operate("offline:settings", { label: "Wire" })
    expect(late.body.data).toMatchObject({ enabled: false, label: "Wire", receipt_prefix: "ACME" })
    expect((await operate("offline:settings")).body.data).toEqual(late.body.data)
  })

  test("a prefix that is changed in the moment of the first receipt is refused", async () => {
    const { slug } = await makePlan()
    const { reference } = (await request(await makeReadyStore(), slug)).body.data
    const spy = aroundTrips(async (send, statements) => {
      if (statements.some((text) => text.startsWith('insert into "settings"'))) {
        spy.mockRestore()
        await approve(reference)
      }
      return send()
    })
    expect(codeOf(await operate("offline:settings", { receipt_prefix: "AB" }))).toEqual([409, "prefix_locked"])
  })
})

describe("a request", () => {
  test("stands at the price of the moment, entitles to nothing, and is told", async () => {
    const { slug } = await makePlan({ price_cents: 4900 })
    const id = await makeReadyStore()
    await forgetHistory()
    const answer = await request(id, slug, "PO 17")
    expect(answer.body.data).toEqual({
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
    const { store: _, ...order } = answer.body.data
    const [event] = await payloadsOf(id)
    const present = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null))
    expect([event.type, event.data.order]).toEqual(["order.requested", present])
    const trail = (await platform("GET", `/stores/${id}/events`, { token })).body.data
    expect(trail[0]).toMatchObject({ type: "order_requested", data: { order: "PO-000001", plan: slug } })
  })

  test("is refused while switched off, while one is open, for a card customer, and for a plan that cannot be bought", async () => {
    const { slug } = await makePlan()
    const free = await makePlan({ price_cents: 0 })
    const retired = await makePlan({ is_active: false })
    const id = await makeReadyStore()
    for (const plan of ["nothing", free.slug, retired.slug]) {
      const answer = await request(id, plan)
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["plan"]])
    }
    await request(id, slug)
    expect(codeOf(await request(id, slug))).toEqual([409, "order_already_open"])
    const carded = await makeSubscribed({ provider: "stripe" })
    expect(codeOf(await request(carded, slug))).toEqual([409, "stripe_managed"])
    expect(codeOf(await request("nobody", slug))).toEqual([404, "not_found"])
    expect((await request(id, slug, "x".repeat(501))).status).toBe(422)
    await operate("offline:settings", { enabled: "false" })
    expect(codeOf(await request(await makeReadyStore(), slug))).toEqual([409, "offline_disabled"])
  })

  test("made ten times at once is one order, and one number", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const answers = await Promise.all(Array.from({ length: 10 }, () => request(id, slug)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await rows("select value from sequences")).toEqual([{ value: 1 }])
  })
})

describe("an approval", () => {
  /** A store in some state, an order for a plan, approved now. */
  async function approved(state: Parameters<typeof setSubscription>[1] | null, same: boolean) {
    const { slug } = await makePlan({ price_cents: 4900, trial_days: 14 })
    const id = state ? await makeSubscribed(state) : await makeReadyStore()
    const current = state && (await read(id)).subscription.plan.slug
    const closed = state?.status === "suspended" || state?.status === "cancelled"
    if (closed) await env.DB.prepare("update stores set status = ? where id = ?").bind(state.status, id).run()
    const { reference } = (await request(id, same && current ? current : slug)).body.data
    await forgetHistory()
    const answer = await approve(reference)
    expect(answer.status).toBe(200)
    return { id, paid: new Date(answer.body.data.paid_at), now: await read(id), told: await toldOf(id) }
  }

  const month = (from: Date) => {
    const end = new Date(from)
    end.setUTCMonth(end.getUTCMonth() + 1)
    return timestamp(end)
  }

  test.each([
    ["none", null, "assigned"],
    ["suspended", { status: "suspended", suspendedAt: new Date() }, "assigned"],
    ["cancelled", { status: "cancelled", cancelledAt: new Date() }, "assigned"],
  ] as const)(
    "of a store whose subscription is %s assigns the plan, opens it, and starts no trial",
    async (_, state, type) => {
      const { paid, now, told } = await approved(state && { ...state }, false)
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
      expect(Date.parse(now.subscription.current_period_ends_at) - Date.parse(month(paid))).toBeLessThan(3 * DAY)
      expect(told).toEqual({
        events: ["order.paid", `subscription.${type}`],
        trail: ["order_paid", type],
        mails: ["receipt"],
      })
    },
  )

  test("of another plan changes it, and a new period begins", async () => {
    const { told, now } = await approved({ currentPeriodEndsAt: later(new Date(), 300 * DAY) }, false)
    expect(told.events).toEqual(["order.paid", "subscription.plan_changed"])
    expect(Date.parse(now.subscription.current_period_ends_at)).toBeLessThan(Date.now() + 32 * DAY)
  })

  test("of the same plan goes on from the period's end where that is ahead, else from now; a trial ends", async () => {
    const end = new Date("2030-01-31T12:00:00Z")
    const ahead = await approved({ currentPeriodEndsAt: end }, true)
    expect(ahead.now.subscription.current_period_ends_at).toBe("2030-02-28T12:00:00+00:00")
    expect(ahead.told.events).toEqual(["order.paid", "subscription.extended"])
    const past = later(new Date(), -3 * DAY)
    const due = await approved({ status: "past_due", pastDueSince: past, currentPeriodEndsAt: past }, true)
    expect(due.now.subscription).toMatchObject({ status: "active", past_due_since: null })
    expect(Date.parse(due.now.subscription.current_period_ends_at)).toBeGreaterThan(Date.now() + 27 * DAY)
    expect(due.told.events).toEqual(["order.paid", "subscription.activated"])
    const trial = await approved({ status: "trialing", trialEndsAt: later(new Date(), 10 * DAY) }, true)
    expect(trial.now.subscription.status).toBe("active")
    expect(Date.parse(trial.now.subscription.trial_ends_at)).toBeLessThanOrEqual(Date.now())
    expect(trial.told.events).toEqual(["order.paid", "subscription.activated"])
  })

  test("gives a receipt: numbered, mailed, in the ledger, in the trail, in the event", async () => {
    const { slug } = await makePlan({ price_cents: 4900 })
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await forgetHistory()
    const number = `INV-${new Date().getUTCFullYear()}-000001`
    expect((await approve(reference)).body.data).toMatchObject({ status: "paid", number, paid_at: expect.any(String) })
    const [event, assigned] = await payloadsOf(id)
    expect(event.data.order).toMatchObject({ reference, number, status: "paid" })
    expect(event.data.subscription.status).toBe("active")
    expect(assigned.meta.log.data).toMatchObject({ order: reference, plan: slug })
    const trail = (await platform("GET", `/stores/${id}/events`, { token })).body.data
    expect(trail[1]).toMatchObject({ type: "order_paid", data: { order: reference, number } })
    expect((await operate("payments:list", { store: id })).body.data).toEqual([
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
    const [mail] = await sentMails()
    expect([mail?.subject, mail?.text.includes("€49.00")]).toEqual([`Receipt ${number}`, true])
  })

  test("is refused for what is not pending, unknown, of a plan that was retired, or of a store that is not ready", async () => {
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

  test("200 of 60 orders at once, over New Year: every order once, numbers of each year without hole or twin", async () => {
    const { slug } = await makePlan()
    const references: string[] = []
    for (let n = 0; n < 60; n++) references.push((await request(await makeReadyStore(), slug)).body.data.reference)
    const eve = new Date("2027-12-31T23:59:59Z")
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        run((ctx) => approveOrder(ctx, { reference: references[n % 60] ?? "" }), { now: later(eve, (n % 4) * 500) }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(60)
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "order_not_pending" })
    }
    const numbers = (await rows("select number from orders order by number")).map((row) => String(row.number))
    expect(new Set(numbers).size).toBe(60)
    for (const year of ["2027", "2028"]) {
      const ofYear = numbers.filter((number) => number.startsWith(`INV-${year}-`))
      expect(ofYear.length).toBeGreaterThan(0)
      expect(ofYear).toEqual(ofYear.map((_, n) => `INV-${year}-${String(n + 1).padStart(6, "0")}`))
    }
    const paid = await rows("select count(*) as n from webhook_events where type = 'order.paid'")
    expect([paid[0]?.n, (await rows("select id from payments")).length]).toEqual([60, 60])
  }, 180_000)
})

describe("the end of an order that is not paid", () => {
  test("a rejection has a reason, which is mailed as it is, and leaves no number", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await forgetHistory()
    expect((await operate("orders:reject", { reference })).status).toBe(422)
    expect((await operate("orders:reject", { reference, reason: "x".repeat(501) })).status).toBe(422)
    const reason = "No transfer <b>of</b> that amount arrived."
    const answer = await operate("orders:reject", { reference, reason })
    expect(answer.body.data).toMatchObject({ status: "rejected", reason, number: null })
    expect(codeOf(await operate("orders:reject", { reference, reason }))).toEqual([409, "order_not_pending"])
    expect(codeOf(await approve(reference))).toEqual([409, "order_not_pending"])
    expect((await payloadsOf(id)).map((event) => [event.type, event.data.order.reason])).toEqual([
      ["order.rejected", reason],
    ])
    const [mail] = await sentMails()
    expect(mail?.text).toContain(reason)
    expect(mail?.html).toContain("&lt;b&gt;")
    expect((await request(id, slug)).body.data.reference).toBe("PO-000002")
  })

  test("withdrawn by its own store only: an entry in the trail, and no event", async () => {
    const { slug } = await makePlan()
    const [id, other] = [await makeReadyStore(), await makeReadyStore()]
    const { reference } = (await request(id, slug)).body.data
    await forgetHistory()
    await expect(run((ctx) => withdrawOrder(ctx, other, reference))).rejects.toMatchObject({ code: "not_found" })
    await run((ctx) => withdrawOrder(ctx, id, reference))
    expect(await toldOf(id)).toEqual({ events: [], trail: ["order_withdrawn"], mails: [] })
    expect((await operate("orders:list", { status: "withdrawn" })).body.data).toHaveLength(1)
    expect((await operate("orders:list", { store: other })).body.data).toEqual([])
  })

  test("a store that is deleted withdraws its open order; a later store of its name has none of them", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    await request(id, slug)
    await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
    expect((await operate("orders:list")).body.data).toMatchObject([{ status: "withdrawn" }])
    await env.DB.exec("delete from purges")
    await makeReadyStore({ subdomain: id })
    expect((await operate("orders:list", { store: id })).body.data).toEqual([])
  })

  test("of a store that is not there any more is not approved", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const { reference } = (await request(id, slug)).body.data
    await env.DB.prepare("delete from stores where id = ?").bind(id).run()
    const { status, body } = await approve(reference)
    expect([status, body.error.code]).toEqual([409, "no_tenant"])
  })

  test("the clock leaves an order alone: a store whose trial ended is opened by its payment", async () => {
    const { slug } = await makePlan({ trial_days: 14 })
    const id = await makeReadyStore({ plan: slug })
    const { reference } = (await request(id, slug)).body.data
    await clockAt(later(new Date(), 15 * DAY))
    expect((await read(id)).access_state).toBe("suspended")
    await approve(reference)
    expect((await read(id)).access_state).toBe("serving")
  })
})

test("operators who may sign in are told of open orders once a day, while there are any", async () => {
  const password = "long enough for all"
  await operate("operators:create", { email: "op@example.com", name: "Op", password })
  const gone = await operate("operators:create", { email: "gone@example.com", name: "Gone", password })
  await operate("operators:update", { id: gone.body.data.id, disabled: true })
  await cron("30 2 * * *")
  expect(await rows("select id from mails where kind = 'open_orders'")).toEqual([])
  const { slug } = await makePlan({ price_cents: 1500, currency: "JPY" })
  const id = await makeReadyStore()
  await request(id, slug)
  await cron("30 2 * * *")
  await cron("30 2 * * *")
  const digest = (await sentMails()).filter((mail) => mail.to === "op@example.com")
  expect(digest).toHaveLength(1)
  expect(digest[0]?.text).toContain(`PO-000001  ${id}  ${slug}  ¥1,500`)
  expect(await rows("select id from mails where recipient = 'gone@example.com'")).toEqual([])
})
