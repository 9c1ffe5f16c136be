// Support access: an operator at a store as its staff, with a reason, once, and not for long.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { endOverdueSupport } from "../../src/platform/support/service"
import { call, run } from "../support/app"
import { makeReadyStore } from "../support/factories"
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
  await run((ctx) => endOverdueSupport({ ...ctx, now: new Date() }))
  expect((await trail()).at(-1)?.type).toBe("support_access_signed_in")
  vi.setSystemTime(start + 17 * MINUTE)
  expect((await visit(store, "/billing", cookie)).text).not.toContain("/billing/sign-out")
  await run((ctx) => endOverdueSupport({ ...ctx, now: new Date() }))
  await run((ctx) => endOverdueSupport({ ...ctx, now: new Date() }))
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
