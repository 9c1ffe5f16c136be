// Events of what happens in a shop: what raises them, who receives them, what changed, and that each arrives once.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { SHOP_EVENTS } from "../../src/core/write/event-types"
import type { FilterCondition } from "../../src/db/schema/central/webhooks"
import { addMs, DAY } from "../../src/lib/time"
import { call, cron, platform, run, sendOperatorCommand } from "../support/app"
import { content, hostOfStore, makeUser, PASSWORD } from "../support/content-factories"
import { makeSite, WRITES } from "../support/content-writes"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { listOperations } from "../support/operations"
import { recordPurchase } from "../support/purchases"
import { mockReceiver } from "../support/receiver"
import { rows, siteRows } from "../support/rows"
import { nextAddress } from "../support/serial"

const APPS = ["ecommerce", "contact", "reviews"]

interface ShopEvent {
  type: string
  data: Record<string, Record<string, unknown>> & {
    store: { id: string }
    changes?: Record<string, { from: unknown; to: unknown }>
  }
  meta: { actor: object }
}

async function makeShop() {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const key = await makeKey()
  for (const app of APPS) await platform("POST", `/stores/${store}/apps/${app}/enable`, { token: key })
  const staff = await makeUser(store, { isStaff: true, firstName: "Ada", lastName: "Lovelace" })
  const customer = await makeUser(store, { firstName: "Bo", lastName: "Li" })
  const as = (token?: string) => (method: string, path: string, json?: object) =>
    content(method, path, { host, token, ...(json && { json }), headers: { "CF-Connecting-IP": nextAddress() } })
  /** Lists the store's events of shops, oldest first. */
  const listEvents = async (types = "shop.*") => {
    const { body } = await platform("GET", `/events?types=${types}&store=${store}&limit=100`, { token: key })
    return body.data as ShopEvent[]
  }
  /** Runs a write, and returns the events that it raises. */
  const raisedBy = async (write: () => Promise<unknown>) => {
    const { length } = await listEvents()
    await write()
    return (await listEvents()).slice(length)
  }
  return {
    store,
    host,
    key,
    staff,
    customer,
    asStaff: as(staff.token),
    asCustomer: as(customer.token),
    as,
    listEvents,
    raisedBy,
  }
}

const typesOf = (events: readonly ShopEvent[]) => events.map(({ type }) => type)

test("raises each event with its actor and the resource that the content API shows", async () => {
  const { store, asStaff, asCustomer, as, staff, customer, listEvents } = await makeShop()
  const read = async (path: string) => (await asStaff("GET", path)).body.data
  const owner = { type: "customer", id: staff.id, name: "Ada Lovelace" }
  const buyer = { type: "customer", id: customer.id, name: "Bo Li" }
  const product = (await asStaff("POST", "/products", { name: "Bowl", price_cents: 100, currency: "EUR", stock: 9 }))
    .body.data
  const items = [{ product_id: product.id, quantity: 2 }]
  const { id: orderId } = (await asCustomer("POST", "/orders", { items })).body.data
  const placed = await read(`/orders/${orderId}`)
  const guest = { name: "Cy Ono", email: "cy@example.com" }
  await as()("POST", "/orders", { items, customer: guest })
  await asStaff("PUT", `/orders/${orderId}`, { status: "paid" })
  const message = (await asCustomer("POST", "/contact", { ...guest, message: "Hello" })).body.data
  await recordPurchase(customer.id, product.id)
  const review = (await asCustomer("POST", "/reviews", { product_id: product.id, rating: 4 })).body.data
  const registered = {
    name: "Di Fox",
    email: "di@example.com",
    password: "correct-horse-1",
    password_confirmation: "correct-horse-1",
  }
  expect((await as()("POST", "/register", registered)).status).toBeLessThan(300)
  const post = (await asStaff("POST", "/posts", { name: "News" })).body.data
  const page = (await asStaff("POST", "/pages", { name: "About" })).body.data
  await asStaff("PUT", "/shop/settings", { currency: "GBP" })

  const events = await listEvents()
  expect(typesOf(events)).toEqual([
    ...["shop.product.created", "shop.order.placed", "shop.order.placed", "shop.order.updated"],
    ...["shop.message.received", "shop.review.created", "shop.customer.registered"],
    ...["shop.post.published", "shop.page.published", "shop.settings.updated"],
  ])
  for (const event of events) expect(event.data.store).toEqual({ id: store })
  const [created, first, second, updated, received, reviewed, joined, published, about, settings] = events
  expect(created?.data.product).toEqual(product)
  expect(created?.meta.actor).toEqual(owner)
  expect(first?.data.order).toEqual(placed)
  expect(first?.meta.actor).toEqual(buyer)
  expect(second?.data.order).toMatchObject({ number: "1002", user_id: null, customer: { ...guest, phone: null } })
  expect(second?.meta.actor).toEqual({ type: "customer", name: "Cy Ono" })
  expect(updated?.data).toMatchObject({
    order: { id: orderId, status: "paid" },
    changes: { status: { from: "pending", to: "paid" } },
  })
  expect(received?.data.message).toEqual(message)
  expect(reviewed?.data.review).toEqual(review)
  expect(reviewed?.meta.actor).toEqual(buyer)
  const [{ id } = { id: 0 }] = await siteRows("select id from users where email = 'di@example.com'")
  expect(joined?.data.customer).toMatchObject({
    id,
    name: "Di Fox",
    email: "di@example.com",
    phone: null,
    orders_count: 0,
  })
  expect(joined?.meta.actor).toEqual({ type: "customer", id, name: "Di Fox" })
  expect(published?.data.post).toMatchObject(post)
  expect(about?.data.page).toEqual(page)
  expect(settings?.data.changes).toEqual({ currency: { from: "USD", to: "GBP" } })

  for (const path of [`/products/${product.id}`, `/posts/${post.id}`, `/pages/${page.id}`]) {
    await asStaff("PUT", path, { name: "Renamed" })
    await asStaff("DELETE", path)
  }
  expect(typesOf(await listEvents()).slice(10)).toEqual([
    ...["shop.product.updated", "shop.product.deleted", "shop.post.updated", "shop.post.deleted"],
    ...["shop.page.updated", "shop.page.deleted"],
  ])
  expect(await siteRows("select 1 from site_events")).toEqual([])

  const password = { current_password: PASSWORD }
  expect((await asCustomer("DELETE", "/me", password)).status).toBeLessThan(300)
  const [left] = await listEvents("shop.customer.deleted")
  expect(left?.data.customer).toMatchObject({ id: customer.id, name: "Bo Li" })
  expect(left?.meta.actor).toEqual(buyer)

  // A new event has to be raised above. Its resource has the id that the batch gave to its row, not the placeholder.
  const raised = await listEvents()
  expect(new Set(typesOf(raised))).toEqual(new Set(SHOP_EVENTS))
  for (const { type, data } of raised) for (const resource of Object.values(data)) expect(resource.id, type).not.toBe(0)
})

/** Values for each field of an update, each of which differs from the one before. */
const UPDATES: Record<string, { path: string; create: object; values: Record<string, unknown[]> }> = {
  products: {
    path: "/products",
    create: { name: "Bowl", price_cents: 100, currency: "EUR" },
    values: {
      name: ["Jug", "Cup"],
      slug: ["jug", "cup"],
      description: ["Blue", null],
      images: [["https://x.example/a.png"], ["https://x.example/b.png", "https://x.example/a.png"], []],
      image: ["https://x.example/c.png", null],
      seo_title: ["T", null],
      seo_description: ["D", null],
      price_cents: [1, 2],
      currency: ["USD", "GBP"],
      stock: [0, 5, null],
      status: ["draft", "published"],
    },
  },
  posts: {
    path: "/posts",
    create: { name: "News" },
    values: {
      name: ["A", "B"],
      slug: ["a", "b"],
      description: ["Short", null],
      content: ["<p>x</p>", ""],
      image: ["https://x.example/a.png", null],
      featured: [true, false],
      categories: [["clay"], []],
      tags: [["blue", "green"], ["green"], []],
      author: [null],
      published_at: ["2026-01-02T10:00:00Z", null],
      created_at: ["2026-01-03T10:00:00Z"],
    },
  },
  pages: {
    path: "/pages",
    create: { name: "About" },
    values: {
      name: ["A", "B"],
      slug: ["a", "b"],
      description: ["Short", null],
      content: ["<p>x</p>", ""],
      image: ["https://x.example/a.png", null],
      template: ["wide", "default"],
    },
  },
}

const DERIVED = ["updated_at", "in_stock"]

/** The names of an object's fields, nested ones too. */
const listNames = (value: unknown): string[] =>
  value && typeof value === "object" && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, nested]) => [name, ...listNames(nested)])
    : []

/** Asserts that updates set every field of an operation's body. */
function assertEveryField(operation: string, updates: readonly object[]) {
  const names = listOperations("content").find(({ id }) => id === operation)?.bodyFields ?? []
  expect(new Set(updates.flatMap(listNames)), operation).toEqual(new Set(names))
}

/** The fields that differ between two reads of a resource. */
const compare = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  Object.fromEntries(
    Object.keys(after)
      .filter((name) => !DERIVED.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, { from: before[name], to: after[name] }]),
  )

test.each(Object.entries(UPDATES))(
  "the changes of an updated event are those that two reads of %s show, for every field and combinations",
  async (kind, { path, create, values }) => {
    const { asStaff, raisedBy } = await makeShop()
    await asStaff("POST", "/categories", { name: "Clay" })
    for (const name of ["Blue", "Green"]) await asStaff("POST", "/tags", { name })
    const { id } = (await asStaff("POST", path, create)).body.data
    const query = kind === "posts" ? "?include=author" : ""
    const read = async () => (await asStaff("GET", `${path}/${id}${query}`)).body.data
    const single = Object.entries(values).flatMap(([field, list]) => list.map((value) => ({ [field]: value })))
    // Other tests publish drafts.
    assertEveryField(`${kind}.update`, [...single, ...(kind === "products" ? [] : [{ status: "draft" }])])
    const all = (index: number) =>
      Object.fromEntries(Object.entries(values).map(([field, list]) => [field, list[index % list.length]]))
    for (const json of [...single, all(0), all(1), all(1), {}]) {
      const before = await read()
      const events = await raisedBy(() => asStaff("PUT", `${path}/${id}`, json))
      const after = await read()
      const changes = compare(before, after)
      const noun = kind.slice(0, -1)
      if (Object.keys(changes).length === 0) expect(events, JSON.stringify(json)).toEqual([])
      else {
        expect(typesOf(events), JSON.stringify(json)).toEqual([`shop.${noun}.updated`])
        expect(events[0]?.data.changes, JSON.stringify(json)).toEqual(changes)
        expect(events[0]?.data[noun], JSON.stringify(json)).toEqual(after)
      }
    }
  },
)

test("the changes of orders and settings are those that two reads show", async () => {
  const { asStaff, asCustomer, raisedBy } = await makeShop()
  const product = (await asStaff("POST", "/products", { name: "Bowl", price_cents: 100, currency: "EUR", stock: 9 }))
    .body.data
  const items = [{ product_id: product.id, quantity: 2 }]
  const order = `/orders/${(await asCustomer("POST", "/orders", { items })).body.data.id}`
  await asStaff("POST", "/pages", { name: "Terms" })
  // The order is already paid.
  const refused = { status: "paid" }
  const updates: [operation: string, path: string, bodies: object[]][] = [
    [
      "orders.move",
      order,
      [
        { tracking: "T1" },
        { staff_note: "Wrap it" },
        { status: "paid", tracking: null },
        refused,
        { status: "cancelled" },
      ],
    ],
    [
      "shop.update",
      "/shop/settings",
      [
        { tax_rate: 7, shipping: { flat_cents: 490 }, payment: { transfer: "IBAN" } },
        { tax_rate: 7 },
        { language: "fr", cors_origins: ["https://a.example"] },
        { name: "Harbor", address: "Pier 4" },
        { contact_email: "shop@harbor.example", timezone: "Europe/Paris", currency: "GBP" },
        { tax_number: "FR1", prices_include_tax: false, guest_orders: false, max_item_quantity: 5 },
        { prices_include_tax: true, guest_orders: true, address: null, tax_number: null },
        { shipping: { free_above_cents: 5000, pickup: true } },
        { shipping: { free_above_cents: null }, payment: { transfer: null, on_delivery: "Cash" } },
        { legal_pages: ["terms"] },
        { legal_pages: [], contact_email: null },
        {},
      ],
    ],
  ]
  for (const [operation, , bodies] of updates) assertEveryField(operation, bodies)
  for (const [path, json] of updates.flatMap(([, path, bodies]) => bodies.map((json) => [path, json] as const))) {
    const read = async () => (await asStaff("GET", path)).body.data
    const before = await read()
    const events = await raisedBy(async () => {
      const { body } = await asStaff("PUT", path, json)
      expect(Object.keys(body.errors ?? {}), JSON.stringify(json)).toEqual(json === refused ? ["status"] : [])
    })
    const merged = Object.assign({}, ...events.map(({ data }) => data.changes))
    expect(merged, JSON.stringify(json)).toEqual(compare(before, await read()))
    expect(new Set(typesOf(events)).size, JSON.stringify(json)).toBeLessThan(2)
  }
})

/** The operations whose changes the tests above compare. */
const RAISING = ["orders.move", "pages.update", "posts.update", "products.update", "shop.update"]

test("every other PUT and PATCH of the content API raises no event, and changes no resource that has one", async () => {
  const updates = routeTable(await loadContentRoutes()).filter(({ method }) => ["PUT", "PATCH"].includes(method))
  expect(updates.map(({ id }) => id)).toEqual(expect.arrayContaining(RAISING))
  const site = await makeSite()
  const staff = await site.createUser({ isStaff: true })
  const listEvents = () => rows("select type from webhook_events where type like 'shop.%'")
  const read = async () => [
    (await site.send("GET", "/shop/settings", staff)).body.data,
    ...(await Promise.all(
      ["posts", "post_categories", "post_tags", "pages", "products", "orders"].map((table) =>
        siteRows(`select * from ${table}`),
      ),
    )),
  ]
  for (const { id } of updates) {
    const send = await WRITES[id]?.(site)
    const [before, events] = [await read(), await listEvents()]
    expect((await send?.())?.status, id).toBeLessThan(300)
    const raised = (await listEvents()).slice(events.length)
    if (RAISING.includes(id)) expect(raised, id).toMatchObject([{ type: expect.stringMatching(/\.updated$/) }])
    else expect([raised, await read()], id).toEqual([[], before])
  }
})

test("drafts raise nothing, publishing raises published only, and stock that an order moves raises nothing", async () => {
  const { asStaff, asCustomer, raisedBy } = await makeShop()
  for (const noun of ["post", "page"]) {
    const path = `/${noun}s`
    const raised = async (method: string, url: string, json?: object) =>
      typesOf(await raisedBy(() => asStaff(method, url, json)))
    expect(await raised("POST", path, { name: "Draft", status: "draft" })).toEqual([])
    expect(await raised("PUT", `${path}/draft`, { name: "Still" })).toEqual([])
    expect(await raised("PUT", `${path}/draft`, { name: "Out", status: "published" })).toEqual([
      `shop.${noun}.published`,
    ])
    expect(await raised("PUT", `${path}/draft`, { status: "draft" })).toEqual([`shop.${noun}.updated`])
    expect(await raised("DELETE", `${path}/draft`)).toEqual([])
  }
  const product = (await asStaff("POST", "/products", { name: "Bowl", price_cents: 1, currency: "EUR", stock: 9 })).body
    .data
  const events = await raisedBy(() =>
    asCustomer("POST", "/orders", { items: [{ product_id: product.id, quantity: 1 }] }),
  )
  expect(typesOf(events)).toEqual(["shop.order.placed"])
})

test("operators' commands raise the same events, and those of the central site none", async () => {
  const { store, raisedBy } = await makeShop()
  const save = (command: string, json: object) => sendOperatorCommand(command, { site: store, ...json })
  expect(typesOf(await raisedBy(() => save("posts:save", { name: "News" })))).toEqual(["shop.post.published"])
  const [updated] = await raisedBy(() => save("posts:save", { name: "Old", slug: "news" }))
  expect(updated).toMatchObject({ type: "shop.post.updated", data: { changes: { name: { from: "News", to: "Old" } } } })
  expect(await raisedBy(() => save("posts:save", { name: "Old", slug: "news" }))).toEqual([])
  expect(typesOf(await raisedBy(() => save("pages:save", { name: "About" })))).toEqual(["shop.page.published"])
  const [page] = await raisedBy(() => save("pages:save", { name: "Us", slug: "about" }))
  expect(page?.data.changes).toEqual({ name: { from: "About", to: "Us" } })
  await sendOperatorCommand("posts:save", { site: "central", name: "News" })
  expect(await rows("select 1 from webhook_events where store_id = 'central'")).toEqual([])
})

test("an order that is not paid in time raises an update by the system", async () => {
  const { asStaff, asCustomer, listEvents } = await makeShop()
  const product = (await asStaff("POST", "/products", { name: "Bowl", price_cents: 1, currency: "EUR" })).body.data
  await asCustomer("POST", "/orders", { items: [{ product_id: product.id, quantity: 1 }] })
  vi.setSystemTime(addMs(new Date(), 2 * DAY))
  const { expireOrders } = await import("../../src/apps/ecommerce/orders/expire")
  await run((ctx) => expireOrders(ctx, "SITES_1"))
  expect((await listEvents("shop.order.updated"))[0]).toMatchObject({
    data: { changes: { status: { from: "pending", to: "cancelled" } } },
    meta: { actor: { type: "system", name: "system" } },
  })
  vi.useRealTimers()
})

describe("delivery", () => {
  const subscribe = async ({
    stores,
    ...json
  }: {
    events: string[]
    stores?: string[]
    filter?: FilterCondition[]
  }) => {
    const seqs = await rows(
      `select seq from stores where id in (select value from json_each(?))`,
      JSON.stringify(stores ?? []),
    )
    return makeEndpoint({ ...json, ...(stores && { stores, storeSeqs: seqs.map(({ seq }) => Number(seq)) }) })
  }

  test("reaches endpoints that name the event or a wildcard of its resource, of the store's incarnation", async () => {
    const { store, key, asStaff } = await makeShop()
    const other = await makeReadyStore()
    const names: Record<number, string> = {}
    const endpoints: Record<string, Parameters<typeof subscribe>[0]> = {
      all: { events: ["*"] },
      shop: { events: ["shop.*"] },
      product: { events: ["shop.product.*"] },
      created: { events: ["shop.product.created"] },
      order: { events: ["shop.order.*", "order.*"] },
      store: { events: ["shop.*"], stores: [store] },
      other: { events: ["shop.*"], stores: [other] },
      filtered: { events: ["shop.*"], filter: [{ path: "data.product.price_cents", op: "gt", value: 100 }] },
    }
    for (const [name, json] of Object.entries(endpoints)) {
      names[(await subscribe(json)).id] = name
    }
    await asStaff("POST", "/products", { name: "Bowl", price_cents: 100, currency: "EUR" })
    const deliveries = await rows(
      "select endpoint_id from webhook_deliveries where event = 'shop.product.created' order by 1",
    )
    expect(deliveries.map(({ endpoint_id }) => names[Number(endpoint_id)])).toEqual([
      "shop",
      "product",
      "created",
      "store",
    ])
    const created = await platform("POST", "/keys", {
      token: key,
      json: { name: "Other", scopes: ["events:read"], store_ids: [other] },
    })
    const limited = created.body.key
    expect((await platform("GET", "/events?types=shop.*", { token: limited })).body.data).toEqual([])
    expect(
      (await platform("GET", "/events?types=*", { token: key })).body.data.map(({ type }: ShopEvent) => type),
    ).not.toContain("shop.product.created")
    const catalog = (await platform("GET", "/platform", { token: key })).body.data.webhook_events
    expect(catalog).toContain("shop.product.created")
  })

  test("contains only ids in its thin form, and cuts long texts in changes only", async () => {
    const { store, key, asStaff, listEvents } = await makeShop()
    const { id: endpoint } = await makeEndpoint({ events: ["shop.product.updated"], payloadFormat: "thin" })
    const hook = mockReceiver()
    const { id } = (await asStaff("POST", "/products", { name: "Bowl", price_cents: 1, currency: "EUR" })).body.data
    const description = "x".repeat(20_000)
    await asStaff("PUT", `/products/${id}`, { slug: "jug", description })
    const [event] = await listEvents("shop.product.updated")
    expect(event?.data.product?.description).toBe(description)
    expect(event?.data.changes?.description).toEqual({ from: null, to: `${"x".repeat(10_000)}…` })
    const [delivery] = await rows("select id from webhook_deliveries where endpoint_id = ?", endpoint)
    await platform("POST", `/webhooks/deliveries/${delivery?.id}/retry`, { token: key })
    expect(hook.events()[0]?.data).toEqual({ store: { id: store }, product: { id } })
  })

  test("forwards each event once and in commit order, also after a Worker died in between", async () => {
    const { asStaff, listEvents } = await makeShop()
    const put = (id: number, name: string) => asStaff("PUT", `/products/${id}`, { name })
    const { id } = (await asStaff("POST", "/products", { name: "0", price_cents: 1, currency: "EUR" })).body.data
    // The outbox is kept as a Worker leaves it that dies between forwarding and cleaning up.
    await env.SITES_1.exec("create trigger keep before delete on site_events begin select raise(ignore); end")
    for (const name of ["1", "2", "3"]) await put(id, name)
    await env.SITES_1.exec("drop trigger keep")
    await Promise.all(["4", "5"].map((name) => put(id, name)))
    await cron("* * * * *")
    const names = (await listEvents("shop.product.updated")).map(({ data }) => data.product?.name)
    expect(names.slice(0, 3)).toEqual(["1", "2", "3"])
    expect(names.slice(3).sort()).toEqual(["4", "5"])
    expect(await siteRows("select 1 from site_events")).toEqual([])
    expect((await call("GET", "/api/health-check")).status).toBe(200)
  })
})
