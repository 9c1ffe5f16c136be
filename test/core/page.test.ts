// Pagination: the first page is read from the front, a deep page from the nearer end, in the same number of round
// trips.
import { beforeEach, expect, test } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { call, platform, type TestResponse } from "../support/app"
import { APP_REQUESTS, createAppItems } from "../support/app-requests"
import { insertPosts, makeCategory, makePage, makeTag } from "../support/blog-factories"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { externalClient, internalClient, makeActive } from "../support/license-factories"
import { captureStatements } from "../support/round-trips"

/** Prepares every paginated list with a trigger-maintained total, by its path. */
async function prepareLists(): Promise<Record<string, (page: number) => Promise<TestResponse>>> {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const token = await makeKey()
  const staff = await makeUser(store, { isStaff: true })
  const { id: endpoint } = await makeEndpoint()
  const external = await externalClient()
  await makeActive(external)
  const internal = await internalClient()
  for (const { slug } of availableApps) await platform("POST", `/stores/${store}/apps/${slug}/enable`, { token })
  await Promise.all([
    insertPosts(store, 5),
    makeCategory({ site: store }),
    makeTag({ site: store }),
    makePage({ site: store }),
  ])
  const create = async (path: string, json: object) =>
    (await content("POST", path, { host, token: staff.token, json })).body.data
  const items = await createAppItems({ staff: create, customer: create }, { secret: "Secret", personal: "Personal" })
  const addPage = (path: string, page: number) => `${path}${path.includes("?") ? "&" : "?"}page=${page}`
  const platformPaths = [
    "/stores",
    "/stores?status=ready",
    `/stores/${store}/events`,
    "/webhooks",
    `/webhooks/${endpoint}/deliveries`,
  ]
  const sitePaths = ["/api/v1/posts", "/api/v1/categories", "/api/v1/tags", "/api/v1/pages", "/blog", "/products"]
  const userPaths = ["/notifications", ...APP_REQUESTS.flatMap((app) => app.lists(items))]
  const vendorPaths = ["/product-licenses", "/product-activations", "/products"]
  return Object.fromEntries([
    ...platformPaths.map((path) => [path, (page: number) => platform("GET", addPage(path, page), { token })]),
    ...sitePaths.map((path) => [path, (page: number) => call("GET", addPage(path, page), { host })]),
    ...userPaths.map((path) => [
      `user ${path}`,
      (page: number) => content("GET", addPage(path, page), { host, token: staff.token }),
    ]),
    ...vendorPaths.map((path) => [`vendor ${path}`, (page: number) => internal("GET", addPage(path, page))]),
  ])
}

let lists: Awaited<ReturnType<typeof prepareLists>>
beforeEach(async () => {
  lists = await prepareLists()
})

/** Whether a statement decides which end of a list is nearer. */
const comparesEnds = (statements: string[][]) => statements.flat().some((sql) => sql.includes("* 2 <="))

test("reads the first page from the front only, and a deep page in as few round trips", async () => {
  for (const [name, getPage] of Object.entries(lists)) {
    expect.soft((await getPage(1)).status, name).toBe(200)
    const first = await captureStatements(() => getPage(1))
    const deep = await captureStatements(() => getPage(2))
    expect.soft([comparesEnds(first), comparesEnds(deep)], name).toEqual([false, true])
    expect.soft(first.length, name).toEqual(deep.length)
  }
})
