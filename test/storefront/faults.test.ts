// Fails each database call of the storefront's forms, before and after it takes effect, and asserts that either the whole
// change exists or none of it; and sends each form hostile values.
import { expect, test } from "vitest"
import type { TestResponse } from "../support/app"
import { assertAtomicWrite } from "../support/atomic-writes"
import { makeUser, PASSWORD } from "../support/content-factories"
import { recordPurchase } from "../support/purchases"
import { nextSerial } from "../support/serial"
import { hiddenFields, makeShop, type Shop } from "../support/shop-visits"

type Visitor = ReturnType<Shop["visitor"]>

type Fields = Record<string, string>

interface Form {
  visitor: Visitor
  path: string
  fields: Fields
}

/** Signs in a new customer who has bought a product. */
async function signIn(shop: Shop, product: number): Promise<Visitor> {
  const user = await makeUser(shop.store)
  await recordPurchase(user.id, product)
  const visitor = shop.visitor()
  await visitor.post("/account/sign-in", { email: user.email, password: PASSWORD })
  return visitor
}

/** The forms that write, with new preconditions for each time that they are sent. */
const FORMS: Record<string, (shop: Shop, product: number) => Promise<Form>> = {
  async checkout(shop, product) {
    const visitor = shop.visitor()
    await visitor.post("/cart", { product_id: String(product) })
    const fields = {
      ...hiddenFields(await visitor.get("/checkout")),
      name: "Ada",
      email: `a${nextSerial()}@example.com`,
    }
    return { visitor, path: "/checkout", fields: { ...fields, line1: "Street 1", city: "London" } }
  },
  async contact(shop) {
    const fields = { name: "Ada", email: "ada@example.com", subject: "Hello", message: "Is it open?" }
    return { visitor: shop.visitor(), path: "/contact", fields }
  },
  async registration(shop) {
    const fields = { name: "Ada Byron", email: `new${nextSerial()}@example.com`, password: "correct horse battery" }
    return { visitor: shop.visitor(), path: "/account/register", fields }
  },
  async review(shop, product) {
    const visitor = await signIn(shop, product)
    const fields = { ...hiddenFields(await visitor.get("/reviews/bowl")), rating: "4", comment: "Fine" }
    return { visitor, path: "/reviews/bowl", fields }
  },
  async profile(shop, product) {
    const email = `moved${nextSerial()}@example.com`
    const fields = { name: "Ada King", email, phone: "+44 20 7946 0000", current_password: PASSWORD }
    return { visitor: await signIn(shop, product), path: "/account/profile", fields }
  },
  async password(shop, product) {
    const fields = { current_password: PASSWORD, password: "correct horse battery" }
    return { visitor: await signIn(shop, product), path: "/account/password", fields }
  },
  async deletion(shop, product) {
    return { visitor: await signIn(shop, product), path: "/account/delete", fields: { current_password: PASSWORD } }
  },
}

const makeFilledShop = async () => {
  const shop = await makeShop({
    apps: ["ecommerce", "reviews", "contact"],
    settings: { contact_email: "shop@example.com" },
  })
  return { shop, product: await shop.makeProduct({ stock: 9_999 }) }
}

/** Sends a form; a redirect counts as success. */
async function send({ visitor, path, fields }: Form): Promise<TestResponse> {
  const response = await visitor.post(path, fields)
  return response.status === 303 ? { ...response, status: 200 } : response
}

test.each(["checkout", "contact", "registration", "review", "profile", "password", "deletion"])(
  "applies the form of the %s completely or not at all when a database call fails",
  async (name) => {
    const { shop, product } = await makeFilledShop()
    const changes = await assertAtomicWrite(async () => {
      const form = await FORMS[name]?.(shop, product)
      if (!form) throw new Error("no such form")
      return () => send(form)
    })
    expect(Object.keys(changes).length).toBeGreaterThan(0)
  },
)

const HOSTILE = [
  "",
  "\0",
  "'; drop table orders --",
  '"><script>alert(1)</script>',
  "-1",
  "9".repeat(400),
  "é".repeat(9_000),
]

test("hostile values in any field of a form are refused or stored as text, and never fail the page", async () => {
  const { shop, product } = await makeFilledShop()
  for (const [name, prepare] of Object.entries(FORMS)) {
    const { fields } = await prepare(shop, product)
    for (const field of Object.keys(fields)) {
      // A new network for each field, so that no limit hides what a value does.
      const form = await prepare(shop, product)
      for (const value of HOSTILE) {
        const { status, text } = await form.visitor.post(form.path, { ...form.fields, [field]: value })
        expect([200, 303, 403, 404, 422, 429], `${name} ${field} ${value.slice(0, 30)}: ${status}`).toContain(status)
        expect(text, `${name} ${field}`).not.toContain("<script>alert(1)")
      }
    }
  }
})

test("one network can place 60 orders per minute, and a guessed key or a price in the form changes nothing", async () => {
  const { shop, product } = await makeFilledShop()
  const visitor = shop.visitor()
  await visitor.post("/cart", { product_id: String(product), price: "1" })
  expect((await visitor.get("/cart")).text).toContain("€10.00")
  const fields = {
    ...hiddenFields(await visitor.get("/checkout")),
    name: "Ada",
    email: "ada@example.com",
    line1: "Street 1",
    city: "London",
  }
  const cheap = await visitor.post("/checkout", { ...fields, total_flat: "1" })
  expect([cheap.status, cheap.text.includes("The total has changed.")]).toEqual([422, true])
  const statuses: number[] = []
  for (let n = 0; n < 60; n++)
    statuses.push((await visitor.post("/checkout", { ...fields, once: `once-${n}-${"x".repeat(20)}` })).status)
  expect([statuses.filter((status) => status === 303).length, statuses.at(-1)]).toEqual([10, 429])
  for (const key of ["", "a".repeat(40), "%00", "' or 1=1 --"])
    expect((await visitor.get(`/orders/1001?key=${encodeURIComponent(key)}`)).status, key).toBe(404)
  await visitor.post("/cart", { product_id: "999999999" })
  expect((await visitor.get("/cart")).text).not.toContain("999999999")
})
