// Lists of the console: bulk actions, columns, sorting, and the results of a search by the operator's role.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { LISTS_WITH_VIEWS } from "../../src/console/paths"
import { validInput } from "../../src/core/http/input"
import { RequestOrder } from "../../src/platform/orders/schemas"
import { approveOrder, requestOrder } from "../../src/platform/orders/service"
import { saveOfflineSettings } from "../../src/platform/orders/settings"
import { run } from "../support/app"
import { makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { multiplyRows } from "../support/duplicate-rows"
import { makeEndpoint, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { externalClient, makeActive } from "../support/license-factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"
import { createSampleData } from "./sample-data"
import { signIn } from "./support"

const listDeliveries = async () =>
  (await env.DB.prepare("select id, status from webhook_deliveries order by id").all<{ id: number; status: string }>())
    .results

/** Creates an endpoint with as many deliveries, which all failed permanently. */
async function makeExhausted(count: number): Promise<number[]> {
  await makeEndpoint()
  for (let index = 0; index < count; index++) await makeStore({ subdomain: `shop${index}` })
  await env.DB.exec(
    "update webhook_deliveries set status = 'exhausted', attempt = 6, error = 'http_500', next_attempt_at = null",
  )
  return (await listDeliveries()).map(({ id }) => id)
}

test("retries the selected deliveries only, and those that were delivered meanwhile not again", async () => {
  const admin = await signIn()
  const [first = 0, second = 0, third = 0] = await makeExhausted(3)
  const list = await admin.get("/console/deliveries?status=exhausted")
  expect(list.text).toContain("To retry all, filter by endpoint.")
  expect(list.text).toContain(`name="deliveries" value="${first}" form="bulk" aria-label="Select delivery #${first}"`)
  expect(list.text).toContain(`aria-label="Retry: #${first}"`)
  const receiver = mockReceiver()
  const fields = { deliveries: [String(first), String(second)], filter: "status=exhausted&done=saved" }
  const sent = await admin.post("/console/deliveries/retry", fields)
  expect([sent.status, sent.headers.get("Location")]).toEqual([
    303,
    "/console/deliveries?status=exhausted&done=retrying",
  ])
  expect(receiver.requests).toHaveLength(2)
  expect(Object.fromEntries((await listDeliveries()).map(({ id, status }) => [id, status]))).toEqual({
    [first]: "delivered",
    [second]: "delivered",
    [third]: "exhausted",
  })
  expect(
    await rows("select subject_id from audit_entries where type = 'delivery_retried' order by subject_id"),
  ).toEqual([first, second].map((id) => ({ subject_id: String(id) })))
  await admin.post("/console/deliveries/retry", fields)
  expect(receiver.requests).toHaveLength(2)
  const unselected = await admin.post("/console/deliveries/retry", {})
  expect([unselected.status, unselected.text.includes("no row is selected")]).toEqual([422, true])
  const many = Array.from({ length: 51 }, (_, index) => String(index + 1))
  expect((await admin.post("/console/deliveries/retry", { deliveries: many })).status).toBe(422)
  expect((await (await signIn({ role: "finance" })).post("/console/deliveries/retry", fields)).status).toBe(403)
})

test("attempts no more deliveries of an endpoint that has timed out", async () => {
  const admin = await signIn()
  const ids = await makeExhausted(6)
  const receiver = mockReceiver(() => {
    throw new DOMException("The operation timed out", "TimeoutError")
  })
  await admin.post("/console/deliveries/retry", { deliveries: ids.map(String) })
  // Three attempts run in parallel.
  expect(receiver.requests).toHaveLength(3)
  expect((await listDeliveries()).map(({ status }) => status)).toEqual(Array(6).fill("exhausted"))
})

test("keeps the response of each attempt, and names a failed retry a failure", async () => {
  const admin = await signIn()
  const [id = 0] = await makeExhausted(1)
  const replies = ["<b>first</b> failure", "second failure", "thanks"]
  mockReceiver((_, count) => new Response(replies[count - 1] ?? "", { status: count < 3 ? 503 : 200 }))
  const retry = () => admin.post(`/console/webhooks/deliveries/${id}/retry`)
  const failed = await retry()
  expect(failed.headers.get("Location")).toBe(`/console/deliveries/${id}?done=retry_failed`)
  expect((await admin.get(failed.headers.get("Location") ?? "")).text).toContain('data-tone="bad"><p role="status">')
  await retry()
  expect((await retry()).headers.get("Location")).toBe(`/console/deliveries/${id}?done=retried`)
  const { text } = await admin.get(`/console/deliveries/${id}`)
  for (const excerpt of ["&lt;b&gt;first&lt;/b&gt; failure", "second failure", "thanks"])
    expect(text).toContain(`<pre>${excerpt}</pre>`)
})

test("says that a retry could not be made while DNS is down", async () => {
  const admin = await signIn()
  const [id = 0] = await makeExhausted(1)
  mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
  const { headers } = await admin.post(`/console/webhooks/deliveries/${id}/retry`)
  expect(headers.get("Location")).toBe(`/console/deliveries/${id}?done=retry_released`)
  expect((await admin.get(headers.get("Location") ?? "")).text).toContain("because DNS did not respond")
})

test("tells a delivery that is retried from one that failed permanently, and groups failures by kind", async () => {
  const admin = await signIn()
  await makeExhausted(3)
  const [first, second] = await listDeliveries()
  await env.DB.exec(`update webhook_deliveries set status = 'failed' where id = ${first?.id}`)
  await env.DB.exec(
    "update webhook_deliveries set error = 'Error: internal error; reference = ' || id, updated_at = unixepoch() * 1000",
  )
  const { text } = await admin.get("/console/deliveries")
  expect(text).toContain('<span class="badge" data-tone="warn">Will retry</span>')
  expect(text).toContain('<span class="badge" data-tone="bad">Failed permanently</span>')
  const overview = (await admin.get("/console")).text
  const tasks = [...overview.matchAll(/<b>([^<]+)<\/b><a href="([^"]+)"/g)].map(([, count, href]) => [count, href])
  expect(tasks.map(([count]) => count)).toEqual(["2"])
  const found = await admin.get((tasks[0]?.[1] ?? "").replaceAll("&amp;", "&"))
  expect(found.text).toContain(`#${second?.id}<`)
})

test("sorts by a column's head and shows the chosen columns, with both in the URL", async () => {
  const admin = await signIn()
  await makeStore({ subdomain: "zebra", name: "Zebra" })
  await makeStore({ subdomain: "apple", name: "Apple" })
  const { text } = await admin.get("/console/stores?status=pending")
  expect(text).toContain('<a href="/console/stores?status=pending&amp;sort=name" class="sort">Store</a>')
  const sorted = (await admin.get("/console/stores?sort=name&columns=Owner&columns=Nothing")).text
  expect(sorted).toContain('aria-sort="ascending"><a href="/console/stores?sort=-name&amp;columns=Owner')
  expect(sorted.indexOf(">Apple<")).toBeLessThan(sorted.indexOf(">Zebra<"))
  const heads = [...sorted.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)/g)].map(([, head]) => head)
  expect(heads).toEqual(["Store", "Owner"])
})

test("sorts orders, payments, invoices and subscriptions by date in both directions, and reads one page", async () => {
  const admin = await signIn()
  const { slug } = await makePlan({ price_cents: 4900 })
  await run((ctx) => saveOfflineSettings(ctx, { enabled: true }))
  for (const subdomain of ["first", "second"]) {
    const store = await makeReadyStore({ subdomain, plan: slug })
    const { reference } = await run((ctx) => requestOrder(ctx, store, validInput(RequestOrder, { plan: slug })))
    await run((ctx) => approveOrder(ctx, { reference }))
  }
  for (const list of ["orders", "payments", "invoices", "subscriptions"]) {
    const path = `/console/${list}`
    const newest = (await admin.get(path)).text
    expect(newest, list).toContain(`<a href="${path}?sort=created_at" class="sort">`)
    expect(newest.indexOf("/console/stores/second"), list).toBeLessThan(newest.indexOf("/console/stores/first"))
    const oldest = (await admin.get(`${path}?sort=created_at`)).text
    expect(oldest, list).toContain(`aria-sort="ascending"><a href="${path}" class="sort">`)
    expect(oldest.indexOf("/console/stores/first"), list).toBeLessThan(oldest.indexOf("/console/stores/second"))
    const file = (await admin.get(`${path}.csv?sort=created_at`)).text
    expect(file.indexOf('"first"'), list).toBeLessThan(file.indexOf('"second"'))
  }
  await multiplyRows(env.DB, 2_000, { onlyTables: ["orders"] })
  const rowsOf = async (query: string) => (await costsOf(() => admin.get(`/console/orders?${query}`))).rowsRead
  for (const filter of ["", "status=paid&"])
    expect(await rowsOf(`${filter}sort=created_at`), filter).toBeLessThanOrEqual((await rowsOf(filter)) + 5)
})

test("previews a bulk action for all stores that match the filter, at most a hundred", async () => {
  const admin = await signIn()
  for (const subdomain of ["one", "two"]) await makeReadyStore({ subdomain })
  await makeStore({ subdomain: "later" })
  const query = new URLSearchParams({ action: "suspend", filter: "status=ready&page=9" })
  const matching = await admin.get(`/console/stores/bulk/matching?${query}`)
  expect(matching.status).toBe(303)
  const preview = await admin.get(matching.headers.get("Location") ?? "")
  expect(preview.text).toContain("Suspend 2 stores<")
  expect(preview.text).toContain('data-tone="warn">Suspend<')
  expect(preview.text).not.toContain(">later<")
  expect((await (await signIn({ role: "viewer" })).get(`/console/stores/bulk/matching?${query}`)).status).toBe(403)
})

test("finds pages, actions, people and documents, and offers actions only to those who may run them", async () => {
  await makePlan({ slug: "pro" })
  const store = await makeReadyStore({ subdomain: "acme", plan: "pro" })
  await makeActive(await externalClient(), { email: "mira@northwind.example" })
  const [admin, viewer] = [await signIn({ name: "Ada Lovelace" }), await signIn({ role: "viewer", name: "Vera" })]
  await env.DB.prepare(
    `insert into payments (store_id, store_seq, provider, number, plan, amount_cents, currency, paid_at, created_at)
     values (?, 1, 'local', 'R-2026-0001', 'pro', 100, 'EUR', 1, 1)`,
  )
    .bind(store)
    .run()
  const find = async (q: string, browser = admin) =>
    (await browser.get(`/console/search?q=${encodeURIComponent(q)}`)).text
  expect(await find("new sto")).toContain('<a href="/console/stores/new">New store</a>')
  expect(await find("new sto", viewer)).not.toContain('href="/console/stores/new"')
  expect(await find("audit", viewer)).toContain('<a href="/console/audit">Audit log</a>')
  expect(await find("lovelace")).toMatch(/<a href="\/console\/operators\/\d+">Ada Lovelace, /)
  expect(await find("northwind")).toMatch(/<a href="\/console\/licenses\/\d+">mira@northwind\.example, /)
  expect(await find("r-2026-0001")).toBe("")
})

test("finds orders and invoices by the start of their number, and reads a limited number of rows", async () => {
  await makePlan({ slug: "pro" })
  await makeReadyStore({ subdomain: "acme", name: "Acme Ceramics", plan: "pro" })
  const insertOrder = env.DB.prepare(
    `insert into orders (reference, store_id, store_seq, status, plan, plan_name, amount_cents, currency, interval, created_at, updated_at)
     values (?, 'acme', 1, 'paid', 'pro', 'Pro', 100, 'EUR', 'month', 1, 1)`,
  )
  const insertInvoice = env.DB.prepare(
    `insert into invoices (kind, number, store_id, store_seq, gross_cents, currency, document, issued_at, created_at)
     values ('invoice', ?, 'acme', 1, 100, 'EUR', '{}', 1, 1)`,
  )
  const insertPayment = env.DB.prepare(
    `insert into payments (store_id, store_seq, provider, number, plan, amount_cents, currency, paid_at, created_at)
     values ('acme', 1, 'local', ?, 'pro', 100, 'EUR', 1, 1)`,
  )
  const fill = (from: number, to: number) =>
    env.DB.batch(
      Array.from({ length: to - from }, (_, n) => String(from + n).padStart(6, "0")).flatMap((n) => [
        ...[insertOrder.bind(`PO-${n}`), insertInvoice.bind(`Rg-2026-${n}`), insertPayment.bind(`Rg-2026-${n}`)],
        insertPayment.bind(`OLD-${n}`),
      ]),
    )
  await fill(1, 31)
  const viewer = await signIn({ role: "viewer" })
  const search = (q: string) => viewer.get(`/console/search?q=${encodeURIComponent(q)}`)
  const find = async (q: string) =>
    [...(await search(q)).text.matchAll(/href="\/console\/(?:orders|invoices)\/([^"]+)"/g)].map(([, number]) => number)
  expect(await find("po-00003")).toEqual(["PO-000030"])
  expect(await find("PO-00001")).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `PO-00001${n}`))
  expect(await find("Rg-2026-00003")).toEqual(["Rg-2026-000030"])
  expect(await find("old-00003")).toEqual(["OLD-000030"])
  for (const other of ["PO-9", "O-0", "%-0", "po-", "2026-0"]) expect(await find(other), other).toEqual([])
  expect((await search("po-000030")).headers.get("Location")).toBe("/console/orders/PO-000030")
  expect((await search("Rg-2026-000030")).headers.get("Location")).toBe("/console/invoices/Rg-2026-000030")
  const all = await search("PO-0")
  expect(all.text).toContain('name="q" type="search" value="PO-0"')
  expect(all.text).toContain('<a href="/console/stores/acme">acme</a>')
  expect(all.text).toContain("€1.00")
  expect([(await find("PO-0")).length, all.text.includes("Only the latest 20 of each are shown.")]).toEqual([20, true])

  const cost = async () => [await costsOf(() => search("PO-0")), await costsOf(() => search("Rg-2026"))]
  const before = await cost()
  await fill(31, 531)
  const after = await cost()
  expect(after.map(({ rowsRead }) => rowsRead)).toEqual(before.map(({ rowsRead }) => rowsRead))
  expect(after.map(({ roundTrips }) => roundTrips)).toEqual(before.map(({ roundTrips }) => roundTrips))

  for (const page of [await search("ceramics"), await viewer.get("/console/stores/acme/billing")]) {
    expect(page.text).toContain('<a href="/console/orders?store=acme" aria-label="Orders of acme">Orders</a>')
    expect(page.text).toContain('<a href="/console/invoices?store=acme" aria-label="Invoices of acme">Invoices</a>')
  }
})

test("finds users of stores in all databases by their complete email address, with a constant number of rows read", async () => {
  await makeSecondDatabase()
  const [near, far] = [await makeReadyStore({ subdomain: "near" }), await makeReadyStore({ subdomain: "far" })]
  await env.DB.exec("update stores set database = iif(id = 'far', 'SITES_2', 'SITES_1')")
  const address = { email: "Mira@Northwind.example", emailKey: "mira@northwind.example" }
  const customer = await makeUser(near, address)
  const columns =
    "id, first_name, last_name, password_hash, is_staff, created_at, updated_at, email, email_key, site_id"
  // The second row is a copy, as site migrations make them.
  for (const [id, site] of [far, near].entries())
    await env.SITES_2.exec(
      `insert into users (${columns}) values (${70 + id}, 'Mira', '', '', 0, 1, 1, '${address.email}', '${address.emailKey}', '${site}')`,
    )
  const viewer = await signIn({ role: "viewer" })
  const search = async (q: string) => (await viewer.get(`/console/search?q=${encodeURIComponent(q)}`)).text
  const find = async (q: string) =>
    [...(await search(q)).matchAll(/href="(\/console\/sites\/\w+\/users\/\d+)"/g)].map(([, href]) => href)
  const both = [`/console/sites/near/users/${customer.id}`, "/console/sites/far/users/70"]
  expect(await find(" mira@NORTHWIND.example ")).toEqual(both)
  for (const part of ["mira", "mira@northwind", "@northwind.example", "mira@%.example"])
    expect(await find(part)).toEqual([])
  expect((await viewer.get(both[0] ?? "")).status).toBe(200)

  const before = await costsOf(() => find(address.email))
  await multiplyRows(env.SITES_1, 2_000, { onlyTables: ["users"] })
  const after = await costsOf(() => find(address.email))
  expect([before.roundTrips, after.roundTrips]).toEqual([5, 5])
  expect(after.rowsRead).toBe(before.rowsRead)
  // At most 20 accounts are read from each database, however many stores know the address.
  await env.SITES_1.exec(`update or ignore users set email_key = '${address.emailKey}', site_id = 'shop-' || id`)
  expect((await costsOf(() => find(address.email))).rowsRead).toBeLessThan(before.rowsRead + 100)
  expect(await search(address.email)).toContain("Only the first 20 stores of each database are shown.")

  failRoundTrips((statements) => (statements.some((sql) => sql.includes("user_search")) ? "before" : null))
  expect(await search(address.email)).toMatch(/role="alert">[^<]*SITES_1, SITES_2/)
})

test("shows the chosen columns of every list that has saved views, and all of them by default", async () => {
  await createSampleData()
  const admin = await signIn()
  const headsOf = (html: string) =>
    [...html.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)/g)].map(([, head]) => head)
  for (const list of LISTS_WITH_VIEWS) {
    const [first, , chosen = "", ...others] = headsOf((await admin.get(list)).text)
    expect(others.length, list).toBeGreaterThan(0)
    const page = await admin.get(`${list}?columns=${encodeURIComponent(chosen)}`)
    expect(headsOf(page.text), list).toEqual([first, chosen])
  }
})

test("shows the months of charts by name, with the year unless it is the current one", async () => {
  const admin = await signIn()
  const insert = env.DB.prepare(
    `insert into figures (day, recurring, stores, trials, conversions, cancellations, counted_until, created_at)
     values (?, '[]', '{}', 1, 1, 1, 0, 0)`,
  )
  const now = new Date()
  const year = now.getUTCFullYear()
  await env.DB.batch([`${year - 1}-12-31`, now.toISOString().slice(0, 10)].map((day) => insert.bind(day)))
  const { text } = await admin.get("/console?period=12m")
  const name = now.toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" })
  const before = `<time datetime="${year - 1}-12">Dec ${year - 1}</time>`
  const current = `<time datetime="${now.toISOString().slice(0, 7)}">${name}</time>`
  const [, churn = ""] = /<section[^>]*id="moves"(.*?)<\/section>/s.exec(text) ?? []
  expect(churn).toContain(`<span>${before}</span><span>${current}</span>`)
  // The table of each of the two charts has a row for the month.
  for (const month of [before, current]) expect(text.split(`${month}</th>`)).toHaveLength(3)
})

test("limits charts to a period, and ignores an unknown one", async () => {
  const admin = await signIn()
  const endpoint = await makeEndpoint()
  const insert = env.DB.prepare(
    `insert into figures (day, recurring, stores, trials, conversions, cancellations, counted_until, created_at)
     values (?, '[]', '{}', ?, 0, 0, 0, 0)`,
  )
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  // One night was missed.
  const recorded = Array.from({ length: 40 }, (_, days) => days).filter((days) => days !== 3)
  await env.DB.batch(recorded.map((days) => insert.bind(dayBefore(days), days)))
  const read = async (path: string) => (await admin.get(path)).text
  const axisStart = (days: number) => `<span><time datetime="${dayBefore(days)}">`
  expect(await read("/console?period=7d")).toContain(axisStart(6))
  expect(await read("/console?period=30d")).toContain(axisStart(29))
  for (const period of ["", "?period=nonsense"]) expect(await read(`/console${period}`)).toContain(axisStart(39))
  const current = (html: string) => /aria-current="page">([^<]*(?:hours|days|months))/.exec(html)?.[1]
  expect(current(await read(`/console/webhooks/${endpoint.id}`))).toBe("24 hours")
  expect(current(await read(`/console/webhooks/${endpoint.id}?period=30d`))).toBe("30 days")
  expect(current(await read("/console/system?span=week"))).toBe("7 days")
})
