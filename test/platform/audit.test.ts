// A store's trail: what happened, who did it, the newest first, in pages.
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

const trail = (id: string, query = "") => platform("GET", `/stores/${id}/events${query}`, { token })

const typesOf = (answer: Awaited<ReturnType<typeof trail>>) =>
  answer.body.data.map((entry: { type: string }) => entry.type)

/** Adds entries to a store's trail, so that its pages are worth turning. */
const addEntries = (id: string, entries: number) =>
  env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < cast(?1 as integer))
     insert into audit_entries (store_id, store_seq, type, data, actor_type, actor_name, created_at)
     select ?2, (select seq from stores where id = ?2), 'store_updated', '{}', 'system', 'system', 0 from n`,
  )
    .bind(entries, id)
    .run()

describe("GET events", () => {
  test("tells every write with its actor, statuses and data, the newest first", async () => {
    const plan = await makePlan()
    const id = await makeReadyStore({ plan: plan.slug })
    await platform("PATCH", `/stores/${id}`, { token, json: { name: "Renamed", owner_email: "n@x.example" } })
    await platform("POST", `/stores/${id}/suspend`, { token })
    await platform("POST", `/stores/${id}/resume`, { token })
    const answer = await trail(id)
    expect(answer.status).toBe(200)
    expect(typesOf(answer)).toEqual([
      "resumed",
      "suspended",
      "store_updated",
      "store_updated",
      "store_ready",
      "assigned",
      "store_created",
    ])
    expect(answer.body.meta).toEqual({ page: 1, per_page: 30, total: 7, last_page: 1 })
    const [resumed, suspended, email, name, ready] = answer.body.data
    expect(Object.keys(resumed)).toEqual(["id", "type", "from_status", "to_status", "data", "actor", "created_at"])
    expect(resumed).toMatchObject({ from_status: "suspended", to_status: "ready" })
    expect(suspended).toMatchObject({ from_status: "ready", to_status: "suspended" })
    const me = (await platform("GET", "/me", { token })).body.data
    expect(suspended.actor).toEqual({ type: "api_key", id: me.id, name: "importer" })
    expect(ready.actor).toEqual({ type: "system", id: null, name: "system" })
    expect(name.data).toEqual({ field: "name", from: "A store", to: "Renamed" })
    expect(email.data).toEqual({ field: "owner_email", from: "owner@example.com", to: "n@x.example" })
  })

  test("shows of the data only what may be shown, here and in an event's log", async () => {
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
    const [entry] = (await trail(id)).body.data
    expect(entry.data).toEqual({ plan: "p", number: "INV-1", reason: "r" })
  })

  test("comes in pages, from whichever end is nearer; bad page values are 422; an unknown store is 404", async () => {
    const id = await makeStore()
    await makeStore()
    await addEntries(id, 40)
    const seen: number[] = []
    for (let page = 1; page <= 6; page++) {
      const answer = await trail(id, `?per_page=7&page=${page}`)
      expect(answer.body.meta).toEqual({ page, per_page: 7, total: 41, last_page: 6 })
      seen.push(...answer.body.data.map((entry: { id: number }) => entry.id))
    }
    const stored = await rows("select id from audit_entries where store_id = ? order by id desc", id)
    expect(seen).toEqual(stored.map((row) => row.id))
    expect((await trail(id, "?page=7")).body.data).toEqual([])
    for (const query of ["?page=0", "?per_page=101", "?per_page=x", "?page=1&page=1"]) {
      expect((await trail(id, query)).status).toBe(422)
    }
    expect((await trail("nobody")).body.error.code).toBe("not_found")
  })

  test("a deleted store's entries stay, and a new store of its name starts with an empty trail", async () => {
    const id = await makeReadyStore({ subdomain: "phoenix" })
    await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
    expect((await trail(id)).status).toBe(404)
    expect(await rows("select type from audit_entries order by id desc limit 1")).toEqual([{ type: "store_deleted" }])
    await env.DB.exec("delete from purges")
    await makeStore({ subdomain: "phoenix" })
    expect(typesOf(await trail(id))).toEqual(["store_created"])
    expect((await trail(id)).body.meta.total).toBe(1)
  })

  test("a page reads the same however long the trail is, in two round trips", async () => {
    const id = await makeStore()
    const reads = []
    for (const entries of [300, 2700]) {
      await addEntries(id, entries)
      reads.push((await costsOf(() => trail(id))).rowsRead)
    }
    expect(reads[1]).toBe(reads[0])
    expect((await costsOf(() => trail(id, "?page=3"))).roundTrips).toBe(2)
  })
})
