// Support access: an operator at a store as its staff, with a reason, once, and not for long.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { updateOperator } from "../../src/platform/operators/service"
import { endOverdueSupportAccesses } from "../../src/platform/support/service"
import { call, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { takeDown } from "../support/faults"
import { aroundTrips } from "../support/round-trips"
import { type Browser, signIn } from "./support"

const MINUTE = 60_000

const ask = async (admin: Browser, store: string, reason = "The order page is empty") => {
  const answer = await admin.post(`/console/stores/${store}/support`, { reason })
  return /href="https?:\/\/[^"]+(\/billing\/support\?token=[^"]+)"/.exec(answer.text)?.[1] ?? ""
}

const visit = (store: string, path: string, cookie = "") =>
  call("GET", path, { host: `${store}.localhost`, headers: cookie ? { Cookie: cookie } : {} })

const enter = async (store: string, link: string) => {
  const answer = await visit(store, link)
  return { answer, cookie: answer.headers.get("Set-Cookie")?.split(";")[0] ?? "" }
}

const trail = async () =>
  (
    await env.DB.prepare(
      "select type, actor_type, actor_name, store_id, data ->> 'reason' as reason from audit_entries where type like 'support%' order by id",
    ).all()
  ).results

test("a link signs in once, as the store's staff; both ends are in the trail, and the owner has a mail", async () => {
  const admin = await signIn({ name: "Ada" })
  const store = await makeReadyStore({ subdomain: "acme" })
  expect((await admin.post(`/console/stores/${store}/support`, { reason: "" })).status).toBe(422)
  const link = await ask(admin, store)
  const { answer, cookie } = await enter(store, link)
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/billing"])
  expect(answer.headers.get("Set-Cookie")).toMatch(/Max-Age=900; Path=\/billing; HttpOnly/)
  const billing = await visit(store, "/billing", cookie)
  expect([billing.status, billing.text.includes("/billing/sign-out")]).toEqual([200, true])
  // The link was used; another who has it gets nothing.
  expect((await enter(store, link)).answer.status).toBe(403)
  expect((await admin.get(`/console/stores/${store}`)).text).toContain("there now")
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
  expect(await trail()).toEqual([
    { type: "support_access_created", ...ada, reason },
    { type: "support_access_signed_in", ...ada, reason },
    { type: "support_access_signed_out", ...ada, reason: "signed_out" },
  ])
  const { results } = await env.DB.prepare("select kind, data from mails where kind = 'support_access'").all()
  expect(results).toHaveLength(1)
  expect(results[0]?.data).toContain(reason)
})

test("a link is good for a minute, at its own store, and the session for a quarter of an hour", async () => {
  const admin = await signIn()
  const [store, other] = [await makeReadyStore({ subdomain: "acme" }), await makeReadyStore({ subdomain: "bloom" })]
  const [late, used] = [await ask(admin, store), await ask(admin, store)]
  expect((await enter(other, used)).answer.status).toBe(403)
  const { cookie } = await enter(store, used)
  const start = Date.now()
  vi.useFakeTimers({ toFake: ["Date"], now: start + MINUTE + 1000 })
  expect((await enter(store, late)).answer.status).toBe(403)
  vi.setSystemTime(start + 14 * MINUTE)
  expect((await visit(store, "/billing", cookie)).text).toContain("/billing/sign-out")
  await run((ctx) => endOverdueSupportAccesses({ ...ctx, now: new Date() }))
  expect((await trail()).at(-1)?.type).toBe("support_access_signed_in")
  vi.setSystemTime(start + 17 * MINUTE)
  expect((await visit(store, "/billing", cookie)).text).not.toContain("/billing/sign-out")
  await run((ctx) => endOverdueSupportAccesses({ ...ctx, now: new Date() }))
  await run((ctx) => endOverdueSupportAccesses({ ...ctx, now: new Date() }))
  expect((await trail()).filter(({ type }) => type === "support_access_signed_out")).toHaveLength(1)
})

test("an operator ends what is open; a viewer neither opens nor ends", async () => {
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const store = await makeReadyStore({ subdomain: "acme" })
  expect((await viewer.post(`/console/stores/${store}/support`, { reason: "x" })).status).toBe(403)
  const { cookie } = await enter(store, await ask(admin, store))
  expect((await viewer.post(`/console/stores/${store}/support/1/end`)).status).toBe(403)
  expect((await admin.post(`/console/stores/${store}/support/1/end`)).status).toBe(303)
  expect((await admin.post(`/console/stores/${store}/support/1/end`)).status).toBe(404)
  expect((await visit(store, "/billing", cookie)).text).not.toContain("/billing/sign-out")
})

const idOf = async (email: string) =>
  Number(await env.DB.prepare("select id from operators where email = ?").bind(email).first("id"))

const mayEnter = async (store: string, cookie: string) =>
  (await visit(store, "/billing", cookie)).text.includes("/billing/sign-out")

test.each([
  ["is shut out", "edit", { name: "Ada", role: "admin", disabled: "on" }],
  ["is an admin no more", "edit", { name: "Ada", role: "viewer" }],
  ["is removed", "delete", { confirm: "ada@example.com" }],
])("who %s is at no store from the next request on, and has no way to one", async (_, act, fields) => {
  const ada = await signIn({ name: "Ada", email: "ada@example.com" })
  const bob = await signIn({ name: "Bob" })
  const [store, other] = [await makeReadyStore({ subdomain: "acme" }), await makeReadyStore({ subdomain: "bloom" })]
  const sessions = [
    { store, cookie: (await enter(store, await ask(ada, store))).cookie },
    { store: other, cookie: (await enter(other, await ask(ada, other))).cookie },
  ]
  const mine = (await enter(store, await ask(bob, store))).cookie
  const unused = await ask(ada, store)
  for (const { store, cookie } of sessions) expect(await mayEnter(store, cookie)).toBe(true)

  expect((await bob.post(`/console/operators/${await idOf("ada@example.com")}/${act}`, fields)).status).toBe(303)
  for (const { store, cookie } of sessions) expect(await mayEnter(store, cookie)).toBe(false)
  expect((await enter(store, unused)).answer.status).toBe(403)
  expect(await mayEnter(store, mine)).toBe(true)
  const bobs = { type: "support_access_signed_out", actor_type: "admin", actor_name: "Bob", reason: "ended" }
  const ended = (await trail()).filter(({ type }) => type === "support_access_signed_out")
  expect(ended).toHaveLength(2)
  expect(ended).toEqual(
    expect.arrayContaining([
      { ...bobs, store_id: store },
      { ...bobs, store_id: other },
    ]),
  )
  // The link that came too late is not used, and nobody is told that it was.
  const { results } = await env.DB.prepare("select id from mails where kind = 'support_access'").all()
  expect(results).toHaveLength(3)
})

test("an operator who is shut out while their link is being used is at no store", async () => {
  await signIn({ name: "Bob" })
  const store = await makeReadyStore({ subdomain: "acme" })
  const link = await ask(await signIn({ email: "ada@example.com" }), store)
  const id = await idOf("ada@example.com")
  const shutOut = vi.fn(() => run((ctx) => updateOperator(ctx, id, { disabled: true })))
  aroundTrips(async (send, statements) => {
    const isLogin = statements.some((text) => text.startsWith('insert into "user_tokens"'))
    if (isLogin) await shutOut()
    return send()
  })
  const { answer, cookie } = await enter(store, link)
  expect(shutOut).toHaveBeenCalledOnce()
  expect(answer.status).toBe(403)
  expect(cookie).toBe("")
  expect((await trail()).map(({ type }) => type)).toEqual(["support_access_created"])
})

test("the login of an access is found among many of a store's without going through them", async () => {
  const admin = await signIn()
  const store = await makeReadyStore({ subdomain: "acme" })
  await env.SITES_1.prepare(
    `insert into user_tokens (site_id, user_id, hash, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select ?, 1, i, 1 from n`,
  )
    .bind(store)
    .run()
  await enter(store, await ask(admin, store))
  const { rowsRead } = await costsOf(() => admin.post(`/console/stores/${store}/support/1/end`))
  expect(rowsRead).toBeLessThan(100)
})

test("where the store cannot be reached the operator is shut out all the same, and the cron ends what is open", async () => {
  await signIn({ name: "Bob" })
  const ada = await signIn({ email: "ada@example.com" })
  const store = await makeReadyStore({ subdomain: "acme" })
  const { cookie } = await enter(store, await ask(ada, store))
  const { bringBack } = takeDown(env.SITES_1)
  await run(async (ctx) => updateOperator(ctx, await idOf("ada@example.com"), { disabled: true }))
  expect((await ada.get("/console")).status).toBe(303)
  expect((await trail()).at(-1)?.type).toBe("support_access_signed_in")
  bringBack()
  await run(endOverdueSupportAccesses)
  expect(await mayEnter(store, cookie)).toBe(false)
  expect((await trail()).at(-1)?.type).toBe("support_access_signed_out")
})
