// Forms of the console that were opened before another operator, or a customer, changed what they edit.
import { expect, test } from "vitest"
import { call } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { externalClient, makeLicense, makeProduct, makeVersion } from "../support/license-factories"
import { runBeforeWrite } from "../support/round-trips"
import { rows } from "../support/rows"
import { parsePostForms } from "./crawler"
import { type Browser, signIn } from "./support"

/** The fields of a page's largest form with an action, as a browser submits them without changes. */
function readForm(html: string, action: string): Record<string, string[]> {
  const forms = parsePostForms(html).filter((one) => one.action === action)
  const [form] = forms.sort((a, b) => b.fields.length - a.fields.length)
  const fields: Record<string, string[]> = {}
  for (const { name, value, isSubmitted } of form?.fields ?? [])
    if (isSubmitted) fields[name] = [...(fields[name] ?? []), value]
  return fields
}

const CHANGED = "The resource was changed since you read it."

test("does not clear the expiry that an activation has set since the form of the license was opened", async () => {
  const product = await makeProduct()
  const { id, code } = await makeLicense(product, { expiry_days: 30 })
  const admin = await signIn()
  const path = `/console/licenses/${id}`
  const opened = readForm((await admin.get(path)).text, `${path}/edit`)
  const client = await externalClient()
  await client("POST", "/license/activate", { json: { product_id: product.referenceId, license_code: code } })
  const read = async () => (await rows("select expires_at is not null as expires, comments from licenses"))[0]
  const refused = await admin.post(`${path}/edit`, { ...opened, comments: "Trial" })
  expect([refused.status, refused.text.includes(CHANGED)]).toEqual([422, true])
  expect(refused.text).toContain("Trial</textarea>")
  expect(await read()).toEqual({ expires: 1, comments: null })

  // The operator has seen the message, so the form replaces the license when it is sent again.
  const again = readForm(refused.text, `${path}/edit`)
  expect((await admin.post(`${path}/edit`, again)).status).toBe(303)
  expect(await read()).toEqual({ expires: 0, comments: "Trial" })
})

test("does not offer a version again that was switched off since its form was opened", async () => {
  const product = await makeProduct()
  const { versionId } = await makeVersion(product, "1.0")
  const admin = await signIn()
  const path = `/console/products/${product.referenceId}/versions/${versionId}`
  const opened = readForm((await admin.get(path)).text, path)
  await rows("update license_versions set is_active = 0, revision = revision + 1")
  const send = (fields: Record<string, string[]>) => upload(admin, path, { ...fields, changelog: ["Faster"] })
  const refused = await send(opened)
  expect([refused.status, refused.text.includes(CHANGED)]).toEqual([422, true])
  expect(await rows("select is_active, changelog from license_versions")).toEqual([{ is_active: 0, changelog: null }])
  expect((await send(readForm(refused.text, path))).status).toBe(303)
})

/** Sends a form with files. */
function upload({ cookie }: Browser, path: string, fields: Record<string, string[]>) {
  const form = new FormData()
  for (const [name, values] of Object.entries(fields)) for (const value of values) form.append(name, value)
  return call("POST", path, { body: form, headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" } })
}

test("does not enable an operator again who was disabled since the form was opened", async () => {
  const admin = await signIn()
  await signIn({ role: "support" })
  const [{ id } = {}] = await rows("select id from operators where role = 'support'")
  const path = `/console/operators/${id}`
  const opened = readForm((await admin.get(path)).text, `${path}/edit`)
  expect((await admin.post(`${path}/edit`, { ...opened, disabled: ["false", "true"] })).status).toBe(303)
  const refused = await admin.post(`${path}/edit`, { ...opened, name: "Ada" })
  expect([refused.status, refused.text.includes(CHANGED)]).toEqual([422, true])
  expect(await rows("select count(*) as disabled from operators where disabled_at is not null")).toEqual([
    { disabled: 1 },
  ])
})

test("does not revert the bank details that another operator corrected, or an API that was switched off", async () => {
  const admin = await signIn()
  const settings = "/console/sites/central/settings"
  const orders = "/console/orders"
  for (const [page, action, corrected, edited] of [
    [orders, `${orders}/settings`, { instructions: "IBAN DE02" }, { label: "Transfer" }],
    [settings, settings, { api: "false" }, { "cors-origins": "https://a.example" }],
  ] as const) {
    const opened = readForm((await admin.get(page)).text, action)
    expect((await admin.post(action, { ...opened, ...corrected })).status, action).toBe(303)
    const current = (await admin.get(page)).text
    const refused = await admin.post(action, { ...opened, ...edited })
    expect([refused.status, refused.text.includes(CHANGED)], action).toEqual([422, true])
    expect(readForm((await admin.get(page)).text, action)).toEqual(readForm(current, action))
    expect((await admin.post(action, readForm(refused.text, action))).status, action).toBe(303)
  }
})

test("refuses the outdated forms of a product, of an endpoint and of an incident", async () => {
  const { referenceId } = await makeProduct()
  const { id } = await makeEndpoint()
  const admin = await signIn()
  await admin.post("/console/incidents", { title: "Slow emails", body: "We are looking into it." })
  const incident = `/console/incidents/${(await rows("select id from incidents"))[0]?.id}`
  const product = `/console/products/${referenceId}`
  const endpoint = `/console/webhooks/${id}`
  for (const [page, action, name] of [
    [product, `${product}/edit`, "description"],
    [`${endpoint}/settings`, `${endpoint}/edit`, "description"],
    [incident, `${incident}/edit`, "body"],
  ] as const) {
    const opened = readForm((await admin.get(page)).text, action)
    expect((await admin.post(action, { ...opened, [name]: "first" })).status, action).toBe(303)
    const refused = await admin.post(action, { ...opened, [name]: "second" })
    expect([refused.status, refused.text.includes(CHANGED)], action).toEqual([422, true])
    expect((await admin.post(action, readForm(refused.text, action))).status, action).toBe(303)
  }
})

test("refuses a form when another with the same version is saved between its check and its write", async () => {
  const product = await makeProduct()
  const { id: license } = await makeLicense(product, {})
  const { versionId } = await makeVersion(product, "1.0")
  const { id: endpoint } = await makeEndpoint()
  const admin = await signIn()
  await signIn({ role: "support" })
  const [{ id: operator } = {}] = await rows("select id from operators where role = 'support'")
  await admin.post("/console/incidents", { title: "Slow emails", body: "We are looking into it." })
  const [{ id: incident } = {}] = await rows("select id from incidents")
  const products = `/console/products/${product.referenceId}`
  const version = `${products}/versions/${versionId}`
  const site = "/console/sites/central/settings"
  const post = (path: string, fields: Record<string, string[]>) => admin.post(path, fields)
  for (const { page, action, field, table, values = ["First", "Second"], send = post } of [
    { page: `/console/operators/${operator}`, action: "edit", field: "name", table: "operators" },
    { page: `/console/incidents/${incident}`, action: "edit", field: "body", table: "incidents" },
    { page: `/console/webhooks/${endpoint}`, action: "edit", field: "description", table: "webhook_endpoints" },
    { page: `/console/licenses/${license}`, action: "edit", field: "comments", table: "licenses" },
    { page: products, action: "edit", field: "description", table: "license_products" },
    {
      page: version,
      field: "changelog",
      table: "license_versions",
      send: (path: string, fields: Record<string, string[]>) => upload(admin, path, fields),
    },
    { page: "/console/orders", action: "settings", field: "instructions", table: "settings" },
    { page: site, field: "language", table: "site_settings", values: ["fr", "es"] },
    {
      page: site,
      field: "cors-origins",
      table: "site_settings",
      values: ["https://a.example", "https://b.example"],
    },
  ]) {
    const path = action ? `${page}/${action}` : page
    const shown = table === "webhook_endpoints" ? `${page}/settings` : page
    const opened = readForm((await admin.get(shown)).text, path)
    const [first = "", second = ""] = values
    const refused = await runBeforeWrite(
      new RegExp(`^(insert into|update) "${table}"`),
      async () => expect((await send(path, { ...opened, [field]: [first] })).status, path).toBe(303),
      () => send(path, { ...opened, [field]: [second] }),
    )
    expect([refused.status, refused.text.includes(CHANGED)], `${path} ${field}`).toEqual([422, true])
    expect(readForm((await admin.get(shown)).text, path)[field], path).toEqual([first])
  }
})
