import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { validInput } from "../../src/core/http/input"
import { RequestOrder } from "../../src/platform/orders/schemas"
import { requestOrder } from "../../src/platform/orders/service"
import { saveOfflineSettings } from "../../src/platform/orders/settings"
import { call, run } from "../support/app"
import { makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { makeManyStores } from "../support/many-stores"
import { clearHistory, makeSubscribedStore } from "../support/subscription-factories"
import { type Browser, makeOperator, postForm, signIn } from "./support"

const rows = async <Row = Record<string, unknown>>(sql: string) => (await env.DB.prepare(sql).all<Row>()).results

/** Creates some of everything. @returns the paths of the pages that show it */
async function createEverything(): Promise<string[]> {
  await makePlan({ slug: "pro", name: "Pro", price_cents: 4900 })
  const store = await makeReadyStore({ subdomain: "acme", name: "Acme", plan: "pro" })
  const endpoint = await makeEndpoint()
  await makeKey()
  await run((ctx) => saveOfflineSettings(ctx, { enabled: true }))
  const order = await run((ctx) => requestOrder(ctx, store, validInput(RequestOrder, { plan: "pro" })))
  return [
    "/console",
    "/console/stores",
    "/console/stores/new",
    ...["", "/billing", "/domains", "/apps", "/shop", "/content", "/activity"].map(
      (tab) => `/console/stores/${store}${tab}`,
    ),
    "/console/plans",
    "/console/plans/pro",
    "/console/subscriptions",
    "/console/orders",
    `/console/orders/${order.reference}`,
    "/console/payments",
    "/console/invoices",
    "/console/tax",
    "/console/coupons",
    "/console/events/live",
    "/console/domains",
    "/console/webhooks",
    ...["", "/recovery", "/secret", "/settings"].map((tab) => `/console/webhooks/${endpoint.id}${tab}`),
    "/console/deliveries",
    "/console/events",
    "/console/keys",
    "/console/operators",
    "/console/audit",
    "/console/account",
    "/console/search?q=nothing-like-it",
    "/console/products",
    "/console/licenses",
    "/console/activations",
    "/console/license-keys",
    "/console/license-settings",
    "/console/system",
    ...["central", store].flatMap((site) =>
      ["posts", "pages", "categories", "tags", "media", "users", "tokens", "settings", "notifications"].map(
        (section) => `/console/sites/${site}/${section}`,
      ),
    ),
  ]
}

const getFormActions = (html: string): string[] =>
  [...html.matchAll(/<form[^>]*method="post"[^>]*>/g)].map(([form]) => /action="([^"]+)"/.exec(form)?.[1] ?? "")

test("renders every page with one heading, a title, a skip link and a breadcrumb, and guards all of its forms", async () => {
  const paths = await createEverything()
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const actions = new Set<string>()
  for (const path of paths) {
    const page = await admin.get(path)
    expect(page.status, path).toBe(200)
    expect(page.text.match(/<h1/g)?.length, path).toBe(1)
    expect(page.text).toMatch(/<title>[^<]+ · Tenancy console<\/title>/)
    expect(page.text).toContain('href="#main"')
    expect(page.text).not.toMatch(/\sstyle=|\son[a-z]+="/)
    if (path !== "/console") expect(page.text.includes('class="crumbs"'), path).toBe(true)
    for (const action of getFormActions(page.text)) actions.add(action)
    const seen = await viewer.get(path)
    expect(seen.status, path).toBe(200)
    const own = getFormActions(seen.text).filter((action) => !/^\/console\/(logout|account)/.test(action))
    expect(own, path).toEqual([])
  }
  expect(actions.size).toBeGreaterThan(50)

  // Every form: from a store's host, from a store's page, without a session, as a viewer. None of them changes
  // anything.
  const before = await rows("select id from audit_entries")
  for (const action of actions) {
    expect(
      (await postForm(action, {}, { host: "acme.localhost", headers: { Cookie: admin.cookie } })).status,
      action,
    ).toBe(404)
    const sameSite = await admin.post(action, {}, { headers: { "Sec-Fetch-Site": "same-site" } })
    expect(sameSite.status, action).toBe(403)
    const anonymous = await postForm(action)
    expect([anonymous.status, anonymous.headers.get("Location")?.split("?")[0]], action).toEqual([
      303,
      "/console/login",
    ])
    if (/^\/console\/(logout|account)/.test(action)) continue
    expect((await viewer.post(action)).status, action).toBe(403)
  }
  expect(await rows("select id from audit_entries")).toEqual(before)
})

test("loads a page in at most three round trips, and the system page in five", async () => {
  const paths = await createEverything()
  const admin = await signIn()
  for (const path of paths) {
    const { roundTrips } = await costsOf(() => admin.get(path))
    expect(roundTrips <= (path === "/console/system" ? 5 : 3), path).toBe(true)
  }
})

test("responds with a 404 page to an unknown id", async () => {
  const admin = await signIn()
  for (const path of [
    "/console/nowhere",
    "/console/stores/nobody",
    "/console/plans/none",
    "/console/orders/PO-999999",
    "/console/webhooks/99",
    "/console/webhooks/abc",
    "/console/deliveries/99",
    "/console/events/01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "/console/operators/99",
    "/console/sites/nobody/posts",
    "/console/sites/central/posts/none",
    "/console/products/none",
    "/console/licenses/99",
  ]) {
    const page = await admin.get(path)
    expect(page.status, path).toBe(404)
    expect(page.text).toContain("<h1>Not found</h1>")
  }
})

test("creates, edits, suspends, resumes and deletes a store, and keeps the values of a refused form", async () => {
  const admin = await signIn({ name: "Ada" })
  const typed = {
    subdomain: "Not OK",
    name: "Acme <b>",
    owner_email: "no address",
    password: "short",
    theme: "",
    plan: "",
  }
  const wrong = await admin.post("/console/stores", typed)
  expect(wrong.status).toBe(422)
  expect(wrong.text).toContain('value="Acme &lt;b&gt;"')
  expect(wrong.text).toContain('aria-describedby="subdomain-error subdomain-hint"')
  expect(wrong.text).toContain("The owner&#39;s email address field must be a valid email address.")
  expect(wrong.text).not.toContain("short")
  const good = { ...typed, subdomain: "acme", name: "Acme", owner_email: "clay@example.com", password: "correct-horse" }
  const created = await admin.post("/console/stores", good)
  expect([created.status, created.headers.get("Location")]).toEqual([303, "/console/stores/acme?done=store_created"])
  expect((await admin.post("/console/stores/acme/suspend")).status).toBe(422)
  expect((await admin.get("/console/stores/acme")).text).toContain('id="provisioning"')
  await env.DB.exec("update stores set status = 'ready', provisioned_at = 1, database = 'SITES_1' where id = 'acme'")
  expect((await admin.confirm("/console/stores/acme/suspend")).status).toBe(303)
  const again = await admin.get("/console/stores/acme/suspend")
  expect(again.status).toBe(422)
  expect(again.text).toContain('role="alert"')
  expect(
    (await admin.post("/console/stores/acme/edit", { name: "Acme Ceramics", owner_email: "clay@example.com" })).status,
  ).toBe(303)
  expect(await rows("select name, status from stores")).toEqual([{ name: "Acme Ceramics", status: "suspended" }])
  expect((await admin.confirm("/console/stores/acme/resume")).status).toBe(303)
  expect((await admin.post("/console/stores/acme/notes", { note: "Called, is happy." })).status).toBe(303)
  expect((await admin.get("/console/stores/acme")).text).toContain("Called, is happy.")
  expect((await admin.confirm("/console/stores/acme/delete", {}, { confirm: "amce" })).status).toBe(422)
  expect((await admin.confirm("/console/stores/acme/delete", {}, { confirm: "acme" })).status).toBe(303)
  expect(await rows("select id from stores")).toEqual([])
  const [entry] = await rows("select * from audit_entries where type = 'store_deleted'")
  expect(entry).toMatchObject({ actor_type: "admin", actor_name: "Ada", interface: "console", address: "192.0.2.1" })
})

test("changes several stores at once after a preview", async () => {
  const admin = await signIn()
  const [ready, pending] = [await makeReadyStore(), await makeStore()]
  const fields = { action: "suspend", stores: [ready, pending, "nobody"] }
  const query = new URLSearchParams([["action", "suspend"], ...fields.stores.map((id) => ["stores", id])])
  const preview = await admin.get(`/console/stores/bulk?${query}`)
  expect(preview.text).toContain("Suspend 1 store<")
  expect(await rows("select id from stores where status = 'suspended'")).toEqual([])
  const result = await admin.confirm("/console/stores/bulk", fields)
  expect(result.text).toContain("1 of 3 stores changed")
  expect(await rows("select id from stores where status = 'suspended'")).toEqual([{ id: ready }])
})

test("resumes several stores except those that nothing pays for, and mails the owners if asked", async () => {
  const admin = await signIn()
  const [paid, unpaid] = [await makeSubscribedStore(), await makeSubscribedStore({ status: "past_due" })]
  await env.DB.exec("update stores set status = 'suspended', operator_suspended_at = 1")
  await clearHistory()
  const fields = { action: "resume", stores: [paid, unpaid] }
  const query = new URLSearchParams([["action", "resume"], ...fields.stores.map((id) => ["stores", id])])
  const preview = await admin.get(`/console/stores/bulk?${query}`)
  expect(preview.text).toContain("Resume 1 store<")
  expect(preview.text).toMatch(/Subscription: past due.*nothing pays for this store/s)
  expect(preview.text).toContain(`href="/console/stores/${unpaid}/resume"`)
  expect(preview.text).toContain('name="tell_owner"')
  const result = await admin.confirm("/console/stores/bulk", { ...fields, reason: "Resolved", tell_owner: "true" })
  expect(result.text).toContain("1 of 2 stores changed")
  expect(await rows("select id from stores where status = 'ready'")).toEqual([{ id: paid }])
  expect(await rows("select kind, store_id from mails")).toEqual([{ kind: "resumed_by_operator", store_id: paid }])
})

test("extends several subscriptions and mails each owner the new end if asked", async () => {
  const admin = await signIn()
  const stores = [await makeSubscribedStore(), await makeSubscribedStore()]
  await clearHistory()
  const fields = { action: "extend", stores, days: "10" }
  await admin.confirm("/console/stores/bulk", { ...fields, tell_owner: "false" })
  expect(await rows("select kind from mails")).toEqual([])
  expect((await admin.confirm("/console/stores/bulk", { ...fields, tell_owner: "true" })).text).toContain(
    "2 of 2 stores changed",
  )
  const mails = await rows(
    `select mails.store_id, json_extract(mails.data, '$.until') = strftime('%Y-%m-%dT%H:%M:%S+00:00', current_period_ends_at / 1000, 'unixepoch') as is_end
     from mails join subscriptions using (store_id) where kind = 'operator_extended' order by mails.store_id`,
  )
  expect(mails).toEqual(stores.toSorted().map((store_id) => ({ store_id, is_end: 1 })))
})

test("exports the filtered stores as CSV without formulas", async () => {
  const admin = await signIn()
  await makeReadyStore({ subdomain: "evil", name: '=HYPERLINK("http://evil.example")' })
  await makeStore({ subdomain: "calm", name: "Calm, and collected" })
  const list = await admin.get("/console/stores?status=ready")
  expect(list.text).toContain('href="/console/stores.csv?status=ready"')
  const file = await admin.get("/console/stores.csv")
  expect(file.headers.get("Content-Type")).toBe("text/csv; charset=utf-8")
  const lines = file.text.split("\r\n")
  expect(lines[0]).toMatch(/^"id","name","status",/)
  expect(lines[1]).toContain(`"calm","Calm, and collected","pending"`)
  expect(lines[2]).toContain(`"evil","'=HYPERLINK(""http://evil.example"")","ready"`)
  expect((await admin.get("/console/stores.csv?status=ready")).text.split("\r\n")).toHaveLength(3)
})

test("exports each store once and in order, in every sort order and across chunks", async () => {
  const admin = await signIn()
  await makeManyStores(env.DB, 1_200)
  const csvOf = async (query: string) =>
    (await admin.get(`/console/stores.csv?${query}`)).text
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",")[0]?.slice(1, -1))
  const expected = async (where: string, order: string) =>
    (await rows<{ id: string }>(`select id from stores where ${where} order by ${order}`)).map(({ id }) => id)
  const sorts: Record<string, string> = {
    created_at: "seq",
    "-created_at": "seq desc",
    name: "name, seq",
    "-name": "name desc, seq desc",
  }
  for (const [sort, order] of Object.entries(sorts)) {
    const found: [string, string][] = [
      ["", "true"],
      ["status=suspended", "status = 'suspended'"],
      ["access_state=suspended&billing=local", "status = 'suspended' and billing = 'local'"],
      ["q=zephyr", "name like '%zephyr%'"],
      ["billing=none&theme=atelier", "billing = 'none'"],
    ]
    for (const [query, where] of found) {
      expect(await csvOf(`${query}&sort=${sort}`), `${query} ${sort}`).toEqual(await expected(where, order))
    }
  }
})

test("copies the plan and billing provider of a subscription to its store on every change", async () => {
  await makePlan({ slug: "pro" })
  await makePlan({ slug: "max" })
  const store = await makeReadyStore({ plan: "pro" })
  const listed = () => rows("select plan, billing from stores")
  expect(await listed()).toEqual([{ plan: "pro", billing: "local" }])
  await env.DB.exec(`update subscriptions set plan = json_set(plan, '$.slug', 'max') where store_id = '${store}'`)
  expect(await listed()).toEqual([{ plan: "max", billing: "local" }])
  await env.DB.exec(`update subscriptions set provider = 'stripe' where store_id = '${store}'`)
  expect(await listed()).toEqual([{ plan: "max", billing: "stripe" }])
  await env.DB.exec(`update subscriptions set plan = null where store_id = '${store}'`)
  expect(await listed()).toEqual([{ plan: null, billing: "stripe" }])
  await env.DB.exec(`delete from subscriptions where store_id = '${store}'`)
  expect(await listed()).toEqual([{ plan: null, billing: "none" }])
})

test("lists all disabled endpoints page by page, without deleted ones", async () => {
  const admin = await signIn()
  for (let i = 0; i < 52; i++) await makeEndpoint({ disabledAt: new Date(1_000 + i) })
  const gone = await makeEndpoint({ disabledAt: new Date() })
  await env.DB.exec(`update webhook_endpoints set deleted_at = 1 where id = ${gone.id}`)
  const shown = async (page: number) =>
    [
      ...(await admin.get(`/console/webhooks?state=stopped&page=${page}`)).text.matchAll(
        /<a href="\/console\/webhooks\/(\d+)"/g,
      ),
    ].map(([, id]) => Number(id))
  const [first, second] = [await shown(1), await shown(2)]
  expect([first.length, second.length]).toEqual([50, 2])
  expect(new Set([...first, ...second]).size).toBe(52)
  expect([...first, ...second]).not.toContain(gone.id)
  expect((await admin.get("/console")).text).toContain("<b>52</b>")
})

test("filters, searches and sorts stores", async () => {
  await makePlan({ slug: "pro" })
  const admin = await signIn()
  await makeReadyStore({ subdomain: "zebra", name: "Zebra", plan: "pro" })
  await makeStore({ subdomain: "apple", name: "Apple" })
  const shown = async (query: string) =>
    [...(await admin.get(`/console/stores?${query}`)).text.matchAll(/href="\/console\/stores\/(zebra|apple)"/g)].map(
      ([, id]) => id,
    )
  expect(await shown("")).toEqual(["apple", "zebra"])
  expect(await shown("sort=-name")).toEqual(["zebra", "apple"])
  expect(await shown("sort=name")).toEqual(["apple", "zebra"])
  expect(await shown("plan=pro")).toEqual(["zebra"])
  expect(await shown("billing=none")).toEqual(["apple"])
  expect(await shown("billing=local")).toEqual(["zebra"])
  expect(await shown("access_state=preparing")).toEqual(["apple"])
  expect(await shown("status=ready&q=zeb")).toEqual(["zebra"])
  expect(await shown("status=nonsense")).toEqual(["apple", "zebra"])
})

test("redirects a search for an exact id to its page", async () => {
  const admin = await signIn()
  const key = await makeKey()
  await makeReadyStore({ subdomain: "acme", name: "Acme Ceramics", owner_email: "clay@acme.example" })
  const to = async (q: string) => {
    const response = await admin.get(`/console/search?q=${encodeURIComponent(q)}`)
    return response.status === 303 ? response.headers.get("Location") : response.status
  }
  expect(await to("acme")).toBe("/console/stores/acme")
  const [event] = await rows<{ id: string }>("select id from webhook_events limit 1")
  expect(await to(event?.id ?? "")).toBe(`/console/events/${event?.id}`)
  expect(await to(key.slice(0, 12))).toMatch(/^\/console\/keys\?id=\d+$/)
  const found = await admin.get("/console/search?q=clay@acme")
  expect([found.status, found.text.includes("Acme Ceramics")]).toEqual([200, true])
  expect(await to("%_\"'<script>")).toBe(200)
  expect(await to("x".repeat(5000))).toBe(200)
})

test("redirects a search to its only result if the term is its number, domain or email address", async () => {
  const admin = await signIn()
  await makePlan({ slug: "pro" })
  const store = await makeReadyStore({ subdomain: "acme", plan: "pro" })
  const [operator] = await rows<{ id: number; email: string }>("select id, email from operators")
  await env.DB.prepare("update operators set email = 'ada.l@example.org' where id = ?").bind(operator?.id).run()
  await env.DB.prepare(
    `insert into payments (store_id, store_seq, provider, number, plan, amount_cents, currency, paid_at, created_at)
     values (?, 1, 'local', 'R-2026-0001', 'pro', 100, 'EUR', 1, 1)`,
  )
    .bind(store)
    .run()
  const customer = await makeUser(store, { email: "mira@northwind.example" })
  await env.DB.prepare(
    "insert into domains (domain, store_id, is_primary, is_fallback, verified_at, created_at) values (?, ?, 0, 0, 1, 1)",
  )
    .bind("shop.northwind.example", store)
    .run()
  const to = async (q: string) => {
    const response = await admin.get(`/console/search?q=${encodeURIComponent(q)}`)
    return response.status === 303 ? response.headers.get("Location") : response.status
  }
  expect(await to("Shop.Northwind.example")).toBe("/console/stores/acme/domains")
  expect(await to("northwind.example")).toBe(200)
  expect(await to("r-2026-0001")).toBe("/console/invoices/R-2026-0001")
  expect(await to("ADA.L@example.org")).toBe(`/console/operators/${operator?.id}`)
  expect(await to("mira@northwind.example")).toBe(`/console/sites/${store}/users/${customer.id}`)
  // A part of a name is no exact match, a page is another result, and so is another person.
  expect(await to("ada.l@example")).toBe(200)
  expect(await to("audit")).toBe(200)
  await makeOperator({ email: "mira@northwind.example" })
  expect(await to("mira@northwind.example")).toBe(200)
})

test("previews the approval of an order, and approves it with the same result", async () => {
  await makePlan({ slug: "pro", price_cents: 4900 })
  const admin = await signIn()
  const store = await makeReadyStore()
  expect((await admin.post("/console/orders", { store, plan: "pro" })).status).toBe(422)
  expect(
    (
      await admin.post("/console/orders/settings", {
        enabled: "true",
        label: "Transfer",
        instructions: "",
        receipt_prefix: "INV",
      })
    ).status,
  ).toBe(303)
  const created = await admin.post("/console/orders", { store, plan: "pro", note: "" })
  expect(created.headers.get("Location")).toBe("/console/orders/PO-000001?done=order_requested")
  const number = `INV-${new Date().getUTCFullYear()}-000001`
  expect((await admin.get("/console/orders/PO-000001")).text).toContain(number)
  const tax = { net_cents: 1000, tax_cents: 190, tax: { name: "VAT", rate: 1900 }, reverse_charge: false }
  await env.DB.prepare("update orders set kind = 'difference', tax = ?").bind(JSON.stringify(tax)).run()
  const difference = (await admin.get("/console/orders/PO-000001")).text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ")
  expect(difference).toContain("€49.00 / month Pays for The rest of the paid period")
  expect(difference).toContain("Amount €49.00 including €1.90 tax")
  await env.DB.exec("update orders set kind = null, tax = null")
  expect((await admin.confirm("/console/orders/PO-000001/approve")).status).toBe(303)
  expect(await rows("select status, number from orders")).toEqual([{ status: "paid", number }])
  expect((await admin.post("/console/orders/PO-000001/approve")).status).toBe(422)
  expect((await admin.get("/console/payments")).text).toContain(number)
  expect((await admin.get("/console/search?q=po-000001")).headers.get("Location")).toBe("/console/orders/PO-000001")
})

test("counts the items that need attention and links each to its list", async () => {
  const admin = await signIn()
  await makeStore({ subdomain: "broken" })
  await env.DB.exec("update stores set status = 'failed' where id = 'broken'")
  await makeEndpoint({ disabledAt: new Date() })
  await env.DB.exec(
    "insert into alerts values ('dead_letters', 1, 0, null, 5, 1), ('deliveries_late', 0, 0, null, 0, 2)",
  )
  const page = await admin.get("/console")
  const tasks = [...page.text.matchAll(/<b>([^<]+)<\/b><a href="([^"]+)"/g)].map(([, count, href]) => [count, href])
  expect(tasks).toEqual([
    ["1", "/console/system#alerts"],
    ["1", "/console/stores?status=failed"],
    ["1", "/console/webhooks?state=stopped"],
  ])
  expect((await admin.get("/console/stores?status=failed")).text).toContain("/console/stores/broken")
  expect((await admin.post("/console/stores/broken/reprovision")).status).toBe(303)
  expect(await rows("select status from stores")).toEqual([{ status: "pending" }])
})

test("saves posts, tags, tokens and settings of a site", async () => {
  const admin: Browser = await signIn()
  const store = await makeReadyStore()
  for (const site of ["central", store]) {
    const base = `/console/sites/${site}`
    expect((await admin.post(`${base}/tags`, { name: "News", slug: "news" })).status).toBe(303)
    const post = {
      name: "Hello",
      slug: "hello",
      description: "",
      content: "<p>Hi</p>",
      image: "",
      status: "draft",
      categories: "",
      tags: "news",
      author: "",
      featured: "false",
    }
    expect((await admin.post(`${base}/posts`, post)).status).toBe(303)
    expect((await admin.get(`${base}/posts/hello`)).text).toContain("&lt;p&gt;Hi&lt;/p&gt;")
    expect((await admin.post(`${base}/posts/hello/edit`, { ...post, name: "" })).status).toBe(422)
    expect((await admin.post(`${base}/tokens`, { name: "Server", type: "internal" })).text).toMatch(/tns_\w{8}_\w{40}/)
    expect(
      (
        await admin.post(`${base}/settings`, {
          api: "false",
          "require-key": "false",
          "email-verification": "true",
          language: "fr",
        })
      ).status,
    ).toBe(303)
  }
  expect(await rows("select language, api_enabled from site_settings")).toHaveLength(2)
  expect((await admin.get("/console/sites/central")).status).toBe(303)
  expect((await call("GET", "/console/sites/central/posts")).status).toBe(303)
})

test("shows the signed request of a delivery, and retries it", async () => {
  const admin = await signIn()
  const endpoint = await makeEndpoint()
  await makeStore({ subdomain: "acme" })
  const [delivery] = await rows<{ id: number; event_id: string }>("select id, event_id from webhook_deliveries")
  const page = await admin.get(`/console/deliveries/${delivery?.id}`)
  expect(page.text).toContain(`X-Tenancy-Delivery: ${delivery?.event_id}`)
  expect(page.text).toMatch(/X-Tenancy-Signature: t=\d+,v1=[0-9a-f]{64}/)
  expect(page.text).toContain("curl -X POST")
  expect((await admin.get(`/console/deliveries?endpoint=${endpoint.id}&status=pending&class=none`)).text).toContain(
    `#${delivery?.id}`,
  )
  expect((await admin.get("/console/deliveries?status=exhausted")).text).not.toContain(`#${delivery?.id}<`)
  expect((await admin.post(`/console/webhooks/deliveries/${delivery?.id}/retry`)).status).toBe(303)
  const entries = await rows("select interface from audit_entries where type = 'delivery_retried'")
  expect(entries).toEqual([{ interface: "console" }])
})

test("streams committed events, and resumes after the last event that was received", async () => {
  const admin = await signIn()
  await makeReadyStore({ subdomain: "acme" })
  const stream = await call("GET", "/console/events/live/stream", { headers: { Cookie: "console=unknown" } })
  expect(stream.status).toBe(303)
  const first = await readFirstMessage(admin.cookie, "ev1_0")
  const types = [...first.matchAll(/"type":"([a-z.]+)"/g)].map(([, type]) => type)
  expect(types).toContain("store.created")
  const cursor = /id: (ev1_\w+)/.exec(first)?.[1] ?? ""
  await makeStore({ subdomain: "later" })
  const second = await readFirstMessage(admin.cookie, cursor)
  expect([...second.matchAll(/"subdomain|"id":"(acme|later)"/g)].map(([, id]) => id)).toEqual(["later"])
})

/** Reads the first message of a live tail. */
async function readFirstMessage(cookie: string, last: string): Promise<string> {
  const { default: entry } = await import("../../src/index")
  const { createExecutionContext } = await import("cloudflare:test")
  const request = new Request("http://localhost/console/events/live/stream", {
    headers: { Cookie: cookie, "Last-Event-ID": last },
  })
  const response = await entry.fetch(request, env, createExecutionContext())
  expect(response.headers.get("Content-Type")).toBe("text/event-stream")
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  while (reader && !text.includes("data: ")) text += (await reader.read()).value ?? ""
  await reader?.cancel()
  return text
}

test("previews the audience of a notification, sends it, and cancels a scheduled one", async () => {
  const admin = await signIn()
  const path = "/console/sites/central/notifications"
  const fields = {
    title: "Sale <b>",
    message: "Now",
    target: "android",
    type: "general",
    at: "",
    action_url: "",
    image_url: "",
  }
  const counted = await admin.post(path, fields)
  expect(counted.status).toBe(200)
  expect(counted.text).toContain("Sale &lt;b&gt;")
  expect(counted.text).toContain('name="confirmed" value="true"')
  expect((await admin.post(path, { ...fields, title: "" })).status).toBe(422)
  const sent = await admin.post(path, { ...fields, confirmed: "true" })
  expect([sent.status, sent.headers.get("Location")]).toEqual([303, `${path}/1?done=notified`])
  expect((await admin.get(`${path}/1`)).text).toContain("Push is not set up for this site")
  const later = await admin.post(path, { ...fields, at: "2099-01-01T00:00:00Z", confirmed: "true" })
  expect(later.status).toBe(303)
  expect((await admin.post(`${path}/2/cancel`)).status).toBe(303)
  expect((await admin.post(`${path}/2/cancel`)).status).toBe(422)
  expect((await admin.get(`${path}/2`)).text).toContain("Cancelled")
  expect((await admin.get(`${path}/9`)).status).toBe(404)
  expect((await admin.post(`${path}/push`, { enabled: "true", service_account: "" })).status).toBe(422)
  expect((await admin.post(`${path}/push`, { enabled: "true", service_account: "{}" })).text).toContain(
    'id="service_account-error"',
  )
  expect((await admin.post(`${path}/check`, { device: "" })).text).toContain("Push is not set up for this site.")
})
