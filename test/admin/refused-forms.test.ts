// A refused form has the focus on its first invalid field, also without JavaScript, keeps what was typed, and can be sent
// again with its key. The console has its own test with every form.
import { beforeEach, expect, test } from "vitest"
import { parsePostForms } from "../console/crawler"
import { call, type TestResponse } from "../support/app"
import { siteRows } from "../support/rows"
import { makeShop as makeVisitedShop } from "../support/shop-visits"
import { makeShop } from "./shop"
import { type AdminBrowser, type Fields, signInToAdmin } from "./support"

let owner: AdminBrowser
let shop = ""
beforeEach(async () => {
  shop = await makeShop()
  owner = await signInToAdmin(shop)
})

/** Forms with an input that is refused. */
const REFUSED: [page: string, action: string, fields: Fields][] = [
  ["/admin/products/new", "/admin/products", { name: "", price: "a lot", stock: "-1" }],
  ["/admin/posts/new", "/admin/posts", { name: "", content: "Kept <text>" }],
  ["/admin/pages/new", "/admin/pages", { name: "", content: "Kept" }],
  ["/admin/galleries/new", "/admin/galleries", { name: "", description: "Kept" }],
  ["/admin/categories/new", "/admin/categories", { name: "" }],
  ["/admin/tags/new", "/admin/tags", { name: "" }],
  ["/admin/staff", "/admin/staff/invite", { email: "nobody", role: "editor" }],
  ["/admin/account", "/admin/account/password", { current_password: "wrong", password: "x" }],
  ["/admin/domains", "/admin/domains", { domain: "not a domain" }],
]

/** The first invalid field of a page; asserts that it alone has the focus. */
function findFocused({ status, text }: TestResponse, form: string): string {
  expect(status, form).toBe(422)
  const fields = parsePostForms(text).flatMap((one) => one.fields)
  const first = fields.find(({ isInvalid }) => isInvalid)?.name ?? ""
  expect(
    fields.filter(({ isFocused }) => isFocused).map(({ name }) => name),
    form,
  ).toEqual([first])
  return first
}

test("focuses the first invalid field of a refused form, and accepts the corrected form with the same key", async () => {
  for (const [page, action, fields] of REFUSED) {
    const form = parsePostForms((await owner.get(page)).text).find((one) => one.action === action)
    const once = form?.fields.find(({ name }) => name === "once")?.value
    expect(once, action).toBeTruthy()
    const send = (changes: Fields = {}) => owner.post(action, { ...fields, ...changes, once: once ?? "" })
    const first = findFocused(await send(), action)
    // Another refusal, and not a conflict with the key.
    findFocused(await send({ [first]: "" }), action)
    if (action !== "/admin/products") continue
    for (const _ of [1, 2]) expect((await send({ name: "Jar", price: "12", stock: "1" })).status).toBe(303)
    expect(await siteRows("select price_cents from products where name = 'Jar' and site_id = ?", shop)).toEqual([
      { price_cents: 1200 },
    ])
  }
})

test("names fields by their labels in the messages of refused forms", async () => {
  const csv = "name,price,stock\nVase,a lot,few"
  const preview = await owner.post("/admin/products/import", { csv })
  expect(preview.text).toContain("The stock field must be an integer.")
  await owner.post("/admin/settings", { language: "es" })
  const { text } = await owner.post("/admin/products/import", { csv })
  expect(text).toContain("campo existencias debe ser un número entero")
  for (const [, action, fields] of REFUSED) {
    const refused = await owner.post(action, fields)
    const messages = [...refused.text.matchAll(/class="field-error"[^>]*>([^<]*)</g)].map(([, message]) => message)
    expect(messages.length, action).toBeGreaterThan(0)
    for (const message of messages) expect(message, action).not.toMatch(/\bcampo (name|price|password|email|domain)\b/)
    for (const message of messages) expect(message, action).not.toContain("\uE000")
  }
})

test("focuses the first invalid field of refused forms of visitors and new owners", async () => {
  const { store, visitor } = await makeVisitedShop({ apps: ["ecommerce", "contact"] })
  const browser = visitor()
  const signUp = (fields: Record<string, string>) =>
    call("POST", "/signup", {
      body: new URLSearchParams(fields).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      env: { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0" },
    })
  findFocused(await browser.post("/account/register", { email: "nobody", password: "x" }), "register")
  findFocused(await browser.post("/contact", { name: "", email: "nobody", message: "" }), "contact")
  expect(findFocused(await signUp({ name: "", subdomain: store, email: "nobody" }), "sign up")).toBe("name")
})
