import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { HOUR } from "../../src/lib/time"
import { ulid } from "../../src/lib/ulid"
import { extendSubscription } from "../../src/platform/subscriptions/service"
import { run } from "../support/app"
import { addEntries, ageEntries, archiveAudit } from "../support/archives"
import { costsOf } from "../support/costs"
import { makeStore } from "../support/factories"
import { rows } from "../support/rows"
import { createSampleData } from "./sample-data"
import { signIn } from "./support"

test("filters the audit log by every action that exists", async () => {
  await createSampleData()
  const admin = await signIn()
  const { text } = await admin.get("/console/audit")
  const [, options = ""] = /<select name="type">(.*?)<\/select>/s.exec(text) ?? []
  const written = (await rows("select distinct type from audit_entries")).map(({ type }) => String(type))
  expect(written.length).toBeGreaterThan(10)
  for (const type of written) expect(options.includes(`<option value="${type}">`), type).toBe(true)
  const filtered = (await admin.get("/console/audit?type=plan_saved")).text
  expect(filtered).toContain('<option value="plan_saved" selected="">')
  expect(filtered.match(/href="\/console\/audit\?type=(\w+)/g)).toEqual(['href="/console/audit?type=plan_saved'])
})

test("shows times in entries in the operator's time zone, and omits an unchanged status", async () => {
  const store = await createSampleData()
  await run((ctx) => extendSubscription(ctx, store, { days: 3 }))
  const { text } = await (await signIn()).get("/console/audit?type=extended")
  expect(text).toMatch(/Extended days: 3; Until: <time datetime="/)
  expect(text).not.toContain("Trialing → Trialing")
})

test("shows the lists and records of an entry as text", async () => {
  await addEntries(await makeStore(), 1, 1)
  const counts = { added: 3, removed: 0, changed: 1 }
  const data = {
    backup: "01J",
    tables: { post_tags: counts, users: counts },
    files: counts,
    events: ["a.b", "c"],
    to: [],
  }
  await env.DB.prepare("update audit_entries set data = ?").bind(JSON.stringify(data)).run()
  const { text } = await (await signIn()).get("/console/audit")
  const shown = "Added 3, Removed 0, Changed 1"
  expect(text).toContain(
    `Backup: 01J; Tables: Post tags (${shown}), Users (${shown}); Files: ${shown}; Events: a.b, c; To: None`,
  )
})

test("finds the entries of a time and of a request in a long log, and scans 5,000", async () => {
  const store = await makeStore()
  await addEntries(store, 12_000, 9)
  const [entry] = await rows("select id, created_at from audit_entries where request_id = 'request-3000'")
  const time = Number(entry?.created_at)
  const request = ulid(new Date(time))
  await env.DB.prepare("update audit_entries set request_id = ?, actor_name = 'Ada' where id = ?")
    .bind(request, entry?.id ?? null)
    .run()
  const admin = await signIn()
  const since = new Date(time - HOUR).toISOString()
  const until = new Date(time + 1).toISOString()
  for (const query of [`q=${request}`, `actor=Ada&until=${until}`, `since=${since}&until=${until}&actor=Ada`]) {
    const { text } = await admin.get(`/console/audit?${query}`)
    expect([query, text.match(/Request ID <a/g)?.length]).toEqual([query, 1])
    expect(text).toContain(request)
  }
  const csv = (await admin.get(`/console/audit.csv?since=${since}&until=${until}`)).text
  const only = (await admin.get(`/console/search?q=${request}`)).headers.get("Location")
  expect(only).toBe(`/console/audit?q=${request}`)
  const named = (await admin.get(`/console/audit.csv?q=Ada&until=${until}`)).text
  expect(named.trim().split("\n")).toHaveLength(2)
  expect(csv.trim().split("\n")).toHaveLength(62)
  const costs = await costsOf(() => admin.get(`/console/audit?actor=Ada&until=${until}`))
  expect(costs.rowsRead).toBeLessThan(3 * 5_000)
  // Without a time, the newest are scanned.
  expect((await admin.get("/console/audit?actor=Ada")).text).not.toContain(request)
})

test("says until when entries are in the archive, and searches it page by page", async () => {
  const store = await makeStore()
  await makeStore()
  await ageEntries(400)
  for (const daysAgo of [300, 200, 100]) await addEntries(store, 2, daysAgo)
  const admin = await signIn()
  await archiveAudit()
  const latest = (await admin.get(`/console/audit?store=${store}`)).text
  expect(latest).toContain("No entries match")
  expect(latest).toMatch(/Entries are in the archive until <time datetime="/)
  const [, link = ""] = /<a href="([^"]+)">Search the archive/.exec(latest) ?? []
  expect(link).toBe(`/console/audit?store=${store}&amp;archive=start`)
  const archive = (await admin.get(link.replaceAll("&amp;", "&"))).text
  expect(archive.match(/Request ID <a/g)).toHaveLength(7)
  expect(archive).toContain("From the archive")
  const filtered = async (query: string) =>
    ((await admin.get(`/console/audit?archive=start&${query}`)).text.match(/Request ID <a/g) ?? []).length
  expect(await filtered("q=request-2")).toBe(3)
  const month = new Date(Date.now() - 250 * 86_400_000).toISOString()
  expect([await filtered(`until=${month}`), await filtered(`since=${month}`)]).toEqual([4, 4])
  expect(await filtered("type=store_created")).toBe(2)
  expect(await filtered("actor=nobody")).toBe(0)
})

test("continues the search of the archive where the page ended, in every object once", async () => {
  const stores = [await makeStore(), await makeStore()]
  await ageEntries(400)
  // More objects than a page reads: one of each store per month.
  for (let month = 0; month < 40; month++) for (const store of stores) await addEntries(store, 1, 2_000 - month * 31)
  const admin = await signIn()
  await archiveAudit()
  for (const [query, expected] of [
    ["", 82],
    [`&store=${stores[0]}`, 41],
  ] as const) {
    let found = 0
    for (let path: string | undefined = `/console/audit?archive=start${query}`; path; ) {
      const { text } = await admin.get(path)
      found += (text.match(/Request ID <a/g) ?? []).length
      path = /<a href="([^"]+)">Older entries/.exec(text)?.[1]?.replaceAll("&amp;", "&")
    }
    expect(found).toBe(expected)
  }
})
