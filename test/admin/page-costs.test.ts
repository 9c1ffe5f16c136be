// Limits the costs of every page that the admin's links lead to: sequential round trips, and rows read.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { admin } from "../../src/admin/app"
import { isRoute } from "../console/crawler"
import { costsOf } from "../support/costs"
import { measureCriticalPath } from "../support/critical-path"
import { multiplyRows } from "../support/duplicate-rows"
import { findBareMoments } from "../support/moments"
import { makeShop } from "./shop"
import { type AdminBrowser, type Fields, signInToAdmin } from "./support"

/** One for the store, one for the session and two for the page. */
const MAX_ROUND_TRIPS = 4

/** First every list fills a page, then it grows tenfold. */
const INITIAL_FACTOR = 120
const GROWTH_FACTOR = 10

/** The start page reads the latest 2,000 orders, with their index entries. */
const MAX_START_PAGE_ROWS = 6_000

/** A gallery has at most 100 pictures, and a text 20 revisions. The staff are listed whole; the plan limits them. */
const LIMITED_TABLES = ["pictures", "revisions"]
const STAFF_PAGES = /^\/admin\/staff/

/** A preview also loads the shop and its theme's data, as a visit does. */
const MAX_PREVIEW_ROUND_TRIPS = 5

/** The latest rows differ after the growth, and some have more related rows than others. */
const ROW_TOLERANCE = 5

const ROUTES = [...new Set(admin.routes.filter(({ method }) => method === "GET").map(({ path }) => path))]

/** Follows the links of the admin to at most two pages of each route. */
async function crawl(browser: AdminBrowser): Promise<string[]> {
  const pages: string[] = []
  const queue = ["/admin"]
  const visits = new Map<string, number>()
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const at = path
    const route = ROUTES.findLast((one) => isRoute(one, at)) ?? at
    const count = visits.get(route) ?? 0
    if (count >= 2 || pages.includes(at)) continue
    visits.set(route, count + 1)
    const response = await browser.get(at)
    if (response.status !== 200 || !response.headers.get("Content-Type")?.startsWith("text/html")) continue
    pages.push(at)
    expect(findBareMoments(response.text), at).toEqual([])
    for (const [, href = ""] of response.text.matchAll(/href="(\/admin[^"#]*)"/g))
      if (!/\/assets\/|\.csv/.test(href)) queue.push(href.replaceAll("&amp;", "&"))
  }
  return pages
}

test("loads every page in few round trips, and reads no more rows when the tables grow tenfold", async () => {
  // A fixed clock avoids the write that renews a session once per minute.
  vi.useFakeTimers({ toFake: ["Date"] })
  const owner = await signInToAdmin(await makeShop())
  const categories = { name: "News" }
  for (const [list, fields] of Object.entries<Fields>({
    categories,
    tags: { name: "Wool" },
    galleries: { name: "Summer", pictures: "/media/a.png" },
    posts: { name: "Hello", content: "Old", categories: "news", tags: "wool" },
    pages: { name: "About", content: "Old" },
    "media/folders": { name: "Cats" },
  }))
    expect((await owner.post(`/admin/${list}`, fields)).status, list).toBe(303)
  for (const kind of ["posts", "pages"]) {
    const [, path = ""] = new RegExp(`(/admin/${kind}/\\d+)/edit`).exec((await owner.get(`/admin/${kind}`)).text) ?? []
    await owner.post(`${path}/edit`, { content: "New" })
  }
  const pages = await crawl(owner)
  for (const route of [
    "/admin/posts/:id/revisions/:n",
    "/admin/pages/:id/edit",
    "/admin/galleries/:id/edit",
    "/admin/tags/:id/delete",
    "/admin/products/:id{[0-9]+}/edit",
  ])
    expect(
      pages.some((path) => isRoute(route, path)),
      route,
    ).toBe(true)
  const countRows = async () => {
    const counted = new Map<string, number>()
    for (const path of pages) counted.set(path, (await costsOf(() => owner.get(path))).rowsRead)
    return counted
  }
  await multiplyRows(env.SITES_1, INITIAL_FACTOR, { skippedTables: LIMITED_TABLES })
  const before = await countRows()
  await multiplyRows(env.SITES_1, GROWTH_FACTOR, { skippedTables: LIMITED_TABLES })
  const after = await countRows()
  const slow: [string, number][] = []
  for (const path of pages) {
    const { roundTrips } = await measureCriticalPath(() => owner.get(path))
    if (roundTrips > (path.endsWith("/preview") ? MAX_PREVIEW_ROUND_TRIPS : MAX_ROUND_TRIPS))
      slow.push([path, roundTrips])
  }
  const grown = pages
    .filter((path) => !STAFF_PAGES.test(path))
    .map((path) => ({ path, rows: before.get(path) ?? 0, grownRows: after.get(path) ?? 0 }))
    .filter(({ path, rows, grownRows }) => grownRows > (path === "/admin" ? MAX_START_PAGE_ROWS : rows + ROW_TOLERANCE))
  expect({ slow, grown }).toEqual({ slow: [], grown: [] })
}, 120_000)
