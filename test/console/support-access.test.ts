import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { updateOperator } from "../../src/platform/operators/service"
import { endOverdueSupportAccesses } from "../../src/platform/support/service"
import { call, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { takeDown } from "../support/faults"
import { interceptRoundTrips } from "../support/round-trips"
import { type Browser, signIn } from "./support"

const MINUTE = 60_000

const createLink = async (admin: Browser, store: string, reason = "The order page is empty") => {
  const response = await admin.post(`/console/stores/${store}/support`, { reason })
  return /href="https?:\/\/[^"]+(\/billing\/support\?token=[^"]+)"/.exec(response.text)?.[1] ?? ""
}

const visit = (store: string, path: string, cookie = "") =>
  call("GET", path, { host: `${store}.localhost`, headers: cookie ? { Cookie: cookie } : {} })

const openLink = async (store: string, link: string) => {
  const response = await visit(store, link)
  return { response, cookie: response.headers.get("Set-Cookie")?.split(";")[0] ?? "" }
}

const listAuditEntries = async () =>
  (
    await env.DB.prepare(
      "select type, actor_type, actor_name, store_id, data ->> 'reason' as reason from audit_entries where type like 'support%' order by id",
    ).all()
  ).results

test("signs in once as the store's staff, logs both ends of the session, and emails the owner", async () => {
  const admin = await signIn({ name: "Ada" })
  const store = await makeReadyStore({ subdomain: "acme" })
  expect((await admin.post(`/console/stores/${store}/support`, { reason: "" })).status).toBe(422)
  const link = await createLink(admin, store)
  const { response, cookie } = await openLink(store, link)
  expect([response.status, response.headers.get("Location")]).toEqual([303, "/billing"])
  expect(response.headers.get("Set-Cookie")).toMatch(/Max-Age=900; Path=\/; HttpOnly/)
  const billing = await visit(store, "/billing", cookie)
  expect([billing.status, billing.text.includes("/billing/sign-out")]).toEqual([200, true])
  expect(billing.text).toContain("Support session: Ada is signed in to this store.")
  // A used link is rejected.
  expect((await openLink(store, link)).response.status).toBe(403)
  expect((await admin.get(`/console/stores/${store}`)).text).toContain(">Active<")
  const out = await call("POST", "/billing/sign-out", {
    host: `${store}.localhost`,
    headers: {
      Cookie: cookie,
      Origin: `http://${store}.localhost`,
      "Content-Type": "application/x-www-form-urlencoded",
    },
    body: "",
  })
  expect(out.status).toBe(303)
  expect((await visit(store, "/billing", cookie)).text).not.toContain("/billing/sign-out")
  const reason = "The order page is empty"
  const ada = { actor_type: "admin", actor_name: "Ada", store_id: store }
  expect(await listAuditEntries()).toEqual([
    { type: "support_access_created", ...ada, reason },
    { type: "support_access_signed_in", ...ada, reason },
    { type: "support_access_signed_out", ...ada, reason: "signed_out" },
  ])
  const { results } = await env.DB.prepare("select kind, data from mails where kind = 'support_access'").all()
  expect(results).toHaveLength(1)
  expect(results[0]?.data).toContain(reason)
})

test("limits a link to one minute and its own store, and the session to 15 minutes", async () => {
  const admin = await signIn()
  const [store, other] = [await makeReadyStore({ subdomain: "acme" }), await makeReadyStore({ subdomain: "bloom" })]
  const [late, used] = [await createLink(admin, store), await createLink(admin, store)]
  expect((await openLink(other, used)).response.status).toBe(403)
  const { cookie } = await openLink(store, used)
  const start = Date.now()
  vi.useFakeTimers({ toFake: ["Date"], now: start + MINUTE + 1000 })
  expect((await openLink(store, late)).response.status).toBe(403)
  vi.setSystemTime(start + 14 * MINUTE)
  expect((await visit(store, "/billing", cookie)).text).toContain("/billing/sign-out")
  await run((ctx) => endOverdueSupportAccesses({ ...ctx, now: new Date() }))
  expect((await listAuditEntries()).at(-1)?.type).toBe("support_access_signed_in")
  vi.setSystemTime(start + 17 * MINUTE)
  expect((await visit(store, "/billing", cookie)).text).not.toContain("/billing/sign-out")
  await run((ctx) => endOverdueSupportAccesses({ ...ctx, now: new Date() }))
  await run((ctx) => endOverdueSupportAccesses({ ...ctx, now: new Date() }))
  expect((await listAuditEntries()).filter(({ type }) => type === "support_access_signed_out")).toHaveLength(1)
})

test("lets admins end a support session, and refuses viewers", async () => {
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const store = await makeReadyStore({ subdomain: "acme" })
  expect((await viewer.post(`/console/stores/${store}/support`, { reason: "x" })).status).toBe(403)
  const { cookie } = await openLink(store, await createLink(admin, store))
  expect((await viewer.post(`/console/stores/${store}/support/1/end`)).status).toBe(403)
  expect((await admin.post(`/console/stores/${store}/support/1/end`)).status).toBe(303)
  expect((await admin.post(`/console/stores/${store}/support/1/end`)).status).toBe(404)
  expect((await visit(store, "/billing", cookie)).text).not.toContain("/billing/sign-out")
})

const getOperatorId = async (email: string) =>
  Number(await env.DB.prepare("select id from operators where email = ?").bind(email).first("id"))

const isSignedIn = async (store: string, cookie: string) =>
  (await visit(store, "/billing", cookie)).text.includes("/billing/sign-out")

test.each([
  ["is disabled", "edit", { name: "Ada", role: "admin", disabled: "on" }],
  ["becomes a viewer", "edit", { name: "Ada", role: "viewer" }],
  ["is removed", "delete", { confirm: "ada@example.com" }],
])("ends all support sessions and links of an operator who %s", async (_, action, fields) => {
  const ada = await signIn({ name: "Ada", email: "ada@example.com" })
  const bob = await signIn({ name: "Bob" })
  const [store, other] = [await makeReadyStore({ subdomain: "acme" }), await makeReadyStore({ subdomain: "bloom" })]
  const sessions = [
    { store, cookie: (await openLink(store, await createLink(ada, store))).cookie },
    { store: other, cookie: (await openLink(other, await createLink(ada, other))).cookie },
  ]
  const mine = (await openLink(store, await createLink(bob, store))).cookie
  const unused = await createLink(ada, store)
  for (const { store, cookie } of sessions) expect(await isSignedIn(store, cookie)).toBe(true)

  const path = `/console/operators/${await getOperatorId("ada@example.com")}/${action}`
  expect((await (action === "delete" ? bob.confirm(path, {}, fields) : bob.post(path, fields))).status).toBe(303)
  for (const { store, cookie } of sessions) expect(await isSignedIn(store, cookie)).toBe(false)
  expect((await openLink(store, unused)).response.status).toBe(403)
  expect(await isSignedIn(store, mine)).toBe(true)
  const bobs = { type: "support_access_signed_out", actor_type: "admin", actor_name: "Bob", reason: "ended" }
  const ended = (await listAuditEntries()).filter(({ type }) => type === "support_access_signed_out")
  expect(ended).toHaveLength(2)
  expect(ended).toEqual(
    expect.arrayContaining([
      { ...bobs, store_id: store },
      { ...bobs, store_id: other },
    ]),
  )
  // The rejected link is not marked as used, and sends no mail.
  const { results } = await env.DB.prepare("select id from mails where kind = 'support_access'").all()
  expect(results).toHaveLength(3)
})

test("rejects a link when its operator is disabled while it is being used", async () => {
  await signIn({ name: "Bob" })
  const store = await makeReadyStore({ subdomain: "acme" })
  const link = await createLink(await signIn({ email: "ada@example.com" }), store)
  const id = await getOperatorId("ada@example.com")
  const disableOperator = vi.fn(() => run((ctx) => updateOperator(ctx, id, { disabled: true })))
  interceptRoundTrips(async (send, statements) => {
    const isLogin = statements.some((text) => text.startsWith('insert into "user_tokens"'))
    if (isLogin) await disableOperator()
    return send()
  })
  const { response, cookie } = await openLink(store, link)
  expect(disableOperator).toHaveBeenCalledOnce()
  expect(response.status).toBe(403)
  expect(cookie).toBe("")
  expect((await listAuditEntries()).map(({ type }) => type)).toEqual(["support_access_created"])
})

test("finds the login of a support session without scanning the store's other logins", async () => {
  const admin = await signIn()
  const store = await makeReadyStore({ subdomain: "acme" })
  await env.SITES_1.prepare(
    `insert into user_tokens (site_id, user_id, hash, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select ?, 1, i, 1 from n`,
  )
    .bind(store)
    .run()
  await openLink(store, await createLink(admin, store))
  const { rowsRead } = await costsOf(() => admin.post(`/console/stores/${store}/support/1/end`))
  expect(rowsRead).toBeLessThan(100)
})

test("disables an operator while the store's database is down, and ends the support session by cron later", async () => {
  await signIn({ name: "Bob" })
  const ada = await signIn({ email: "ada@example.com" })
  const store = await makeReadyStore({ subdomain: "acme" })
  const { cookie } = await openLink(store, await createLink(ada, store))
  const outage = takeDown(env.SITES_1)
  await run(async (ctx) => updateOperator(ctx, await getOperatorId("ada@example.com"), { disabled: true }))
  expect((await ada.get("/console")).status).toBe(303)
  expect((await listAuditEntries()).at(-1)?.type).toBe("support_access_signed_in")
  outage.restore()
  await run(endOverdueSupportAccesses)
  expect(await isSignedIn(store, cookie)).toBe(false)
  expect((await listAuditEntries()).at(-1)?.type).toBe("support_access_signed_out")
})
