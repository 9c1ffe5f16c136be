import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { runBilling } from "../../src/platform/subscriptions/clock"
import { call, run } from "../support/app"
import { costsOf } from "../support/costs"
import { mockTxtRecords } from "../support/dns"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { setSubscription } from "../support/subscription-factories"
import { signIn } from "./support"

test("previews a theme in a sandboxed page that runs no scripts and that only the console can frame", async () => {
  await makePlan({ slug: "plain", themes: ["atelier"] })
  const admin = await signIn()
  const store = await makeReadyStore({ name: "Acme <b>", plan: "plain" })
  const page = await admin.get(`/console/stores/${store}/theme?theme=nocturne`)
  const src = /<iframe src="([^"]+)"/.exec(page.text)?.[1] ?? ""
  expect(src).toBe(`/console/stores/${store}/theme/preview?theme=nocturne`)
  expect(page.headers.get("Content-Security-Policy")).toMatch(/; frame-src 'self'$/)
  // Themes that the plan does not include can be previewed; the page says why they cannot be switched to.
  expect(page.text).toContain("does not include")
  const preview = await admin.get(src)
  expect(preview.status).toBe(200)
  expect(preview.text).toContain("Acme &lt;b&gt;")
  const policy = preview.headers.get("Content-Security-Policy") ?? ""
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /)
  expect(policy).toMatch(/form-action 'none'; .*frame-ancestors 'self'; sandbox$/)
  expect(policy).not.toContain("script-src")
  expect(preview.headers.get("Cache-Control")).toBe("no-store")
  expect((await admin.get(`/console/stores/${store}/theme/preview?theme=none`)).status).toBe(404)
  expect((await admin.get("/console/stores/nobody/theme/preview?theme=nocturne")).status).toBe(404)
  expect((await admin.post(`/console/stores/${store}/theme`, { theme: "nocturne" })).status).toBe(422)
})

test("compares a domain's DNS records with the expected ones", async () => {
  const admin = await signIn()
  const store = await makeReadyStore()
  await admin.post(`/console/stores/${store}/domains`, { domain: "shop.example.com" })
  const row = await env.DB.prepare("select id, verification_token as token from domains where is_fallback = 0").first<{
    id: number
    token: string
  }>()
  const path = `/console/stores/${store}/domains/${row?.id}/dns`
  expect((await admin.get(`/console/stores/${store}/domains`)).text).toContain(`href="${path}"`)
  const { lookups } = mockTxtRecords({ "_tenancy-verify.shop.example.com": ["something else"] })
  const wrong = await admin.get(path)
  expect(lookups).toHaveLength(4)
  expect(wrong.text).toContain("something else")
  expect(wrong.text).toContain("Different value")
  expect(wrong.text).toContain("Name does not exist")
  mockTxtRecords({ "_tenancy-verify.shop.example.com": [row?.token ?? ""] })
  expect((await admin.get(path)).text).toContain('data-tone="good">Matches')
  mockTxtRecords(2)
  expect((await admin.get(path)).text).toContain("name servers failed")
  mockTxtRecords(null)
  expect((await admin.get(path)).text).toContain("The resolver did not respond")
  expect((await admin.get(`/console/stores/${store}/domains/999/dns`)).status).toBe(404)
})

test("reads as many rows for a store's audit log when other stores have 20,000 entries", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const admin = await signIn()
  const store = await makeReadyStore({ subdomain: "acme" })
  const headers = { Authorization: `Bearer ${await makeKey()}` }
  const reads = {
    events: () => call("GET", `/api/platform/v1/stores/${store}/events`, { headers }),
    "second page": () => call("GET", `/api/platform/v1/stores/${store}/events?per_page=1&page=2`, { headers }),
    page: () => admin.get(`/console/stores/${store}`),
  }
  const rowsRead = async () => {
    const found: Record<string, number> = {}
    for (const [name, read] of Object.entries(reads)) {
      await read()
      const statuses: number[] = []
      found[name] = (await costsOf(async () => statuses.push((await read()).status))).rowsRead
      expect([...statuses], name).toEqual([200])
    }
    return found
  }
  const before = await rowsRead()
  const columns = (await env.DB.prepare("select name from pragma_table_info('audit_entries')").all<{ name: string }>())
    .results
  const copied = columns.map(({ name }) => name).filter((name) => !["id", "store_id", "store_seq"].includes(name))
  // Alternately of other stores, of an earlier store with the same id, and of no store.
  await env.DB.prepare(
    `insert into audit_entries (store_id, store_seq, ${copied})
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
     select case i % 3 when 0 then 'acme' when 1 then '' else 'other-' || i end, case i % 3 when 1 then 0 else 1000 + i end, ${copied}
     from n, (select * from audit_entries where store_id = 'acme' limit 1)`,
  ).run()
  expect(await rowsRead()).toEqual(before)
})

/** The sentence at the top of a store's page, without tags. */
const readStatus = (html: string): string =>
  (/<section class="status"[\s\S]*?<p>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? "")
    .replace(/<[^>]+>/g, "")
    .replace(/\s+/g, " ")

test("says why a store is open or closed, since when and by whom, with the buttons for what comes next", async () => {
  await makePlan({ slug: "pro", trial_days: 14 })
  const admin = await signIn({ name: "Ada" })
  const store = await makeReadyStore({ subdomain: "acme", plan: "pro" })
  const page = `/console/stores/${store}`
  const open = await admin.get(page)
  expect(readStatus(open.text)).toMatch(/^Ready Open since \d.*\. Trial until \d/)
  expect(open.text).toContain(`href="${page}/suspend"`)
  await admin.confirm(`${page}/suspend`, {}, { reason: "Fraud report 7" })
  const closed = await admin.get(page)
  expect(readStatus(closed.text)).toMatch(/^Suspended Closed since \d.* by Ada: Fraud report 7\. Trial until/)
  expect(closed.text).toContain(`href="${page}/resume"`)
  expect(closed.text).not.toContain('id="provisioning"')
  await admin.confirm(`${page}/resume`)
  expect(readStatus((await admin.get(page)).text)).toMatch(/^Ready Open since \d.* by Ada\./)
  await env.DB.exec("update subscriptions set trial_ends_at = 1000 where store_id = 'acme'")
  await run((ctx) => runBilling(ctx, {}))
  const expired = await admin.get(`${page}/billing`)
  expect(readStatus(expired.text)).toMatch(
    /^Suspended Closed since .* by the billing clock: the trial ended without a payment\./,
  )
  expect(expired.text).toContain(`href="${page}/subscription/reactivate"`)
  await admin.confirm(`${page}/subscription/cancel`)
  expect(readStatus((await admin.get(page)).text)).toMatch(
    /^Cancelled Closed since .* by Ada: the subscription was cancelled/,
  )
})

test("names a cancellation now, one at the end of the period, and its withdrawal differently", async () => {
  await makePlan({ slug: "pro", trial_days: 14 })
  const admin = await signIn()
  const page = `/console/stores/${await makeReadyStore({ plan: "pro", name: "Acme" })}`
  const readTitle = async (path: string) => /<h1>([^<]*)<\/h1>/.exec((await admin.get(path)).text)?.[1]
  const cancel = `${page}/subscription/cancel`
  expect(await readTitle(cancel)).toBe("Cancel the subscription of Acme now?")
  expect(await readTitle(`${cancel}?at_period_end=true`)).toBe(
    "Cancel the subscription of Acme at the end of its period?",
  )
  await admin.confirm(cancel, { at_period_end: "true" })
  for (const tab of ["", "/billing"]) expect((await admin.get(page + tab)).text).toContain("Withdraw cancellation")
  const withdrawal = await admin.get(`${page}/subscription/reactivate`)
  expect(withdrawal.text).toContain("Withdraw the cancellation of Acme?")
  expect(withdrawal.text).not.toContain("open to visitors again")
  expect((await admin.confirm(`${page}/subscription/reactivate`)).headers.get("Location")).toContain("reactivated")
})

test("names the price before a payment is booked, and offers no undo of it", async () => {
  await makePlan({ slug: "pro", price_cents: 4900, trial_days: 14 })
  const admin = await signIn()
  const page = `/console/stores/${await makeReadyStore({ subdomain: "acme", plan: "pro" })}`
  await env.DB.exec("update subscriptions set trial_ends_at = 1000 where store_id = 'acme'")
  await run((ctx) => runBilling(ctx, {}))
  expect((await admin.get(`${page}/resume`)).text).toContain("Book a payment for one period")
  const preview = await admin.get(`${page}/resume?resolution=mark_paid`)
  expect(preview.text).toContain("€49.00 before discounts and tax")
  const resumed = await admin.confirm(`${page}/resume`, { resolution: "mark_paid" })
  expect(resumed.headers.get("Location")).toContain("done=resumed_paid")
  expect((await admin.get(resumed.headers.get("Location") ?? "")).text).not.toContain(">Undo<")
})

test("offers to book a payment only if the subscription has a plan with a price", async () => {
  await makePlan({ slug: "pro", price_cents: 4900, trial_days: 14 })
  const admin = await signIn()
  const store = await makeReadyStore({ plan: "pro" })
  const resume = `/console/stores/${store}/resume`
  await setSubscription(store, { trialEndsAt: new Date(1_000) })
  await run((ctx) => runBilling(ctx, {}))
  await setSubscription(store, { plan: null })
  const { text } = await admin.get(resume)
  expect(text).toContain("Open the store only")
  expect(text).not.toContain("Book a payment for one period")
  expect((await admin.get(`${resume}?resolution=mark_paid`)).status).toBe(422)
})

test("gives each tab of a store its own URL, and returns to the tab of an action", async () => {
  await makePlan({ slug: "pro" })
  const admin = await signIn()
  const store = await makeReadyStore({ plan: "pro" })
  const page = `/console/stores/${store}`
  for (const tab of ["", "/billing", "/domains", "/apps", "/content", "/activity"]) {
    const { status, text } = await admin.get(page + tab)
    expect(status).toBe(200)
    expect(text).toContain(`<a href="${page}${tab}" aria-current="page">`)
  }
  const extended = await admin.confirm(`${page}/subscription/extend`, { days: "7" })
  expect(extended.headers.get("Location")).toBe(`${page}/billing?done=saved`)
  const refused = await admin.get(`${page}/subscription/extend?days=0`)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain(`<a href="${page}/billing" aria-current="page">`)
  expect(refused.text).toMatch(/<details class="disclosure" open=""><summary>Extend subscription/)
  const added = await admin.post(`${page}/domains`, { domain: "shop.example.com" })
  expect(added.headers.get("Location")).toBe(`${page}/domains?done=domain_added`)
})

test("offers to undo what can be undone, in a notice with the color of what happened", async () => {
  const admin = await signIn()
  const viewer = await signIn({ role: "viewer" })
  const store = await makeReadyStore()
  const page = `/console/stores/${store}`
  const readNotice = async (response: { headers: Headers }, browser = admin) => {
    const { text } = await browser.get(response.headers.get("Location") ?? "")
    return /<div class="note" data-tone="(\w+)"><p role="status">([^<]+)<\/p>(?:<a[^>]* href="([^"]+)"|<form[^>]* action="([^"]+)")?/
      .exec(text)
      ?.slice(1)
      .filter(Boolean)
  }
  const suspended = await admin.confirm(`${page}/suspend`)
  expect(await readNotice(suspended)).toEqual(["warn", "Store suspended. It is now offline.", `${page}/resume`])
  expect(await readNotice(suspended, viewer)).toEqual(["warn", "Store suspended. It is now offline."])
  expect((await readNotice(await admin.confirm(`${page}/resume`)))?.at(-1)).toBe(`${page}/suspend`)
  const [, , enable] = (await readNotice(await admin.confirm(`${page}/apps/galleries/disable`))) ?? []
  expect(enable).toBe(`${page}/apps/galleries/enable`)
  expect((await readNotice(await admin.post(enable ?? "")))?.at(-1)).toBe(`${page}/apps/galleries/disable`)
  // A link from elsewhere cannot make the button point to another action.
  for (const subject of ["../../suspend", "a/b", "", "x?y"]) {
    const { text } = await admin.get(`${page}/apps?done=app_disabled&subject=${encodeURIComponent(subject)}`)
    expect(text).toContain("App turned off")
    expect(text).not.toContain(">Undo<")
  }
})
