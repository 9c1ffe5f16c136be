// The content API reports all invalid fields at once, also those that need a lookup.
import { expect, test } from "vitest"
import { makeDevice, PASSWORD } from "../support/content-factories"
import { makeSite } from "../support/content-writes"
import { siteRows } from "../support/rows"

test("reports every invalid field of a request", async () => {
  const site = await makeSite()
  const { send, createUser } = site
  const other = await createUser()
  const staff = await createUser({ isStaff: true })
  const bowl = { name: "Bowl", slug: "bowl", price_cents: 100, currency: "EUR", stock: 1 }
  const product = (await send("POST", "/products", staff, bowl)).body.data.id
  const secondId = (await send("POST", "/products", staff, { ...bowl, slug: "cup" })).body.data.id
  const gallery = (await send("POST", "/galleries", staff, { name: "One", slug: "one" })).body.data.id
  await send("POST", "/galleries", staff, { name: "Two", slug: "two" })
  await send("POST", "/device-tokens", other, { token: "phone-token", device_id: "phone" })
  await makeDevice(staff)
  const [device] = await siteRows("select id from device_tokens where user_id = ?", staff.id)
  const anonymous = { token: "" }
  const registration = { name: "Ada L", email: other.email, password: "x", password_confirmation: "y" }
  const cases: [string, string, { token: string }, object, string[]][] = [
    ["POST", "/register", anonymous, registration, ["email", "password"]],
    [
      "PUT",
      "/me",
      staff,
      { email: other.email, current_password: "wrong", dob: "2999-01-01", gender: "x" },
      ["current_password", "dob", "gender"],
    ],
    ["PUT", "/me", staff, { email: "new@example.com", phone: "x" }, ["current_password", "phone"]],
    ["PUT", `/device-tokens/${device?.id}`, staff, { device_id: "phone", platform: "x" }, ["device_id", "platform"]],
    ["POST", "/products", staff, { ...bowl, name: "", price_cents: -1 }, ["name", "price_cents", "slug"]],
    ["PUT", `/products/${secondId}`, staff, { slug: "bowl", currency: "euro" }, ["currency", "slug"]],
    ["POST", "/galleries", staff, { name: "", slug: "one" }, ["name", "slug"]],
    ["PUT", `/galleries/${gallery}`, staff, { slug: "two", status: "x" }, ["slug", "status"]],
    ["POST", "/reviews", staff, { product_id: 999, rating: 9 }, ["product_id", "rating"]],
    [
      "POST",
      "/orders",
      staff,
      {
        items: [
          { product_id: product, quantity: 2 },
          { product_id: 999, quantity: 1 },
        ],
        note: 7,
      },
      ["items.0.quantity", "items.1.product_id", "note"],
    ],
    ["POST", "/billing/orders", staff, { plan: "no", note: 7 }, ["note", "plan"]],
  ]
  for (const [method, path, user, json, fields] of cases) {
    const response = await send(method, path, user, json)
    expect.soft(response.status, `${path} ${JSON.stringify(response.body)}`).toBe(422)
    expect.soft(Object.keys(response.body.errors ?? {}).sort(), path).toEqual(fields)
  }
  expect((await send("PUT", "/me", staff, { email: "new@example.com", current_password: PASSWORD })).status).toBe(200)
})

test("authenticates before it reports whether a value is taken", async () => {
  const { send } = await makeSite()
  const response = await send("POST", "/reviews", { token: `1|${"a".repeat(48)}` }, { product_id: 1, rating: 99 })
  expect(response.status).toBe(401)
})

test("reports every invalid field of folders and uploads", async () => {
  const { media } = await makeSite()
  await media("POST", "/folders", { json: { name: "Taken" } })
  const folder = (await media("POST", "/folders", { json: { name: "Free" } })).body.id
  const errors = async (method: string, path: string, json: object) => {
    const response = await media(method, path, { json })
    expect(response.status).toBe(422)
    return Object.keys(response.body.errors).sort()
  }
  expect(await errors("POST", "/folders", { name: "", parent_id: 99 })).toEqual(["name", "parent_id"])
  expect(await errors("PATCH", `/folders/${folder}`, { name: "", parent_id: folder })).toEqual(["name", "parent_id"])
  expect(await errors("PATCH", `/folders/${folder}`, { name: "taken", parent_id: "x" })).toEqual(["name", "parent_id"])
  const form = new FormData()
  form.set("folder_id", "99")
  const response = await media("POST", "/files", { body: form })
  expect([response.status, Object.keys(response.body.errors).sort()]).toEqual([422, ["file", "folder_id"]])
})
