// The SQL of API reads, hot reads and delivery attempts is built once per isolate, not per request.
import { SQLiteDialect } from "drizzle-orm/sqlite-core"
import { afterEach, expect, test, vi } from "vitest"
import { attemptDelivery } from "../../src/webhooks/attempt"
import type { Delivery } from "../../src/webhooks/reserve"
import { type Answer, type CallOptions, call, platform, run } from "../support/app"
import { makeCategory, makePage, makePost, makeTag } from "../support/blog-factories"
import { hostOfStore } from "../support/content-factories"
import { makeSite } from "../support/content-writes"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { externalClient, internalClient, makeActive } from "../support/license-factories"
import { makeMediaClient, upload } from "../support/media-factories"
import { contentReads, platformReads } from "../support/reads"
import { mockReceiver } from "../support/receiver"
import { makeDelivery } from "../support/webhook-factories"

afterEach(() => void vi.restoreAllMocks())

/** The hot reads by name. */
async function hotReads(): Promise<Record<string, () => Promise<Answer>>> {
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

  const at = (path: string, options: CallOptions = {}) => call("GET", path, { host, ...options })
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
    ...Object.fromEntries(paths.map((path) => [path, () => at(path)])),
    "a post for a key": () => at(`/api/v1/posts/${post.slug}`, { headers: { "X-API-KEY": key } }),
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
    "a license of the vendor": () => internal("GET", `/product-licenses/${license.code}`),
  }
}

/** Runs a request twice and asserts that the second run builds no SQL. */
async function hold(name: string, ask: () => Promise<Answer>, expected = 200): Promise<void> {
  const { status } = await ask()
  expect.soft(status, name).toEqual(expected)
  const composed = vi.spyOn(SQLiteDialect.prototype, "sqlToQuery").mockClear()
  await ask()
  expect
    .soft(
      composed.mock.results.map(({ value }) => value?.sql),
      name,
    )
    .toEqual([])
}

test("builds the SQL of a hot read once", async () => {
  const reads = await hotReads()
  for (const [name, ask] of Object.entries(reads)) await hold(name, ask, name === "/nowhere" ? 404 : 200)
  // Every built statement passes through here.
  const composed = vi.spyOn(SQLiteDialect.prototype, "sqlToQuery").mockClear()
  await makePost()
  expect(composed.mock.calls.length).toBeGreaterThan(0)
})

test("builds the SQL of every control-plane read once", async () => {
  for (const [name, ask] of Object.entries(await platformReads())) await hold(name, ask)
})

test("builds the SQL of every content API read once", async () => {
  for (const [name, ask] of Object.entries(await contentReads(await makeSite()))) await hold(name, ask)
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
    "handed on": async () => {
      const { id } = await makeDelivery(endpoint, { status: "failed", attempt: 1, nextAttemptAt: lease })
      return async () => run((ctx) => attemptDelivery(ctx, id, lease))
    },
  }
  for (const [kind, prepare] of Object.entries(attempts)) {
    for (const isAgain of [false, true]) {
      const make = await prepare()
      const composed = vi.spyOn(SQLiteDialect.prototype, "sqlToQuery").mockClear()
      const made = await make()
      expect.soft([made?.status, made?.error], kind).toEqual(["delivered", null])
      if (isAgain)
        expect
          .soft(
            composed.mock.results.map(({ value }) => value?.sql),
            kind,
          )
          .toEqual([])
    }
  }
})
