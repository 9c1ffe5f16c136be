// The totals of counted lists, which triggers maintain, equal the rows that they count.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import type { CountedList, CountedRowList } from "../../src/db/schema/central/counters"
import type { RowCounter, SiteCounter } from "../../src/db/schema/sites/counters"
import { platform } from "../support/app"
import { makeEndpoint, makeKey } from "../support/factories"
import { makeFullStore } from "../support/full-store"
import { externalClient, makeActive, makeLicense } from "../support/license-factories"
import { rows, siteRows } from "../support/rows"

/** Counts a list's rows and, if it has filters, the rows of each. The compiler requires every counted list. */
const CENTRAL_COUNTS: Record<CountedList | CountedRowList, string> = {
  api_keys: countAll("api_keys"),
  audit:
    "select 'audit:' || store_seq as list, '' as filter, count(*) as total from audit_entries where store_seq > 0 group by 1",
  coupons: countAll("coupons"),
  license_activations: `${countAll("license_activations")} union all ${countBy("license_activations", "cast(is_active as text)")}`,
  license_products: countAll("license_products"),
  licenses: [
    countAll("licenses"),
    countBy("licenses", "'p:' || product_id"),
    countBy("licenses", "'c:' || customer_key"),
    countBy("licenses", "'p:' || product_id || '|c:' || customer_key"),
  ].join(" union all "),
  stores: `${countAll("stores")} union all ${countBy("stores", "status")}`,
  webhook_endpoints: countAll("webhook_endpoints"),
}

/** The same for the lists of a site and of its apps. The version counts changes, not rows. */
const SITE_COUNTS: Record<Exclude<SiteCounter, "guestbook" | "version"> | RowCounter, string> = {
  avatar_bytes: "select 'avatar_bytes' as list, '' as filter, sum(avatar_size) as total from users",
  categories: countAll("categories"),
  contact: countByStatus("contact_messages", "contact"),
  customers: "select 'customers' as list, '' as filter, count(*) as total from users where is_staff = 0",
  galleries: countByStatus("galleries"),
  hidden_reviews:
    "select 'hidden_reviews:' || product_id as list, '' as filter, count(*) as total from reviews where status = 'hidden' group by 1",
  media_bytes:
    "select 'media_bytes' as list, '' as filter, (select coalesce(sum(size), 0) from media_files) + (select coalesce(sum(avatar_size), 0) from users) as total",
  orders: [
    countAll("orders"),
    countBy("orders", "strftime('%Y-%m', created_at / 1000, 'unixepoch')"),
    "select 'orders:' || user_id, '', count(*) from orders group by 1",
  ].join(" union all "),
  pages: countBy("pages", "status"),
  posts: countBy("posts", "status"),
  products: countByStatus("products"),
  reviews:
    "select 'reviews:' || product_id as list, '' as filter, count(*) as total from reviews where status = 'published' group by 1 union all select 'reviews:' || product_id, cast(rating as text), count(*) from reviews where status = 'published' group by 1, 2",
  tags: countAll("tags"),
}

function countAll(table: string, list = table): string {
  return `select '${list}' as list, '' as filter, count(*) as total from ${table}`
}

function countBy(table: string, filter: string, list = table): string {
  return `select '${list}' as list, ${filter} as filter, count(*) as total from ${table} where ${filter} is not null group by 2`
}

function countByStatus(table: string, list = table): string {
  return `${countAll(table, list)} union all ${countBy(table, "status", list)}`
}

const SELECT_TOTALS = (list: string) =>
  `select list, filter, total from counters where total <> 0 and (list = '${list}' or list like '${list}:%') order by 1, 2`

/** Compares the totals of every list with its rows, and returns the lists that have any. */
async function assertTotals(): Promise<string[]> {
  const counted: string[] = []
  for (const [counts, select] of [
    [CENTRAL_COUNTS, rows],
    [SITE_COUNTS, siteRows],
  ] as const) {
    for (const [list, sql] of Object.entries(counts)) {
      const totals = await select(SELECT_TOTALS(list))
      expect.soft(totals, list).toEqual(await select(`select * from (${sql}) where total <> 0 order by 1, 2`))
      if (totals.length) counted.push(list)
    }
  }
  return counted
}

test("the totals of all lists equal their rows after inserts, updates and deletes", async () => {
  await makeFullStore("secret", "personal")
  await makeEndpoint()
  await platform("POST", "/coupons", { token: await makeKey(), json: { code: "COUNTED", trial_days: 30 } })
  const { product } = await makeActive(await externalClient())
  await makeLicense(product, { customer_id: "client" })
  await env.SITES_1.prepare("update users set avatar = 'a', avatar_size = 7").run()
  await env.SITES_1.prepare(
    "insert into reviews (site_id, product_id, user_id, rating, status, created_at, updated_at) select site_id, product_id, user_id + 1000, 3, 'hidden', 0, 0 from reviews",
  ).run()
  const counted = await assertTotals()
  const empty = [...Object.keys(CENTRAL_COUNTS), ...Object.keys(SITE_COUNTS)].filter((list) => !counted.includes(list))
  expect(empty, `insert rows for: ${empty}`).toEqual([])

  await env.SITES_1.batch(
    ["posts", "pages", "products", "galleries", "contact_messages"].map((table) =>
      env.SITES_1.prepare(`update ${table} set status = 'other'`),
    ),
  )
  await env.SITES_1.prepare("update reviews set rating = 1").run()
  await assertTotals()
  const swapped = "case status when 'hidden' then 'published' else 'hidden' end"
  await env.SITES_1.prepare(`update reviews set status = ${swapped}, rating = user_id % 5 + 1`).run()
  await env.SITES_1.prepare("update users set avatar = null, avatar_size = null").run()
  await env.DB.prepare("update license_activations set is_active = 0").run()
  await env.DB.prepare("update licenses set customer_key = 'other'").run()
  await env.DB.prepare("update stores set status = 'suspended'").run()
  expect(await assertTotals()).not.toContain("avatar_bytes")

  const deletes = (tables: string[], database: D1Database) =>
    database.batch(tables.map((table) => database.prepare(`delete from ${table}`)))
  await deletes(
    ["reviews", "orders", "products", "galleries", "contact_messages", "posts", "pages", "categories", "tags"],
    env.SITES_1,
  )
  await deletes(["media_files", "users"], env.SITES_1)
  await deletes(["license_activations", "licenses", "webhook_endpoints", "stores", "api_keys", "coupons"], env.DB)
  const left = await assertTotals()
  expect(left, `delete the rows of all lists but audit and license_products; left: ${left}`).toEqual([
    "audit",
    "license_products",
  ])
})
