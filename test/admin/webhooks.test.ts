// The pages of a shop's webhook endpoints: creating one with its secret, its settings, deliveries and deletion.
import { beforeEach, expect, test } from "vitest"
import { EN } from "../../src/admin/strings/en"
import { platform } from "../support/app"
import { makeKey, makeStoreEndpoint } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { makeDelivery } from "../support/webhook-factories"
import { makeShop } from "./shop"
import { type AdminBrowser, signInToAdmin } from "./support"

const RECEIVER_URL = "https://receiver.example/hook"

let store = ""
let admin: AdminBrowser
beforeEach(async () => {
  store = await makeShop()
  admin = await signInToAdmin(store, "admin")
})

const readEndpoint = async () => (await rows("select * from webhook_endpoints where deleted_at is null"))[0]

test("creates an endpoint, shows its secret once, and lists it", async () => {
  mockReceiver()
  const fields = {
    url: RECEIVER_URL,
    description: "Stock",
    events: ["shop.order.*", "shop.product.updated"],
    filter: "data.order.total_cents gte 10000",
    headers: "Authorization: Bearer 4f1c9a",
    payload: "thin",
    max_per_second: "",
    ordered: ["false", "true"],
    reconcile: "false",
  }
  const created = await admin.post("/admin/webhooks", fields)
  const [secret = ""] = /whsec_[0-9A-Za-z]{40}/.exec(created.text) ?? []
  expect([created.status, secret]).toEqual([200, expect.stringMatching(/^whsec_/)])
  expect((await admin.get("/admin/webhooks")).text).toMatch(
    /<legend>shop\.order<\/legend><label><input[^>]+value="shop\.order\.\*"/,
  )
  const endpoint = await readEndpoint()
  expect(endpoint).toMatchObject({ store_id: store, ordered: 1, reconcile: 0, payload_format: "thin" })
  const list = (await admin.get("/admin/webhooks")).text
  expect(list).toContain(RECEIVER_URL)
  expect(list).toContain(EN.webhooks.used(1, 5))
  const page = (await admin.get(`/admin/webhooks/${endpoint?.id}`)).text
  expect(page).toContain("data.order.total_cents gte 10000")
  expect(page).toContain("Authorization")
  for (const text of [list, page]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain("4f1c9a")
  }
})

test("shows what is wrong with a URL next to what was typed", async () => {
  const refused = await admin.post("/admin/webhooks", {
    url: "http://10.0.0.1/",
    events: "shop.*",
    description: "Kept",
  })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('value="Kept"')
  expect(refused.text).toContain('value="http://10.0.0.1/"')
  expect(await readEndpoint()).toBeUndefined()
})

test("changes, tests, rotates and retries, and deletes after the URL was typed", async () => {
  const { requests } = mockReceiver()
  const { id } = await makeStoreEndpoint(store, { maxPerSecond: 5 })
  const path = `/admin/webhooks/${id}`
  const saved = await admin.post(`${path}/edit`, {
    url: RECEIVER_URL,
    description: "",
    events: "shop.*",
    filter: "",
    payload: "full",
    max_per_second: "",
    ordered: "false",
    reconcile: "false",
  })
  expect(saved.headers.get("Location")).toBe(`${path}?done=endpoint_saved`)
  expect(await readEndpoint()).toMatchObject({ events: '["shop.*"]', max_per_second: null, filter: null })
  await admin.post(`${path}/edit`, { is_active: "false" })
  expect((await admin.get(path)).text).toContain(EN.webhooks.state_texts.off)
  await admin.post(`${path}/edit`, { is_active: "true" })

  const tested = await admin.post(`${path}/test`, { event: "shop.order.placed" })
  expect(tested.text).toContain(`${EN.webhooks.tested} ${EN.webhooks.statuses.delivered}`)
  const delivery = await makeDelivery(id, { status: "failed", error: "http_500", responseStatus: 500 })
  expect((await admin.get(path)).text).toContain(`${path}/deliveries/${delivery.id}/retry`)
  const retried = await admin.post(`${path}/deliveries/${delivery.id}/retry`)
  expect(retried.headers.get("Location")).toBe(`${path}?done=delivery_retried`)
  expect(requests).toHaveLength(2)
  expect((await admin.post(`${path}/rotate-secret`, { grace_seconds: "3600" })).text).toMatch(/whsec_[0-9A-Za-z]{40}/)

  const wrong = await admin.post(`${path}/delete`, { confirm: "https://receiver.example/other" })
  expect([wrong.status, (await readEndpoint())?.id]).toEqual([422, id])
  const deleted = await admin.post(`${path}/delete`, { confirm: RECEIVER_URL })
  expect(deleted.headers.get("Location")).toBe("/admin/webhooks?done=endpoint_deleted")
  expect(await readEndpoint()).toBeUndefined()
})

test("offers no button for an endpoint that an operator turned off", async () => {
  const { id } = await makeStoreEndpoint(store)
  await platform("PATCH", `/webhooks/${id}`, { token: await makeKey(), json: { is_active: false } })
  const { text } = await admin.get(`/admin/webhooks/${id}`)
  expect(text).toContain(EN.webhooks.state_texts.locked)
  expect(text).not.toContain(EN.webhooks.turn_on)
  expect((await admin.post(`/admin/webhooks/${id}/edit`, { is_active: "true" })).status).toBe(403)
})

test("hides the pages from editors, and the endpoints of other shops", async () => {
  const { id } = await makeStoreEndpoint(await makeShop())
  const editor = await signInToAdmin(store, "editor")
  expect((await editor.get("/admin")).text).not.toContain("/admin/webhooks")
  expect((await editor.get("/admin/webhooks")).status).toBe(403)
  expect((await admin.get("/admin")).text).toContain("/admin/webhooks")
  for (const path of ["", "/delete"]) expect((await admin.get(`/admin/webhooks/${id}${path}`)).status).toBe(404)
  for (const form of ["edit", "test", "rotate-secret", "delete"])
    expect((await admin.post(`/admin/webhooks/${id}/${form}`, { confirm: RECEIVER_URL })).status, form).toBe(404)
})
