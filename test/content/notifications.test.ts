// Notifications: sent by an operator, delivered to inboxes, and counted by triggers.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { deliverDueNotifications } from "../../src/content/notifications/deliver"
import { HOUR } from "../../src/lib/time"
import { call, consume, run, sendOperatorCommand } from "../support/app"
import { content, hostOfStore, makeDevice, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { siteRows } from "../support/rows"

const OPERATOR = env.OPERATOR_TOKEN

/** Runs `api:send-notification` as the operator's command line does. */
const send = (options: Record<string, unknown> = {}) =>
  call("POST", "/api/operator/v1/api:send-notification", {
    token: OPERATOR,
    json: { title: "Sale", message: "Today only", ...options },
  })

/** Creates a user with an active device, who can be notified. */
async function makeReader(...args: Parameters<typeof makeUser>) {
  const user = await makeUser(...args)
  await makeDevice(user)
  return user
}

const inbox = (token: string, query = "", host?: string) => content("GET", `/notifications${query}`, { token, host })
const stats = async (token: string) => (await content("GET", "/notifications/stats", { token })).body.data

describe("api:send-notification", () => {
  test("notifies every user of the site with an active device, and no others", async () => {
    const store = await makeReadyStore()
    const [ada, other] = [await makeReader(), await makeReader(store)]
    const bob = await makeUser()
    const sent = await send({
      "action-url": "https://example.com/sale",
      "image-url": "https://example.com/s.png",
      type: "promotion",
    })
    expect(sent.status).toBe(200)
    expect(sent.body.data).toMatchObject({ site: "central", status: "sent", recipients: 1, target: "all" })
    const { body } = await inbox(ada.token)
    expect(body).toMatchObject({ error: false, message: null })
    expect(body.data).toEqual([
      {
        id: expect.any(Number),
        notification_id: sent.body.data.id,
        title: "Sale",
        message: "Today only",
        type: "promotion",
        action_url: "https://example.com/sale",
        image_url: "https://example.com/s.png",
        data: null,
        is_read: false,
        is_clicked: false,
        sent_at: expect.stringMatching(/\+00:00$/),
        read_at: null,
        clicked_at: null,
        created_at: expect.any(String),
      },
    ])
    expect((await inbox(other.token, "", hostOfStore(store))).body.data).toEqual([])
    expect((await send({ site: store })).body.data).toMatchObject({ site: store, recipients: 1 })
    expect((await inbox(bob.token)).body.data).toEqual([])
    expect((await inbox(ada.token)).body.meta.total).toBe(1)
  })

  test("lists notifications in the legacy format of a site", async () => {
    const ada = await makeReader()
    await sendOperatorCommand("site:settings", { "notification-format": "legacy" })
    const pagination = { current_page: 1, last_page: 1, per_page: 20, total: 0, has_more: false }
    expect((await inbox(ada.token)).body).toEqual({
      error: false,
      data: { notifications: [], pagination, unread_count: 0 },
      message: null,
    })
    await send()
    await send({ title: "Second" })
    const [first, second] = [await inbox(ada.token, "?per_page=1"), await inbox(ada.token, "?per_page=1&page=2")]
    const item = { title: "Second", message: "Today only", is_read: false, type: "general" }
    expect(first.body.data).toEqual({
      notifications: [expect.objectContaining(item)],
      pagination: { current_page: 1, last_page: 2, per_page: 1, total: 2, has_more: true },
      unread_count: 2,
    })
    expect(second.body.data).toMatchObject({ pagination: { current_page: 2, has_more: false }, unread_count: 2 })
    await sendOperatorCommand("site:settings", { "notification-format": "standard" })
    expect((await inbox(ada.token)).body).toMatchObject({ data: [item, {}], meta: { total: 2, unread_count: 2 } })
    expect((await sendOperatorCommand("site:settings", { "notification-format": "other" })).status).toBe(422)
  })

  test("limits the targets to users with an active device: all, of a platform, or customers only", async () => {
    const people = await Promise.all([makeUser(), makeUser(), makeUser(), makeUser("central", { isStaff: true })])
    const [ada, bob, eve, staff] = people.map((person) => person.token)
    const device = (token: string | undefined, json: object) => content("POST", "/device-tokens", { token, json })
    await device(ada, { token: "a1", platform: "android" })
    await device(ada, { token: "a2", platform: "android" })
    await device(bob, { token: "b1", platform: "ios" })
    const off = await device(eve, { token: "e1", platform: "ios" })
    await content("POST", `/device-tokens/${off.body.data.id}/deactivate`, { token: eve })
    await device(staff, { token: "s1" })
    await device(undefined, { token: "x1", platform: "ios" })
    const countRecipients = async (target: string) => (await send({ target })).body.data.recipients
    expect(await countRecipients("all")).toBe(3)
    expect(await countRecipients("android")).toBe(1)
    expect(await countRecipients("ios")).toBe(1)
    expect(await countRecipients("customers")).toBe(2)
    const counts = await siteRows(
      "select user_id, count(*) n from notification_recipients group by user_id order by user_id",
    )
    expect(counts.map((row) => row.n)).toEqual([3, 3, 1])
  })

  test("notifies thousands of users in chunks over several runs, each user once", async () => {
    await env.SITES_1.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5600)
       insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
       select 'central', 'u' || i || '@example.com', 'u' || i || '@example.com', 'U', 'U', '', 0, 0, 0 from n`,
    ).run()
    await env.SITES_1.prepare(
      `insert into device_tokens (site_id, user_id, token, is_active, last_used_at, created_at, updated_at)
       select site_id, id, 'token-' || id, 1, 0, 0, 0 from users`,
    ).run()
    const sent = await send()
    expect(sent.body.data).toMatchObject({ status: "sending", recipients: 5000 })
    const message = { job: "notify" as const, database: "SITES_1", notification: sent.body.data.id }
    expect(env.JOB_QUEUE.send).toHaveBeenCalledWith({ ...message, lease: expect.any(String) })
    await Promise.all([consume("tenancy-jobs", [message]), consume("tenancy-jobs", [message])])
    await consume("tenancy-jobs", [message])
    expect(await siteRows("select status, recipients, sent_at is not null done from notifications")).toEqual([
      { status: "sent", recipients: 5600, done: 1 },
    ])
    expect(await siteRows("select count(distinct user_id) n, count(*) m from notification_recipients")).toEqual([
      { n: 5600, m: 5600 },
    ])
  })

  test("responds with the notification when its delivery fails, and delivers it later", async () => {
    const ada = await makeReader()
    let isStored = false
    const faults = interceptRoundTrips(async (request, statements) => {
      if (isStored) throw new Error("D1_ERROR: Network connection lost.")
      isStored = statements.some((sql) => sql.startsWith('insert into "notifications"'))
      return request()
    })
    const { status } = await send()
    faults.mockRestore()
    expect(status).toBe(200)
    await run((ctx) => deliverDueNotifications(ctx, "SITES_1"), { now: new Date(Date.now() + HOUR) })
    expect((await inbox(ada.token)).body.data).toHaveLength(1)
  })

  test("writes four rows per inbox", async () => {
    const people = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)`
    await env.SITES_1.batch([
      env.SITES_1.prepare(
        `${people} insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
         select 'central', 'u' || i, 'u' || i, 'U', 'U', '', 0, 0, 0 from n`,
      ),
      env.SITES_1.prepare(
        `insert into device_tokens (site_id, user_id, token, is_active, last_used_at, created_at, updated_at)
         select site_id, id, 'token-' || id, 1, 0, 0, 0 from users`,
      ),
    ])
    const fixedCosts = await costsOf(() => send({ target: "ios" }))
    const totalCosts = await costsOf(() => send())
    expect((totalCosts.rowsWritten - fixedCosts.rowsWritten) / 500).toBeLessThanOrEqual(4.02)
    expect((await siteRows("select count(*) n from notification_recipients"))[0]?.n).toBe(500)
  })

  test("delivers a scheduled notification once when due, also in concurrent runs, and resumes a stalled one", async () => {
    const ada = await makeReader()
    const at = new Date(Date.now() + 3_600_000)
    const planned = await send({ at: at.toISOString() })
    expect(planned.body.data).toMatchObject({ status: "scheduled", recipients: 0, scheduled_at: expect.any(String) })
    await run((ctx) => deliverDueNotifications(ctx, "SITES_1"))
    expect((await inbox(ada.token)).body.data).toEqual([])
    await Promise.all([
      run((ctx) => deliverDueNotifications(ctx, "SITES_1"), { now: at }),
      run((ctx) => deliverDueNotifications(ctx, "SITES_1"), { now: at }),
    ])
    expect((await inbox(ada.token)).body.meta.total).toBe(1)
    expect(await siteRows("select status, recipients from notifications")).toEqual([{ status: "sent", recipients: 1 }])
    await env.SITES_1.prepare("update notifications set status = 'sending'").run()
    await run((ctx) => deliverDueNotifications(ctx, "SITES_1"), { now: new Date(at.getTime() + 60_000) })
    expect(await siteRows("select status from notifications")).toEqual([{ status: "sending" }])
    await run((ctx) => deliverDueNotifications(ctx, "SITES_1"), { now: new Date(at.getTime() + 180_000) })
    expect(await siteRows("select status, recipients from notifications")).toEqual([{ status: "sent", recipients: 1 }])
  })

  test("returns 422 for invalid notification fields", async () => {
    const invalid = [
      { title: "t".repeat(101) },
      { message: "m".repeat(501) },
      { title: "" },
      { target: "nobody" },
      { type: "spam" },
      { site: "no-such-store" },
      { "action-url": "javascript:alert(1)" },
      { at: "soon" },
    ]
    for (const options of invalid) expect((await send(options)).status, JSON.stringify(options)).toBe(422)
    expect((await send({ title: "t".repeat(100), message: "m".repeat(500) })).status).toBe(200)
  })
})

describe("the inbox", () => {
  test("lists notifications newest first with unread count, filters, pages and links", async () => {
    const ada = await makeReader()
    for (const type of ["general", "order", "order", "system"]) await send({ title: type, type })
    const all = (await inbox(ada.token)).body
    expect(all.data.map((item: { title: string }) => item.title)).toEqual(["system", "order", "order", "general"])
    expect(all.meta).toEqual({ current_page: 1, from: 1, last_page: 1, per_page: 20, to: 4, total: 4, unread_count: 4 })
    await content("POST", `/notifications/${all.data[1].id}/read`, { token: ada.token })
    const totals = async (query: string) => (await inbox(ada.token, query)).body.meta.total
    expect(await totals("?unread_only=1")).toBe(3)
    expect(await totals("?type=order")).toBe(2)
    expect(await totals("?type=order&unread_only=true")).toBe(1)
    expect(await totals("?type=promotion")).toBe(0)
    const second = (await inbox(ada.token, "?per_page=1&page=2&type=order&x=%C3%A9")).body
    expect(second.data).toHaveLength(1)
    expect(second.meta).toMatchObject({ from: 2, to: 2, last_page: 2, unread_count: 3 })
    const base = "https://localhost/api/v1/notifications?per_page=1"
    expect(second.links).toEqual({
      first: `${base}&page=1&type=order&x=%C3%A9`,
      last: `${base}&page=2&type=order&x=%C3%A9`,
      prev: `${base}&page=1&type=order&x=%C3%A9`,
      next: null,
    })
    const past = (await inbox(ada.token, "?page=9")).body
    expect(past.data).toEqual([])
    expect(past.meta).toMatchObject({ from: null, to: null, last_page: 1, total: 4 })
    expect((await inbox(ada.token, "?per_page=1000")).body.meta.per_page).toBe(50)
    for (const query of ["?page=0", "?page=x", "?per_page=-1", "?per_page=1e3", "?type=spam", "?unread_only=maybe"]) {
      expect((await inbox(ada.token, query)).status, query).toBe(422)
    }
  })

  test("counts delivered, read, clicked and deleted once per user and notification", async () => {
    const [ada, bob] = [await makeReader(), await makeReader()]
    for (let n = 0; n < 3; n++) await send({ title: `n${n}` })
    const [third, second, first] = (await inbox(ada.token)).body.data
    const post = (path: string) => content("POST", `/notifications/${path}`, { token: ada.token })
    const read = await post(`${first.id}/read`)
    expect(read.body.data).toMatchObject({ id: first.id, is_read: true, is_clicked: false })
    expect((await post(`${first.id}/read`)).body.data.read_at).toBe(read.body.data.read_at)
    expect(await stats(ada.token)).toEqual({ total: 3, unread: 2, read: 1, clicked: 0 })
    const clicked = await post(`${second.id}/clicked`)
    expect(clicked.body.data).toMatchObject({ is_read: true, is_clicked: true })
    await post(`${second.id}/clicked`)
    await Promise.all([post(`${first.id}/clicked`), post(`${first.id}/clicked`)])
    expect(await stats(ada.token)).toEqual({ total: 3, unread: 1, read: 2, clicked: 2 })
    expect((await post("mark-all-read")).body.data).toEqual({ marked_count: 1 })
    expect((await post("mark-all-read")).body.data).toEqual({ marked_count: 0 })
    expect(await stats(ada.token)).toEqual({ total: 3, unread: 0, read: 3, clicked: 2 })
    expect(await stats(bob.token)).toEqual({ total: 3, unread: 3, read: 0, clicked: 0 })
    expect(
      await siteRows(
        "select title, recipients, delivered_count, read_count, clicked_count from notifications order by id",
      ),
    ).toEqual([
      { title: "n0", recipients: 2, delivered_count: 1, read_count: 1, clicked_count: 1 },
      { title: "n1", recipients: 2, delivered_count: 1, read_count: 1, clicked_count: 1 },
      { title: "n2", recipients: 2, delivered_count: 1, read_count: 1, clicked_count: 0 },
    ])
    const [theirs] = (await inbox(bob.token)).body.data
    const delivered = () => content("POST", `/notifications/${theirs.id}/delivered`, { token: bob.token })
    expect((await delivered()).body.data).toMatchObject({ id: theirs.id, is_read: false, is_clicked: false })
    await Promise.all([delivered(), delivered()])
    await content("POST", `/notifications/${theirs.id}/read`, { token: bob.token })
    expect(await siteRows("select delivered_count, read_count from notifications where title = 'n2'")).toEqual([
      { delivered_count: 2, read_count: 2 },
    ])
    await content("DELETE", `/notifications/${theirs.id}`, { token: bob.token })
    expect(await stats(bob.token)).toEqual({ total: 2, unread: 2, read: 0, clicked: 0 })
    const remove = () => content("DELETE", `/notifications/${second.id}`, { token: ada.token })
    expect((await remove()).status).toBe(200)
    expect((await remove()).status).toBe(404)
    await content("DELETE", `/notifications/${third.id}`, { token: ada.token })
    expect(await stats(ada.token)).toEqual({ total: 1, unread: 0, read: 1, clicked: 1 })
    expect((await inbox(ada.token)).body.meta).toMatchObject({ total: 1, unread_count: 0 })
  })

  test("inbox requests take two round trips and read as many rows in a large inbox as in a small one", async () => {
    const ada = await makeReader()
    const id = (await send()).body.data.id
    const fill = (from: number, to: number) =>
      env.SITES_1.prepare(
        `with recursive n(i) as (select ? union all select i + 1 from n where i < ?)
         insert into notification_recipients (site_id, notification_id, user_id, type, created_at)
         select 'central', ? + i, ?, 'general', 0 from n`,
      )
        .bind(from, to, id, ada.id)
        .run()
    await env.SITES_1.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
       insert into notifications (site_id, title, message, type, target, status, created_by_name, created_at, updated_at)
       select 'central', 't', 'm', 'general', 'all', 'sent', 'x', 0, 0 from n`,
    ).run()
    await fill(1, 100)
    const query = "?per_page=10&unread_only=1&type=general"
    const small = await costsOf(() => inbox(ada.token, query))
    await fill(101, 2000)
    const large = await costsOf(() => inbox(ada.token, query))
    expect(large).toEqual(small)
    expect(large.roundTrips).toBe(2)
    const [row] = (await inbox(ada.token)).body.data
    const requests: [string, string][] = [
      ["GET", "/stats"],
      ["POST", `/${row.id}/delivered`],
      ["POST", `/${row.id}/read`],
      ["POST", `/${row.id}/clicked`],
      ["POST", "/mark-all-read"],
      ["DELETE", `/${row.id}`],
    ]
    for (const [method, path] of requests) {
      const costs = await costsOf(() => content(method, `/notifications${path}`, { token: ada.token }))
      expect(costs.roundTrips, path).toBe(2)
    }
  })

  test("returns 404 for inbox ids of other users and sites, and 401 without a token", async () => {
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    const [ada, bob, other] = [await makeReader(), await makeReader(), await makeReader(store)]
    await send()
    const [{ id }] = (await inbox(ada.token)).body.data
    const requests: [string, string][] = [
      ["POST", "/delivered"],
      ["POST", "/read"],
      ["POST", "/clicked"],
      ["DELETE", ""],
    ]
    for (const [method, suffix] of requests) {
      const request = (segment: string | number, token?: string, at?: string) =>
        content(method, `/notifications/${segment}${suffix}`, { token, host: at })
      for (const response of [await request(id, bob.token), await request(id, other.token, host)]) {
        expect(response.status).toBe(404)
        expect(response.body).toEqual({ error: true, data: null, message: "Not found." })
      }
      for (const segment of ["1e3", "-1", "0", "9007199254740993", "%F0%9F%A6%84"]) {
        expect((await request(segment, ada.token)).status).toBe(404)
        expect((await request(segment)).status).toBe(401)
      }
      expect((await request(id, ada.token, host)).status).toBe(401)
    }
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/stats"],
      ["GET", "?page=x"],
      ["POST", "/mark-all-read"],
    ] as const) {
      expect((await content(method, `/notifications${path}`)).status).toBe(401)
      expect((await content(method, `/notifications${path}`, { token: ada.token, host })).status).toBe(401)
    }
    expect(await stats(ada.token)).toEqual({ total: 1, unread: 1, read: 0, clicked: 0 })
  })
})
