// A store's audit log: its entries, actors, order and pagination.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { platform } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { rows } from "../support/rows"

let token: string
beforeEach(async () => {
  token = await makeKey({ name: "importer" })
})

const listEntries = (id: string, query = "") => platform("GET", `/stores/${id}/events${query}`, { token })

const entryTypes = (response: Awaited<ReturnType<typeof listEntries>>) =>
  response.body.data.map((entry: { type: string }) => entry.type)

/** Adds entries to a store's audit log, enough for several pages. */
const addEntries = (id: string, entries: number) =>
  env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < cast(?1 as integer))
     insert into audit_entries (store_id, store_seq, type, data, actor_type, actor_name, created_at)
     select ?2, (select seq from stores where id = ?2), 'store_updated', '{}', 'system', 'system', 0 from n`,
  )
    .bind(entries, id)
    .run()

describe("GET events", () => {
  test("lists every write with its actor, statuses and data, newest first", async () => {
    const plan = await makePlan()
    const id = await makeReadyStore({ plan: plan.slug })
    await platform("PATCH", `/stores/${id}`, { token, json: { name: "Renamed", owner_email: "n@x.example" } })
    await platform("POST", `/stores/${id}/suspend`, { token })
    await platform("POST", `/stores/${id}/resume`, { token })
    const response = await listEntries(id)
    expect(response.status).toBe(200)
    expect(entryTypes(response)).toEqual([
      "resumed",
      "suspended",
      "store_updated",
      "store_updated",
      "store_ready",
      "assigned",
      "store_created",
    ])
    expect(response.body.meta).toEqual({ page: 1, per_page: 30, total: 7, last_page: 1 })
    const [resumed, suspended, email, name, ready] = response.body.data
    expect(Object.keys(resumed)).toEqual(["id", "type", "from_status", "to_status", "data", "actor", "created_at"])
    expect(resumed).toMatchObject({ from_status: "suspended", to_status: "ready" })
    expect(suspended).toMatchObject({ from_status: "ready", to_status: "suspended" })
    const key = (await platform("GET", "/me", { token })).body.data
    expect(suspended.actor).toEqual({ type: "api_key", id: key.id, name: "importer" })
    expect(ready.actor).toEqual({ type: "system", id: null, name: "system" })
    expect(name.data).toEqual({ field: "name", from: "A store", to: "Renamed" })
    expect(email.data).toEqual({ field: "owner_email", from: "owner@example.com", to: "n@x.example" })
  })

  test("redacts data that is not public", async () => {
    const id = await makeStore()
    const data = {
      plan: "p",
      number: "INV-1",
      reason: "r",
      stripe_customer: "cus_1",
      stripeEvent: "evt_1",
      password: "x",
    }
    await env.DB.prepare("update audit_entries set data = ?").bind(JSON.stringify(data)).run()
    const [entry] = (await listEntries(id)).body.data
    expect(entry.data).toEqual({ plan: "p", number: "INV-1", reason: "r" })
  })

  test("paginates from both ends, returns 422 for invalid pages and 404 for an unknown store", async () => {
    const id = await makeStore()
    await makeStore()
    await addEntries(id, 40)
    const ids: number[] = []
    for (let page = 1; page <= 6; page++) {
      const response = await listEntries(id, `?per_page=7&page=${page}`)
      expect(response.body.meta).toEqual({ page, per_page: 7, total: 41, last_page: 6 })
      ids.push(...response.body.data.map((entry: { id: number }) => entry.id))
    }
    const stored = await rows("select id from audit_entries where store_id = ? order by id desc", id)
    expect(ids).toEqual(stored.map((row) => row.id))
    expect((await listEntries(id, "?page=7")).body.data).toEqual([])
    for (const query of ["?page=0", "?per_page=101", "?per_page=x", "?page=1&page=1"]) {
      expect((await listEntries(id, query)).status).toBe(422)
    }
    expect((await listEntries("nobody")).body.error.code).toBe("not_found")
  })

  test("retains a deleted store's entries and hides them from a new store with its subdomain", async () => {
    const id = await makeReadyStore({ subdomain: "phoenix" })
    await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
    expect((await listEntries(id)).status).toBe(404)
    expect(await rows("select type from audit_entries order by id desc limit 1")).toEqual([{ type: "store_deleted" }])
    await env.DB.exec("delete from purges")
    await makeStore({ subdomain: "phoenix" })
    expect(entryTypes(await listEntries(id))).toEqual(["store_created"])
    expect((await listEntries(id)).body.meta.total).toBe(1)
  })

  test("reads a constant number of rows per page in two round trips, however long the audit log is", async () => {
    const id = await makeStore()
    const reads = []
    for (const entries of [300, 2700]) {
      await addEntries(id, entries)
      reads.push((await costsOf(() => listEntries(id))).rowsRead)
    }
    expect(reads[1]).toBe(reads[0])
    expect((await costsOf(() => listEntries(id, "?page=3"))).roundTrips).toBe(2)
  })
})
