// The settings of a store's shop: who may read and change them, merging, validation, and where they take effect.
import { expect, test } from "vitest"
import { platform } from "../support/app"
import { makePage } from "../support/blog-factories"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { rows } from "../support/rows"

const DEFAULTS = {
  name: expect.any(String),
  contact_email: null,
  language: "en",
  currency: "USD",
  timezone: "UTC",
  address: null,
  tax_number: null,
  tax_rate: 0,
  prices_include_tax: true,
  shipping: { flat_cents: 0, free_above_cents: null, pickup: false },
  payment: { transfer: null, on_delivery: null },
  guest_orders: true,
  max_item_quantity: 100,
  cors_origins: ["*"],
  legal_pages: [],
}

async function makeShop() {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const admin = await makeUser(store, { isStaff: true, role: "admin" })
  const read = async (user: { token?: string } = admin) => content("GET", "/shop/settings", { host, token: user.token })
  const save = (json: object, user: { token?: string } = admin) =>
    content("PUT", "/shop/settings", { host, token: user.token, json })
  return { store, host, read, save }
}

test("returns the defaults, and merges changes, also within shipping and payment", async () => {
  const { store, read, save } = await makeShop()
  expect((await read()).body).toEqual({ error: false, message: null, data: DEFAULTS })
  await makePage({ site: store, name: "Terms", slug: "terms" })
  const changes = {
    name: "Harbor Tea",
    contact_email: "shop@example.com",
    language: "fr",
    currency: "eur",
    timezone: "Europe/Berlin",
    address: "Pier 4\n20457 Hamburg",
    tax_number: "DE1",
    tax_rate: 7.7,
    prices_include_tax: false,
    shipping: { flat_cents: 490, pickup: true },
    payment: { transfer: "IBAN DE02" },
    guest_orders: false,
    max_item_quantity: 5,
    cors_origins: ["https://app.example.com"],
    legal_pages: ["terms"],
  }
  const expected = {
    ...changes,
    currency: "EUR",
    shipping: { flat_cents: 490, free_above_cents: null, pickup: true },
    payment: { transfer: "IBAN DE02", on_delivery: null },
  }
  const saved = await save(changes)
  expect([saved.status, saved.body.data]).toEqual([200, expected])
  expect((await read()).body.data).toEqual(expected)
  const merged = {
    ...expected,
    contact_email: null,
    shipping: { flat_cents: 490, free_above_cents: 5000, pickup: true },
    payment: { transfer: null, on_delivery: "Cash" },
  }
  const second = {
    contact_email: "",
    shipping: { free_above_cents: 5000 },
    payment: { transfer: null, on_delivery: "Cash" },
  }
  expect((await save(second)).body.data).toEqual(merged)
  expect((await save({})).body.data).toEqual(merged)
  expect((await read()).body.data).toEqual(merged)
  // The name is the store's, and the origins are those of the API.
  const token = await makeKey()
  expect((await platform("GET", `/stores/${store}`, { token })).body.data.name).toBe("Harbor Tea")
  const audited = await rows("select type from audit_entries where store_id = ? and type like 'site_settings%'", store)
  expect(audited.length).toBeGreaterThan(0)
})

test("lets pages of the listed origins only call the API", async () => {
  const { host, save } = await makeShop()
  await save({ cors_origins: ["https://app.example.com"] })
  const allowed = async (origin: string) =>
    (await content("GET", "/posts", { host, headers: { Origin: origin } })).headers.get("Access-Control-Allow-Origin")
  expect([await allowed("https://app.example.com"), await allowed("https://evil.example")]).toEqual([
    "https://app.example.com",
    null,
  ])
})

test("two changes at once are both stored", async () => {
  const { read, save } = await makeShop()
  const changes = [
    { tax_rate: 19 },
    { address: "Pier 4" },
    { shipping: { flat_cents: 5 } },
    { shipping: { pickup: true } },
  ]
  const saved = await Promise.all(changes.map((change) => save(change)))
  expect(saved.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect((await read()).body.data).toMatchObject({
    tax_rate: 19,
    address: "Pier 4",
    shipping: { flat_cents: 5, free_above_cents: null, pickup: true },
  })
})

test("a failure between the databases leaves the settings of the site's database, and a repeated request stores the rest", async () => {
  const { store, read, save } = await makeShop()
  const change = { tax_rate: 19, language: "fr", name: "Harbor Tea" }
  const readLog = () =>
    rows("select type, before, after from audit_entries where store_id = ? and type = 'site_settings_changed'", store)
  const spy = interceptRoundTrips((send, statements) =>
    statements.some((statement) => statement.startsWith('insert into "site_settings"'))
      ? Promise.reject(new Error("D1_ERROR: network connection lost"))
      : send(),
  )
  const failed = await save(change).finally(() => spy.mockRestore())
  expect([failed.status, failed.headers.get("Retry-After")]).toEqual([503, expect.any(String)])
  expect((await read()).body.data).toEqual({ ...DEFAULTS, tax_rate: 19 })
  expect(await readLog()).toMatchObject([{ after: '{"tax_rate":19}' }])
  expect((await save(change)).body.data).toEqual({ ...DEFAULTS, ...change })
  expect((await read()).body.data).toEqual({ ...DEFAULTS, ...change })
  expect(await readLog()).toHaveLength(2)
})

test("staff read the settings, and only admins and owners change them", async () => {
  const { store, read, save } = await makeShop()
  const expected = { owner: [200, 200], editor: [200, 403], viewer: [200, 403] } as const
  for (const [role, statuses] of Object.entries(expected)) {
    const user = await makeUser(store, { isStaff: true, role: role as keyof typeof expected })
    expect([(await read(user)).status, (await save({ tax_rate: 1 }, user)).status], role).toEqual(statuses)
  }
  const customer = await makeUser(store)
  expect([(await read(customer)).status, (await save({}, customer)).status]).toEqual([403, 403])
  expect([(await read({})).status, (await save({}, {})).status]).toEqual([401, 401])
  const staff = await makeUser("central", { isStaff: true })
  expect((await content("GET", "/shop/settings", { token: staff.token })).status).toBe(404)
})

test("rejects invalid values by field, and stores nothing", async () => {
  const { store, read, save } = await makeShop()
  await makePage({ site: store, name: "Draft", slug: "draft", status: "draft" })
  const invalid: [string, object][] = [
    ["name", { name: " " }],
    ["contact_email", { contact_email: "nobody" }],
    ["language", { language: "de" }],
    ["currency", { currency: "EURO" }],
    ["timezone", { timezone: "Mars/Olympus" }],
    ["tax_rate", { tax_rate: 101 }],
    ["tax_rate", { tax_rate: -1 }],
    ["tax_rate", { tax_rate: "19" }],
    ["shipping.flat_cents", { shipping: { flat_cents: -1 } }],
    ["shipping.free_above_cents", { shipping: { free_above_cents: 1.5 } }],
    ["payment.transfer", { payment: { transfer: "x".repeat(2001) } }],
    ["guest_orders", { guest_orders: "maybe" }],
    ["max_item_quantity", { max_item_quantity: 0 }],
    ["max_item_quantity", { max_item_quantity: 1001 }],
    ["cors_origins", { cors_origins: ["https://app.example.com/path"] }],
    ["cors_origins", { cors_origins: ["*", "https://app.example.com"] }],
    ["legal_pages", { legal_pages: ["draft"] }],
    ["legal_pages", { legal_pages: ["unknown"] }],
  ]
  for (const [field, json] of invalid) {
    const { status, body } = await save({ address: "Pier 4", ...json })
    expect([status, Object.keys(body.errors ?? {})], JSON.stringify(json)).toEqual([422, [field]])
  }
  expect((await read()).body.data).toEqual(DEFAULTS)
})
