import { expect, test } from "vitest"
import { EN } from "../../src/admin/strings/en"
import { content } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { makeShop } from "./shop"
import { signInToAdmin } from "./support"

test("saves the settings that the form contains, with amounts in units, and refuses wrong ones at their fields", async () => {
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  const read = async () =>
    (await content("GET", "/shop/settings", { host: owner.host, token: owner.user.token })).body.data
  expect((await owner.get("/admin/settings")).text).not.toContain(EN.settings.contact_confirmed)
  const fields = {
    name: "Harbor Tea",
    contact_email: "shop@example.com",
    currency: "EUR",
    tax_rate: "19,5",
    prices_include_tax: ["false", "true"],
    "shipping.flat": "4,90",
    "shipping.free_above": "",
    "shipping.pickup": ["false", "true"],
    "payment.transfer": "IBAN DE02",
    guest_orders: "false",
    max_item_quantity: "50",
  }
  const saved = await owner.post("/admin/settings", fields)
  expect(saved.headers.get("Location")).toBe("/admin/settings?done=settings_saved")
  expect(await read()).toMatchObject({
    name: "Harbor Tea",
    contact_email: "shop@example.com",
    tax_rate: 19.5,
    shipping: { flat_cents: 490, free_above_cents: null, pickup: true },
    payment: { transfer: "IBAN DE02", on_delivery: null },
    guest_orders: false,
    max_item_quantity: 50,
  })
  const refused = await owner.post("/admin/settings", { ...fields, name: "", tax_rate: "x", "shipping.flat": "4.9.9" })
  expect(refused.status).toBe(422)
  for (const id of ["name", "tax_rate", "shipping-flat"]) expect(refused.text, id).toContain(`id="${id}-error"`)
  expect(refused.text).toContain('value="4.9.9"')
  expect((await owner.post("/admin/settings", { "shipping.free_above": "50" })).status).toBe(303)
  expect((await read()).shipping).toEqual({ flat_cents: 490, free_above_cents: 5000, pickup: true })

  const editor = await signInToAdmin(store, "editor")
  expect((await editor.get("/admin/settings")).text).not.toContain('name="tax_rate"')
  expect((await editor.post("/admin/settings", { name: "x" })).status).toBe(403)
  await owner.post("/admin/settings", { language: "es" })
  expect((await editor.get("/admin/settings")).text).toContain("Ajustes")
})

test("the price of shipping is in the stated currency, also when it is the default, and in none when none is stated", async () => {
  const store = await makeShop()
  const owner = await signInToAdmin(store)
  const { host } = owner
  const send = (method: string, path: string, json: object) =>
    content(method, path, { host, token: owner.user.token, json })
  const make = async (currency: string) => {
    const json = { name: `Bowl in ${currency}`, price_cents: 1000, currency, stock: 9 }
    return (await send("POST", "/products", json)).body.data.id
  }
  const ids = [await make("USD"), await make("JPY")]
  const customer = { name: "Ada", email: "ada@example.com" }
  const order = async () =>
    Promise.all(
      ids.map(async (id) => {
        const json = { items: [{ product_id: id, quantity: 1 }], customer }
        return (await content("POST", "/orders", { host, json })).status
      }),
    )
  const readLog = () =>
    rows(
      "select before, after from audit_entries where store_id = ? and type = 'site_settings_changed' order by id",
      store,
    )
  await send("PUT", "/shop/settings", { shipping: { flat_cents: 500 } })
  expect(await order()).toEqual([201, 201])
  const before = await readLog()
  const form = { currency: "USD", "shipping.flat": "5.00" }
  expect((await owner.post("/admin/settings", form)).status).toBe(303)
  expect(await order()).toEqual([201, 422])
  expect((await readLog()).slice(before.length)).toEqual([{ before: '{"currency":null}', after: '{"currency":"USD"}' }])
  await owner.post("/admin/settings", form)
  expect(await readLog()).toHaveLength(before.length + 1)
  await send("PUT", "/shop/settings", { shipping: { flat_cents: 0 } })
  expect(await order()).toEqual([201, 201])
})

test("suggests currencies and time zones, and shows an example beside the error of an unknown one", async () => {
  const owner = await signInToAdmin(await makeReadyStore())
  const page = (await owner.get("/admin/settings")).text
  expect(page).toMatch(/<input id="currency"[^>]* list="currency-list"/)
  expect(page).toMatch(/<datalist id="currency-list">.*<option value="EUR">/)
  expect(page).toMatch(/<input id="timezone"[^>]* list="timezone-list"/)
  for (const zone of ["UTC", "Asia/Tokyo"]) expect(page).toContain(`<option value="${zone}">`)
  expect(page).toContain('data-browser-zone="timezone"')
  const refused = await owner.post("/admin/settings", { currency: "Euro", timezone: "Berlin" })
  expect(refused.status).toBe(422)
  for (const id of ["currency", "timezone"]) expect(refused.text).toContain(`aria-describedby="${id}-error ${id}-hint"`)
  expect(refused.text).toContain("Such as Europe/Berlin.")
})
