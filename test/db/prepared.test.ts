// The SQL of API reads, hot reads and delivery attempts is built once per isolate, not per request.
import { SQLiteDialect } from "drizzle-orm/sqlite-core"
import { afterEach, expect, test, vi } from "vitest"
import { attemptDelivery } from "../../src/webhooks/attempt"
import type { Delivery } from "../../src/webhooks/reserve"
import { type CallOptions, call, platform, run, type TestResponse } from "../support/app"
import { makeCategory, makePage, makePost, makeTag } from "../support/blog-factories"
import { hostOfStore } from "../support/content-factories"
import { makeSite } from "../support/content-writes"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { externalClient, internalClient, makeActive } from "../support/license-factories"
import { makeMediaClient, upload } from "../support/media-factories"
import { prepareContentReads, preparePlatformReads } from "../support/read-requests"
import { mockReceiver } from "../support/receiver"
import { makeDelivery } from "../support/webhook-factories"

afterEach(() => void vi.restoreAllMocks())

/** Prepares the hot reads by name. */
async function prepareHotReads(): Promise<Record<string, () => Promise<TestResponse>>> {
  const store = await makeReadyStore({ name: "Marlow" })
  const host = hostOfStore(store)
  const key = await makeServerKey(store, "standard")
  const category = await makeCategory({ site: store })
  const tag = await makeTag({ site: store })
  const post = await makePost({ site: store, categories: category.slug, tags: tag.slug, featured: true })
  const page = await makePage({ site: store })
  const file = (await upload(await makeMediaClient(store), "a.txt", "some text")).body
  const token = await makeKey()
  const external = await externalClient()
  const { proof, input, license } = await makeActive(external)
  const internal = await internalClient()

  const get = (path: string, options: CallOptions = {}) => call("GET", path, { host, ...options })
  const paths = [
    ...["", "?page=2", "?include=categories,tags,author", "?search=post", "?search=po", "?featured=true"].map(
      (query) => `/api/v1/posts${query}`,
    ),
    `/api/v1/posts?category_id=${category.id}&sort_by=name&order=asc`,
    `/api/v1/posts?tag_id=${tag.id}`,
    `/api/v1/posts/${post.slug}`,
    `/api/v1/posts/${post.id}?include=author`,
    ...Object.entries({ categories: category, tags: tag, pages: page }).flatMap(([noun, { id, slug }]) =>
      ["", "?page=2", "?sort_by=name", `/${id}`, `/${slug}`].map((rest) => `/api/v1/${noun}${rest}`),
    ),
    ...["/", "/blog", `/blog/${post.slug}`, `/pages/${page.slug}`, "/products", "/nowhere"],
    new URL(file.url).pathname,
  ]
  const stores = ["", "?page=2", "?status=ready", "?status=ready&page=2", "?q=marlow", "?q=ma", "?q=ma&status=ready"]
  return {
    ...Object.fromEntries(paths.map((path) => [path, () => get(path)])),
    "a post for a key": () => get(`/api/v1/posts/${post.slug}`, { headers: { "X-API-KEY": key } }),
    "posts on the central host": () => call("GET", "/api/v1/posts"),
    "posts on the central host for a key": () => call("GET", "/api/v1/posts", { headers: { "X-API-KEY": key } }),
    "one store": () => platform("GET", `/stores/${store}`, { token }),
    ...Object.fromEntries(
      stores.map((query) => [`stores${query}`, () => platform("GET", `/stores${query}`, { token })]),
    ),
    "verify by data": () => external("POST", "/license/verify", { json: proof }),
    "verify by code": () => external("POST", "/license/verify", { json: input }),
    "verify at no domain": () => external("POST", "/license/verify", { json: input, headers: { "X-API-URL": "" } }),
    "check a license": () => external("POST", "/license/check", { json: input }),
    "a license for the internal API": () => internal("GET", `/product-licenses/${license.code}`),
  }
}

/** Runs a request twice and asserts that the second run builds no SQL. */
async function assertReusesSql(name: string, send: () => Promise<TestResponse>, expected = 200): Promise<void> {
  const { status } = await send()
  expect.soft(status, name).toEqual(expected)
  const builtQueries = vi.spyOn(SQLiteDialect.prototype, "sqlToQuery").mockClear()
  await send()
  expect
    .soft(
      builtQueries.mock.results.map(({ value }) => value?.sql),
      name,
    )
    .toEqual([])
}

test("builds the SQL of a hot read once", async () => {
  const reads = await prepareHotReads()
  for (const [name, send] of Object.entries(reads)) await assertReusesSql(name, send, name === "/nowhere" ? 404 : 200)
  // Every built statement passes through here.
  const builtQueries = vi.spyOn(SQLiteDialect.prototype, "sqlToQuery").mockClear()
  await makePost()
  expect(builtQueries.mock.calls.length).toBeGreaterThan(0)
})

test("builds the SQL of every control-plane read once", async () => {
  for (const [name, send] of Object.entries(await preparePlatformReads())) await assertReusesSql(name, send)
})

test("builds the SQL of every content API read once", async () => {
  for (const [name, send] of Object.entries(await prepareContentReads(await makeSite())))
    await assertReusesSql(name, send)
})

test("builds the SQL of a delivery attempt once", async () => {
  const { id: endpoint } = await makeEndpoint()
  mockReceiver()
  const lease = new Date(Date.now() + 60_000)
  const attempts: Record<string, () => Promise<() => Promise<Delivery | null>>> = {
    first: async () => {
      const { id } = await makeDelivery(endpoint)
      return async () => run((ctx) => attemptDelivery(ctx, id, "first"))
    },
    retry: async () => {
      const { id } = await makeDelivery(endpoint, { status: "failed", attempt: 1, nextAttemptAt: lease })
      return async () => run((ctx) => attemptDelivery(ctx, id, lease))
    },
  }
  for (const [kind, prepare] of Object.entries(attempts)) {
    for (const isSecond of [false, true]) {
      const attempt = await prepare()
      const builtQueries = vi.spyOn(SQLiteDialect.prototype, "sqlToQuery").mockClear()
      const delivery = await attempt()
      expect.soft([delivery?.status, delivery?.error], kind).toEqual(["delivered", null])
      if (isSecond)
        expect
          .soft(
            builtQueries.mock.results.map(({ value }) => value?.sql),
            kind,
          )
          .toEqual([])
    }
  }
})
