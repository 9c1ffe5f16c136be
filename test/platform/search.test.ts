// The list of stores: filters, search, pagination, and the cost of queries.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { removeStore } from "../../src/platform/stores/remove"
import { platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { makeManyStores, NEEDLE, NEEDLE_COUNT } from "../support/many-stores"
import { rows } from "../support/rows"

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const list = (query: Record<string, string | number> = {}) =>
  platform("GET", `/stores?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}`, { token })

const ids = async (query: Record<string, string | number>): Promise<string[]> =>
  (await list(query)).body.data.map((store: { id: string }) => store.id)

describe("the list", () => {
  test("lists stores newest first in pages with meta, and with usage only on request", async () => {
    const plan = await makePlan()
    const made = [await makeStore(), await makeReadyStore({ plan: plan.slug }), await makeStore()].reverse()
    const response = await list()
    expect(response.status).toBe(200)
    expect(response.body.data.map((store: { id: string }) => store.id)).toEqual(made)
    expect(response.body.meta).toEqual({ page: 1, per_page: 30, total: 3, last_page: 1 })
    const [, ready] = response.body.data
    expect(Object.keys(ready)).toEqual([
      "id",
      "name",
      "status",
      "access_state",
      "theme",
      "preset",
      "owner_email",
      "root_url",
      "provisioned_at",
      "created_at",
      "updated_at",
      "billing_provider",
    ])
    expect(ready).toMatchObject({ status: "ready", access_state: "serving", billing_provider: "local" })
    expect((await list({ include: "usage" })).body.data[1].usage).toMatchObject({ orders: 0, staff_users: 1 })
    expect((await list({ per_page: 2, page: 2 })).body).toMatchObject({
      data: [{ id: made[2] }],
      meta: { page: 2, per_page: 2, total: 3, last_page: 2 },
    })
    expect((await list({ page: 9 })).body).toMatchObject({ data: [], meta: { page: 9, total: 3, last_page: 1 } })
  })

  test("returns the right stores on every page of any size, counted from either end", async () => {
    await makeManyStores(env.DB, 50)
    const all = Array.from({ length: 50 }, (_, index) => `shop-${50 - index}`)
    for (const size of [1, 7, 25, 49, 50, 100]) {
      const pages = []
      for (let page = 1; page <= Math.ceil(50 / size); page++) pages.push(...(await ids({ page, per_page: size })))
      expect(pages).toEqual(all)
    }
    const suspended = await list({ status: "suspended", per_page: 2, page: 2 })
    expect(suspended.body.data.map((store: { id: string }) => store.id)).toEqual(["shop-30", "shop-20"])
    expect(suspended.body.meta).toEqual({ page: 2, per_page: 2, total: 5, last_page: 3 })
  })

  test("returns 422 with the parameter's name for invalid and duplicate query parameters", async () => {
    const bad: [query: string, field: string][] = [
      ["per_page=abc", "per_page"],
      ["per_page=0", "per_page"],
      ["per_page=101", "per_page"],
      ["per_page=-1", "per_page"],
      ["per_page=1.5", "per_page"],
      ["per_page=", "per_page"],
      ["page=0", "page"],
      ["page=1e3", "page"],
      ["page=%00", "page"],
      ["page=99999999999999999999", "page"],
      ["status=nope", "status"],
      ["status=", "status"],
      ["include=everything", "include"],
      [`q=${"x".repeat(201)}`, "q"],
      ["page=1&page=2", "page"],
      ["q=a&q=b", "q"],
      ["status=ready&status=ready", "status"],
    ]
    for (const [query, field] of bad) {
      const response = await platform("GET", `/stores?${query}`, { token })
      expect([response.status, Object.keys(response.body.errors ?? {})], query).toEqual([422, [field]])
    }
    expect((await platform("GET", "/stores?unknown=1", { token })).status).toBe(200)
  })
})

describe("search", () => {
  test("finds substrings of subdomain, name and owner email in any case, script, length and punctuation", async () => {
    const make = (subdomain: string, name: string, owner_email: string) => makeStore({ subdomain, name, owner_email })
    await make("acme", "ÉCLAIR & Söhne 100% Straße", "First.Last+tag@Example.ORG")
    await make("tokyo", "東京コーヒー店", "shop@tokyo.example")
    await make("party", '🎉 "Party" O\'Neil* (NOT) a_b', "p@x.example")
    await make("odysseus", "ΟΔΥΣΣΕΥΣ", "o@ithaca.example")
    const expectations: [q: string, ids: string[]][] = [
      ["acme", ["acme"]],
      ["CM", ["acme"]],
      ["éclair", ["acme"]],
      ["E\u0301CLAIR", ["acme"]],
      ["hne 100%", ["acme"]],
      ["%", ["acme"]],
      ["last+TAG@example.org", ["acme"]],
      ["京", ["tokyo"]],
      ["京コ", ["tokyo"]],
      ["コーヒー", ["tokyo"]],
      ["店", ["tokyo"]],
      ["🎉", ["party"]],
      ['"party"', ["party"]],
      ["'", ["party"]],
      ["o'neil*", ["party"]],
      ["*", ["party"]],
      ["(NOT)", ["party"]],
      ["a_b", ["party"]],
      ["_", ["party"]],
      ["ΟΔΥΣ", ["odysseus"]],
      ["σευς", ["odysseus"]],
      ["Σ", ["odysseus"]],
      ["straße", ["acme"]],
      ["STRASSE", ["acme"]],
      ["example", ["odysseus", "party", "tokyo", "acme"]],
      ["o", ["odysseus", "party", "tokyo", "acme"]],
      ["e", ["odysseus", "party", "tokyo", "acme"]],
      ["", ["odysseus", "party", "tokyo", "acme"]],
      ["   ", ["odysseus", "party", "tokyo", "acme"]],
      ["\0", ["odysseus", "party", "tokyo", "acme"]],
      ["acme OR tokyo", []],
      ["acme*", []],
      ["NEAR(acme tokyo)", []],
      ["search_text: acme", []],
      ["^acme", []],
      ["-acme", []],
      ["' or 1=1 --", []],
      ["a%e", []],
      ["acmeÉ", []],
      ["e\u0001x", []],
      ["zz", []],
      ["\uD800", []],
      [`${"acme".repeat(50)}`, []],
    ]
    for (const [q, expected] of expectations) {
      const response = await list({ q })
      expect([response.status, response.body.data?.map((store: { id: string }) => store.id)], q).toEqual([
        200,
        expected,
      ])
      expect(response.body.meta.total).toBe(expected.length)
    }
  })

  test("searches for terms of up to 200 characters", async () => {
    const name = "n".repeat(59) + "\u{1F600}".repeat(60)
    const id = await makeStore({ name })
    const email = `${"e".repeat(60)}@${"d".repeat(60)}.${"x".repeat(60)}.example`
    const long = await makeStore({ owner_email: email })
    expect(await ids({ q: name })).toEqual([id])
    expect(await ids({ q: email })).toEqual([long])
    expect((await list({ q: "\u{1F600}".repeat(200) })).body.data).toEqual([])
  })

  test("combines a search with a status filter and pagination", async () => {
    await makeManyStores(env.DB, 100)
    expect(await ids({ q: "number 9", per_page: 3, page: 2 })).toEqual(["shop-96", "shop-95", "shop-94"])
    expect(await ids({ q: "number 9", status: "suspended" })).toEqual(["shop-90"])
    expect((await list({ q: "7", per_page: 5, page: 2 })).body.meta).toEqual({
      page: 2,
      per_page: 5,
      total: 19,
      last_page: 4,
    })
    expect(await ids({ q: "7", per_page: 5, page: 4 })).toEqual(["shop-37", "shop-27", "shop-17", "shop-7"])
    expect(await ids({ q: "zz", page: 3 })).toEqual([])
  })

  test("updates the search when a store is renamed or deleted", async () => {
    const id = await makeReadyStore({ name: "Before" })
    await platform("PATCH", `/stores/${id}`, { token, json: { name: "Afterwards", owner_email: "new@owner.example" } })
    expect(await ids({ q: "before" })).toEqual([])
    expect([await ids({ q: "afterw" }), await ids({ q: "NEW@owner" })]).toEqual([[id], [id]])
    await run((ctx) => removeStore(ctx, id, { confirm: id, reason: "console" }))
    expect([await ids({ q: "afterw" }), await ids({ q: "af" })]).toEqual([[], []])
  })
})

describe("totals", () => {
  const totals = async () =>
    Object.fromEntries(
      (await rows("select filter, total from counters where list = 'stores'")).map((r) => [r.filter, r.total]),
    )

  test("updates the totals with every insert, status change and delete, but not with a rolled-back change", async () => {
    const [first, second] = [await makeReadyStore(), await makeStore()]
    expect(await totals()).toEqual({ "": 2, pending: 1, provisioning: 0, ready: 1 })
    await platform("POST", `/stores/${first}/suspend`, { token })
    expect(await totals()).toEqual({ "": 2, pending: 1, provisioning: 0, ready: 0, suspended: 1 })
    await env.DB.exec("alter table audit_entries rename to elsewhere")
    expect((await platform("POST", `/stores/${first}/resume`, { token })).status).toBe(500)
    await env.DB.exec("alter table elsewhere rename to audit_entries")
    expect(await totals()).toMatchObject({ "": 2, suspended: 1, ready: 0 })
    expect((await platform("DELETE", `/stores/${first}`, { token, json: { confirm: first } })).status).toBe(204)
    expect(await totals()).toMatchObject({ "": 1, suspended: 0, pending: 1 })
    expect(await ids({ status: "pending" })).toEqual([second])
    expect((await list({ status: "failed" })).body).toMatchObject({ data: [], meta: { total: 0, last_page: 1 } })
  })
})

describe("query cost", () => {
  const read = async (query: Record<string, string | number>) => (await costsOf(() => list(query))).rowsRead

  test("reads a constant number of rows for the first page and a status filter, and rows by matches for a search", async () => {
    await list()
    const costs: Record<string, number>[] = []
    for (const total of [300, 3000]) {
      await env.DB.exec(
        "delete from stores; delete from domains; delete from usage_snapshots; delete from subscriptions",
      )
      await makeManyStores(env.DB, total)
      expect((await list({ q: NEEDLE })).body.meta.total).toBe(NEEDLE_COUNT)
      const last = Math.ceil(total / 30)
      costs.push({
        first: await read({}),
        usage: await read({ include: "usage" }),
        status: await read({ status: "suspended" }),
        last: await read({ page: last }),
        search: await read({ q: NEEDLE }),
        searchStatus: await read({ q: NEEDLE, status: "suspended" }),
        nothing: await read({ q: "nothing at all" }),
        middle: await read({ page: Math.ceil(last / 2) }),
        beyond: await read({ page: 100_000 }),
      })
    }
    const [few, many] = costs as [Record<string, number>, Record<string, number>]
    const { middle: fewMiddle = 0, ...constant } = few
    expect(many).toMatchObject(constant)
    expect(constant.search).toBeLessThan(20 * NEEDLE_COUNT)
    // The middle page skips half of the stores, of which there are ten times as many.
    expect(many.middle).toBeLessThan(fewMiddle + 1500)
  })

  test("reads rows by matches for a search term of one or two characters", async () => {
    const costs: number[] = []
    for (const total of [300, 3000]) {
      await env.DB.exec(
        "delete from stores; delete from domains; delete from usage_snapshots; delete from subscriptions",
      )
      await makeManyStores(env.DB, total)
      await env.DB.exec(
        "update stores set search_text = search_text || '東京' || char(1, 1) where seq % 2 = 0 and seq < 40 + (select min(seq) from stores)",
      )
      costs.push(await read({ q: "京" }), await read({ q: "東京" }))
    }
    expect(costs.slice(2)).toEqual(costs.slice(0, 2))
  })

  test("lists stores in two round trips including authentication, with two parallel Durable Object calls", async () => {
    await platform("GET", "/me", { token })
    const queries: Record<string, string>[] = [{}, { status: "ready", page: "2" }, { q: "acme" }, { q: "a" }]
    for (const query of queries) {
      expect(await costsOf(() => list(query))).toMatchObject({ roundTrips: 2, objectCalls: 2 })
    }
  })
})
