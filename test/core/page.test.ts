// Pages of a list: the first page reads from the front, a deep one from both ends, each in one round trip.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { type Answer, call, platform } from "../support/app"
import { insertPosts, makeCategory, makePage, makeTag } from "../support/blog-factories"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { externalClient, internalClient, makeActive } from "../support/license-factories"
import { statementsOf } from "../support/round-trips"

/** Every paged list with a trigger-maintained total, by the path of its page. */
async function lists(): Promise<Record<string, (page: number) => Promise<Answer>>> {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const token = await makeKey()
  const staff = await makeUser(store, { isStaff: true })
  const { id: endpoint } = await makeEndpoint()
  const external = await externalClient()
  await makeActive(external)
  const internal = await internalClient()
  for (const app of ["ecommerce", "reviews", "galleries", "contact"])
    await platform("POST", `/stores/${store}/apps/${app}/enable`, { token })
  await Promise.all([
    insertPosts(store, 5),
    makeCategory({ site: store }),
    makeTag({ site: store }),
    makePage({ site: store }),
  ])
  const { results } = await env.SITES_1.prepare("select id from products where site_id = ? limit 1").bind(store).all()
  const product = results[0]?.id
  const paged = (path: string, page: number) => `${path}${path.includes("?") ? "&" : "?"}page=${page}`
  const ofPlatform = [
    "/stores",
    "/stores?status=ready",
    `/stores/${store}/events`,
    "/webhooks",
    `/webhooks/${endpoint}/deliveries`,
  ]
  const ofSite = ["/api/v1/posts", "/api/v1/categories", "/api/v1/tags", "/api/v1/pages", "/blog", "/products"]
  const ofUser = [
    "/notifications",
    "/products",
    "/orders?scope=all",
    `/reviews?product_id=${product}`,
    "/galleries",
    "/contact",
  ]
  const ofVendor = ["/product-licenses", "/product-activations", "/products"]
  return Object.fromEntries([
    ...ofPlatform.map((path) => [path, (page: number) => platform("GET", paged(path, page), { token })]),
    ...ofSite.map((path) => [path, (page: number) => call("GET", paged(path, page), { host })]),
    ...ofUser.map((path) => [
      `user ${path}`,
      (page: number) => content("GET", paged(path, page), { host, token: staff.token }),
    ]),
    ...ofVendor.map((path) => [`vendor ${path}`, (page: number) => internal("GET", paged(path, page))]),
  ])
}

let all: Awaited<ReturnType<typeof lists>>
beforeEach(async () => {
  all = await lists()
})

/** The SQL that decides which end of a list is nearer. */
const asksForNearerEnd = (statements: string[][]) => statements.flat().some((sql) => sql.includes("* 2 <="))

test("reads the first page from the front only, and a deep page in as few round trips", async () => {
  for (const [name, ask] of Object.entries(all)) {
    expect.soft((await ask(1)).status, name).toBe(200)
    const first = await statementsOf(() => ask(1))
    const deep = await statementsOf(() => ask(2))
    expect.soft([asksForNearerEnd(first), asksForNearerEnd(deep)], name).toEqual([false, true])
    expect.soft(first.length, name).toEqual(deep.length)
  }
})
