import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { createFirstSignIn } from "../../src/core/auth/first-sign-in"
import { type SubmittedForm, saveDraft } from "../../src/core/auth/form-drafts"
import { HOUR } from "../../src/lib/time"
import { getCookie } from "../console/support"
import { call, run } from "../support/app"
import { makePost } from "../support/blog-factories"
import { captureMails, content, hostOfStore, PASSWORD, parseMailLink } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { rows, siteRows } from "../support/rows"
import { createAdminBrowser, postLogin, signInToAdmin } from "./support"

test("invites staff, sends an invitation again, withdraws it, changes roles and removes members", async () => {
  const mails = captureMails()
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  const invited = await owner.post("/admin/staff/invite", { email: "grace@example.com", role: "viewer" })
  expect(invited.headers.get("Location")).toBe("/admin/staff?done=invited")
  expect(parseMailLink(mails.at(-1)).host).toBe(hostOfStore(store))
  const page = await owner.get("/admin/staff")
  const [, id] = /invitations\/(\d+)\/resend/.exec(page.text) ?? []
  expect((await owner.post(`/admin/staff/invitations/${id}/resend`)).status).toBe(303)
  expect(parseMailLink(mails.at(-1)).token).not.toBe(parseMailLink(mails.at(-2)).token)
  const [, current] = /invitations\/(\d+)\/delete/.exec((await owner.get("/admin/staff")).text) ?? []
  expect((await owner.post(`/admin/staff/invitations/${current}/delete`)).status).toBe(303)
  expect((await owner.get("/admin/staff")).text).not.toContain("grace@example.com")
  expect((await owner.post(`/admin/staff/invitations/${current}/resend`)).status).toBe(404)
  const refused = await owner.post("/admin/staff/invite", { email: owner.user.email, role: "admin" })
  expect([refused.status, refused.text.includes('id="email-error"')]).toEqual([422, true])

  const member = await signInToAdmin(store, "viewer")
  expect((await member.get("/admin/staff")).text).not.toContain("/admin/staff/invite")
  expect((await member.post("/admin/staff/invite", { email: "a@example.com", role: "owner" })).status).toBe(403)
  expect((await member.post(`/admin/staff/${member.user.id}/edit`, { role: "owner" })).status).toBe(403)
  expect((await owner.post(`/admin/staff/${member.user.id}/edit`, { role: "editor" })).status).toBe(303)
  expect((await member.get("/admin/products/new")).status).toBe(200)
  expect((await owner.post(`/admin/staff/${member.user.id}/delete`)).status).toBe(303)
  expect((await member.get("/admin")).status).toBe(303)
})

test("changes the profile and the password, which ends every session", async () => {
  const store = await makeReadyStore()
  const viewer = await signInToAdmin(store, "viewer")
  const { email } = viewer.user
  expect((await viewer.post("/admin/account", { name: "Grace Hopper", phone: "", email })).status).toBe(303)
  expect((await viewer.get("/admin/account")).text).toContain('value="Grace Hopper"')
  const stolen = await viewer.post("/admin/account", { name: "Grace", email: "new@example.com" })
  expect([stolen.status, stolen.text.includes("current_password-error")]).toEqual([422, true])
  const change = { password: "another-pass", password_confirmation: "another-pass" }
  const wrong = await viewer.post("/admin/account/password", { ...change, current_password: "wrong-wrong" })
  expect([wrong.status, wrong.text.includes('id="current_password-error"')]).toEqual([422, true])
  const changed = await viewer.post("/admin/account/password", { ...change, current_password: PASSWORD })
  expect(changed.headers.get("Location")).toBe("/admin/login?done=password_changed")
  expect((await viewer.get("/admin")).status).toBe(303)
  const again = createAdminBrowser(store, getCookie(await postLogin(store, { email, password: "another-pass" })))
  const api = await content("POST", "/login", { host: again.host, json: { email, password: "another-pass" } })
  expect((await again.post("/admin/account/sessions/delete")).status).toBe(303)
  expect((await again.get("/admin")).status).toBe(303)
  expect((await content("GET", "/me", { host: again.host, token: api.body.data.token })).status).toBe(401)
})

test("signs the owner of a new store in once, with the token of the sign-up", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const [store, other] = [await makeReadyStore({ owner_email: "ada@example.com" }), await makeReadyStore()]
  const create = () =>
    run((ctx) => createFirstSignIn(ctx.settings, { storeId: store, email: "ada@example.com" }, ctx.now))
  const arrive = (id: string, token: string) =>
    call("GET", `/admin/arrive?${new URLSearchParams({ token })}`, { host: hostOfStore(id) })
  const token = await create()
  for (const [id, presented] of [
    [other, token],
    [store, "forged"],
    [store, ""],
  ] as const)
    expect((await arrive(id, presented)).headers.get("Location")).toBe("/admin/login")
  vi.setSystemTime(Date.now() + HOUR)
  expect((await arrive(store, token)).headers.get("Location")).toBe("/admin/login")
  const fresh = await create()
  const arrived = await arrive(store, fresh)
  expect(arrived.headers.get("Location")).toBe("/admin")
  const owner = createAdminBrowser(store, getCookie(arrived))
  expect((await owner.get("/admin")).text).toContain("Get your shop ready")
  // Signing out does not make the link work again.
  await owner.post("/admin/logout")
  expect((await arrive(store, fresh)).headers.get("Location")).toBe("/admin/login")
})

test("saves no form that is only a button, and a form that its route cannot show leads to a page", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  await env.DB.prepare("update stores set apps = ? where id = ?").bind('["ecommerce"]', store).run()
  const json = { name: "Bowl", price_cents: 1000, currency: "EUR" }
  const product = await content("POST", "/products", { host: owner.host, token: owner.user.token, json })
  const { id: post } = await makePost({ site: store })
  const paths = [`/admin/posts/${post}/delete`, `/admin/products/${product.body.data.id}/delete`]
  const restore = async (form: SubmittedForm) => {
    const seq = (await rows("select seq from stores where id = ?", store))[0]?.seq
    const draft = await run((ctx) => saveDraft(ctx, `user:${store}:${seq}:${owner.user.id}`, form))
    return owner.get(`${form.path}?draft=${draft}`)
  }
  for (const path of paths) {
    const restored = await restore({ path, fields: new Map([["field", ["1"]]]) })
    expect([restored.status, restored.headers.get("Location")]).toEqual([303, `${path}?done=form_restored`])
    const page = await owner.get(restored.headers.get("Location") ?? "")
    expect([page.status, page.text.includes("Your form was not sent")], path).toEqual([200, true])
  }
  const left = "select (select count(*) from posts where id = ?) + (select count(*) from products where id = ?) as n"
  expect(await siteRows(left, post, product.body.data.id)).toEqual([{ n: 2 }])
  vi.setSystemTime(Date.now() + 3 * HOUR)
  for (const path of paths) {
    const refused = await owner.post(path, { once: "01JZZZZZZZZZZZZZZZZZZZZZZZ" })
    expect([refused.status, refused.headers.get("Location")], path).toEqual([303, "/admin/login"])
  }
  expect(await rows("select count(*) as n from form_drafts")).toEqual([{ n: paths.length }])
})

test("shows the form of an expired session again, and sends nothing until then", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  vi.setSystemTime(Date.now() + 3 * HOUR)
  const refused = await owner.post("/admin/settings", { name: "Typed name", currency: "EUR" })
  const location = refused.headers.get("Location") ?? ""
  expect(location).toMatch(/^\/admin\/login\?next=.*draft/)
  expect((await call("GET", location, { host: owner.host })).text).toContain("your form is shown again")
  const next = new URLSearchParams(location.split("?")[1]).get("next") ?? ""
  const login = await postLogin(store, { email: owner.user.email, password: PASSWORD, next })
  expect(login.headers.get("Location")).toBe(next)
  const restored = await createAdminBrowser(store, getCookie(login)).get(next)
  expect([restored.status, restored.text.includes('value="Typed name"')]).toEqual([200, true])
  const { text } = await createAdminBrowser(store, getCookie(login)).get("/admin/settings")
  expect(text).not.toContain("Typed name")
  const colleague = await signInToAdmin(store)
  expect((await colleague.get(next)).status).toBe(404)
})
