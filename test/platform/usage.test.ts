// Usage: cached snapshots, live counts, and the nightly refresh.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { writeUnaudited } from "../../src/core/write/commit"
import { buildSnapshot, upsertSnapshots } from "../../src/platform/usage/snapshots"
import { consume, cron, platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { makeManyStores } from "../support/many-stores"
import { rows, siteRows } from "../support/rows"
import { setSiteUsage } from "../support/usage-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const read = (id: string, query = "") => platform("GET", `/stores/${id}/usage${query}`, { token })

const expectUnavailable = async (id: string) => {
  const response = await read(id, "?refresh=1")
  expect([response.status, response.body.error.code]).toEqual([409, "usage_unavailable"])
}

/** Whether a queue message belongs to the refresh; the nightly cron enqueues other jobs, too. */
const isUsageJob = (body: unknown): boolean => (body as { job?: string }).job === "usage"

describe("GET usage", () => {
  test("returns the cached usage snapshot, also for a store that was never provisioned", async () => {
    const id = await makeReadyStore()
    const response = await read(id)
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual({
      store_id: id,
      period: new Date().toISOString().slice(0, 7),
      live: false,
      usage: {
        period: new Date().toISOString().slice(0, 7),
        products: expect.any(Number),
        orders: 0,
        storage_bytes: 0,
        staff_users: 1,
        collected_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      },
    })
    await setSiteUsage(id, { products: 555 })
    for (const query of ["", "?refresh=0", "?refresh=false"]) {
      expect((await read(id, query)).body.data).toEqual(response.body.data)
    }
    const pending = await makeStore()
    expect((await read(pending)).body.data).toMatchObject({ live: false, usage: { staff_users: 0 } })
    expect((await read("nobody")).body.error.code).toBe("not_found")
    expect((await read(id, "?refresh=yes")).body.errors).toHaveProperty("refresh")
    expect((await read(id, "?refresh=1&refresh=1")).status).toBe(422)
  })

  test("does not count sample products, so no plan is too small for them", async () => {
    const plan = await makePlan({ limits: { products: 1, orders: 0, storage_mb: 0, staff_users: 0 } })
    const id = await makeReadyStore({ plan: (await makePlan()).slug })
    const [{ samples } = {}] = await siteRows(
      "select count(*) as samples from products where site_id = ? and is_sample = 1",
      id,
    )
    expect(Number(samples)).toBeGreaterThan(1)
    expect((await read(id, "?refresh=1")).body.data.usage.products).toBe(0)
    expect(
      (await platform("POST", `/stores/${id}/subscription/change-plan`, { token, json: { plan: plan.slug } })).status,
    ).toBe(200)
    await env.SITES_1.prepare("update products set is_sample = null where site_id = ?").bind(id).run()
    expect((await read(id, "?refresh=1")).body.data.usage.products).toBe(samples)
  })

  test("counts only the store's own rows of the current month with refresh=1, and stores the snapshot", async () => {
    const [id, neighbour] = [await makeReadyStore(), await makeReadyStore()]
    await setSiteUsage(neighbour, { products: 100, orders: 100, bytes: 100, staff: 9 })
    await setSiteUsage(id, { products: 7, orders: 4, earlierOrders: 50, bytes: 12_345, staff: 3, customers: 8 })
    const response = await read(id, "?refresh=1")
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({ store_id: id, live: true })
    const { collected_at, ...counts } = response.body.data.usage
    expect(counts).toEqual({
      period: response.body.data.period,
      products: 7,
      orders: 4,
      storage_bytes: 12_345,
      staff_users: 3,
    })
    expect((await read(id)).body.data).toEqual({ ...response.body.data, live: false })
    expect((await platform("GET", `/stores/${id}`, { token })).body.data.usage).toEqual({ collected_at, ...counts })
    expect((await platform("GET", "/stores?include=usage", { token })).body.data[1].usage.products).toBe(7)
    expect((await read(neighbour)).body.data.usage.products).not.toBe(100)
  })

  test("returns usage_unavailable and leaves the snapshot unchanged when a live count fails", async () => {
    const pending = await makeStore()
    for (const status of ["pending", "provisioning", "failed"]) {
      await env.DB.prepare("update stores set status = ?, database = 'SITES_1'").bind(status).run()
      await expectUnavailable(pending)
    }
    const id = await makeReadyStore()
    const before = await rows("select * from usage_snapshots where store_id = ?", id)
    await env.DB.prepare("update stores set database = 'SITES_9' where id = ?").bind(id).run()
    await expectUnavailable(id)
    await env.DB.prepare("update stores set database = 'SITES_1' where id = ?").bind(id).run()
    await env.SITES_1.exec("drop table counters")
    await expectUnavailable(id)
    expect(await rows("select * from usage_snapshots where store_id = ?", id)).toEqual(before)
    expect((await read(id)).status).toBe(200)
    expect((await read("nobody", "?refresh=1")).status).toBe(404)
  })

  test("reads usage in two sequential round trips, and counts it live in four", async () => {
    const id = await makeReadyStore()
    await platform("GET", "/me", { token })
    expect((await costsOf(() => read(id))).roundTrips).toBe(2)
    // The count runs in parallel with the central query; the snapshot is stored in the background.
    expect((await costsOf(() => read(id, "?refresh=1"))).roundTrips).toBe(4)
  })
})

describe("snapshots", () => {
  test("stores a usage snapshot only for the counted incarnation, and never over a newer one", async () => {
    const id = await makeReadyStore()
    const seq = Number((await rows("select seq from stores"))[0]?.seq)
    const storeSnapshot = (seq: number, products: number, now: Date) =>
      run(
        (ctx) =>
          writeUnaudited(ctx, "statistics", [upsertSnapshots([{ seq, ...buildSnapshot(ctx, id, { products }) }])]),
        {
          now,
        },
      )
    const readSnapshot = async () =>
      (await rows("select counts ->> 'products' as products from usage_snapshots"))[0]?.products
    const soon = Date.now() + 60_000
    await storeSnapshot(seq, 5, new Date(soon))
    await storeSnapshot(seq, 4, new Date(soon - 1))
    expect(await readSnapshot()).toBe(5)
    await storeSnapshot(seq + 1, 9, new Date(soon + 1))
    expect(await readSnapshot()).toBe(5)
    await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
    await storeSnapshot(seq, 6, new Date(soon + 2))
    expect(await rows("select * from usage_snapshots")).toEqual([])
  })

  test("refreshes all usage snapshots nightly, 50 stores per queue message", async () => {
    await makeManyStores(env.DB, 120)
    const unprovisioned = await makeStore()
    const send = vi.mocked(env.SLOW_JOB_QUEUE.send)
    send.mockClear()
    await cron("30 2 * * *")
    const messages: unknown[] = []
    const nextMessage = () => send.mock.calls.map(([body]) => body).filter(isUsageJob)[messages.length]
    for (let next = nextMessage(); next; next = nextMessage()) {
      messages.push(next)
      await consume("tenancy-slow-jobs", [next])
    }
    expect(messages).toEqual([0, 50, 100].map((after) => ({ job: "usage", after, lease: expect.any(String) })))
    const counted = await rows(
      "select count(*) as n, sum(coalesce(counts ->> 'products', 0)) as products from usage_snapshots where collected_at > 0",
    )
    expect(counted).toEqual([{ n: 121, products: 0 }])
    expect(await rows("select counts from usage_snapshots where store_id = ?", unprovisioned)).toEqual([
      { counts: "{}" },
    ])
  })

  test("refreshes 50 stores in four round trips, and skips only the stores of a database that fails", async () => {
    await makeManyStores(env.DB, 100)
    await env.DB.exec("update stores set database = 'SITES_9' where seq % 2 = 0")
    await setSiteUsage("shop-1", { products: 3 })
    const send = vi.mocked(env.SLOW_JOB_QUEUE.send)
    send.mockClear()
    expect((await costsOf(() => consume("tenancy-slow-jobs", [{ job: "usage", after: 0 }]))).roundTrips).toBe(4)
    const counted = await rows(
      "select counts ->> 'products' as products from usage_snapshots where collected_at > 0 order by rowid",
    )
    expect([counted.length, counted[0]]).toEqual([25, { products: 3 }])
    const next = { job: "usage", after: 50, lease: expect.any(String) }
    expect(send).toHaveBeenCalledExactlyOnceWith(next)
    await env.DB.exec("delete from locks")
    await consume("tenancy-slow-jobs", [{ job: "usage", after: 100 }])
    expect(send).toHaveBeenCalledTimes(1)
  })
})
