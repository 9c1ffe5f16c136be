// `ETag` and `If-Match` of stores, plans and endpoints, and `updated_since` of their lists.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { platform, type TestResponse } from "../support/app"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "../support/factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const send = (method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<TestResponse> =>
  platform(method, path, { token, json, headers })

const tagOf = (response: TestResponse) => response.headers.get("ETag") ?? ""

/** Every resource with an ETag: its path, a change and another change. */
const RESOURCES: Record<string, () => Promise<[path: string, change: object, other: object]>> = {
  store: async () => [`/stores/${await makeReadyStore()}`, { name: "One" }, { name: "Two" }],
  plan: async () => [`/plans/${(await makePlan()).slug}`, { name: "One" }, { trial_days: 3 }],
  endpoint: async () => [`/webhooks/${(await makeEndpoint()).id}`, { description: "one" }, { description: "two" }],
}

describe.each(Object.keys(RESOURCES))("If-Match of a %s", (name) => {
  let path: string
  let change: object
  let other: object
  beforeEach(async () => {
    const [first, ...changes] = (await RESOURCES[name]?.()) ?? ["", {}, {}]
    path = first
    ;[change, other] = changes
  })

  test("applies a change to the version that was read, and refuses one to an older version with 412", async () => {
    const read = await send("GET", path)
    expect(tagOf(read)).toMatch(/^"\d+\.\d+"$/)
    const changed = await send("PATCH", path, change, { "If-Match": tagOf(read) })
    expect(changed.status).toBe(200)
    expect(tagOf(changed)).not.toBe(tagOf(read))
    expect(tagOf(await send("GET", path))).toBe(tagOf(changed))
    const stale = await send("PATCH", path, other, { "If-Match": tagOf(read) })
    expect([stale.status, stale.body.error.code]).toEqual([412, "precondition_failed"])
    expect((await send("GET", path)).body.data).toEqual(changed.body.data)
  })

  test("accepts a list of tags and *, but no weak tag", async () => {
    const tag = tagOf(await send("GET", path))
    expect((await send("PATCH", path, change, { "If-Match": `W/${tag}` })).status).toBe(412)
    expect((await send("PATCH", path, change, { "If-Match": "" })).status).toBe(412)
    const listed = await send("PATCH", path, change, { "If-Match": `"0.0", ${tag}` })
    expect(listed.status).toBe(200)
    expect((await send("PATCH", path, other, { "If-Match": "*" })).status).toBe(200)
  })

  test("of two changes to one version, one succeeds", async () => {
    const headers = { "If-Match": tagOf(await send("GET", path)) }
    const results = await Promise.all([change, other].map((json) => send("PATCH", path, json, headers)))
    expect(results.map(({ status }) => status).sort()).toEqual([200, 412])
  })
})

test("a stale If-Match deletes neither a store nor an endpoint", async () => {
  const store = await makeReadyStore()
  const { id } = await makeEndpoint()
  for (const [path, json] of [
    [`/stores/${store}`, { confirm: store }],
    [`/webhooks/${id}`, undefined],
  ] as const) {
    expect((await send("DELETE", path, json, { "If-Match": '"1.999"' })).status).toBe(412)
    const tag = tagOf(await send("GET", path))
    expect((await send("DELETE", path, json, { "If-Match": tag })).status).toBe(204)
    expect((await send("GET", path)).status).toBe(404)
  }
})

test.each([
  ["suspend", {}],
  ["resume", {}],
  ["theme", { theme: "vitrine" }],
])("a stale If-Match refuses POST /stores/{id}/%s", async (action, json) => {
  const path = `/stores/${await makeReadyStore()}`
  const before = (await send("GET", path)).body
  const { status, body } = await send("POST", `${path}/${action}`, json, { "If-Match": '"1.999"' })
  expect([status, body.error.code]).toEqual([412, "precondition_failed"])
  expect((await send("GET", path)).body).toEqual(before)
})

test("a change of the subscription changes the ETag and updated_at of its store", async () => {
  const store = await makeReadyStore()
  const { slug } = await makePlan()
  await env.DB.prepare("update stores set updated_at = 1000 where id = ?").bind(store).run()
  const before = await send("GET", `/stores/${store}`)
  await send("POST", `/stores/${store}/subscription/assign`, { plan: slug })
  const after = await send("GET", `/stores/${store}`)
  expect(tagOf(after)).not.toBe(tagOf(before))
  expect(after.body.data.updated_at > before.body.data.updated_at).toBe(true)
})

test("updated_since lists the stores, plans, endpoints and coupons that changed at that time or later", async () => {
  await Promise.all([makeReadyStore(), makeReadyStore()])
  await makePlan()
  await makeEndpoint()
  await send("POST", "/coupons", { code: "SPRING", trial_days: 30 })
  await env.DB.batch(
    ["stores", "plans", "webhook_endpoints", "coupons"].map((table) =>
      env.DB.prepare(`update ${table} set updated_at = 1788344160000`),
    ),
  )
  for (const path of ["/stores", "/plans", "/webhooks", "/coupons"]) {
    const all = (await send("GET", path)).body
    const since = (at: string) => send("GET", `${path}?updated_since=${encodeURIComponent(at)}`)
    expect((await since("2026-09-02T10:16:00+00:00")).body, path).toEqual(all)
    expect((await since("2026-09-02T12:16:00+02:00")).body.data, path).toEqual(all.data)
    expect((await since("2026-09-02T10:16:01Z")).body, path).toMatchObject({ data: [], meta: { total: 0 } })
    expect((await since("soon")).body.errors, path).toHaveProperty("updated_since")
  }
})
