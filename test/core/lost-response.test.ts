// Commits whose response is lost: the change is made once, and the client learns whether it was.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { platform } from "../support/app"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import type { Fault } from "../support/faults"
import { makeMediaClient } from "../support/media-factories"
import { captureStatements, interceptRoundTrips } from "../support/round-trips"
import { count, rows, siteRows } from "../support/rows"

/** Makes the first batch with an audit entry fail. */
function failCommit(fault: Exclude<Fault, null>, times = 1) {
  let failures = 0
  return interceptRoundTrips(async (send, statements) => {
    const isCommit = statements.some((sql) => /^insert into "?audit_entries/i.test(sql))
    if (!isCommit || failures++ >= times) return send()
    if (fault === "after") await send()
    throw new Error("D1_ERROR: Network connection lost.")
  })
}

const input = { subdomain: "acme", name: "Acme", owner_email: "a@example.com", password: "correct-horse" }

describe("a change that needs no result of its statements", () => {
  test.each(["before", "after"] as const)("succeeds once when its commit fails %s it takes effect", async (fault) => {
    const token = await makeKey()
    const store = await makeReadyStore()
    await makeEndpoint()
    const faults = failCommit(fault)
    const { status, body } = await platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" } })
    faults.mockRestore()
    expect(status).toBe(200)
    expect(body.data.name).toBe("Renamed")
    expect(await rows("select name, version from stores")).toMatchObject([{ name: "Renamed" }])
    expect(await count("audit_entries where type like '%updated'")).toBe(1)
    expect(await count("webhook_events where type = 'store.updated'")).toBe(1)
    expect(await count("webhook_deliveries where event = 'store.updated'")).toBe(1)
  })

  test("gets 503 and is not made when its retry fails, too", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    const faults = failCommit("before", 2)
    const { status, headers } = await platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" } })
    faults.mockRestore()
    expect(status).toBe(503)
    expect(headers.get("Retry-After")).toBe("3")
    expect(await count("stores where name = 'Renamed'")).toBe(0)
    expect(await count("audit_entries where type like '%updated'")).toBe(0)
  })
})

describe("a change that needs the id of its new row", () => {
  test("is made when its commit fails before it takes effect", async () => {
    const token = await makeKey()
    const faults = failCommit("before")
    const { status } = await platform("POST", "/stores", { token, json: input })
    faults.mockRestore()
    expect(status).toBe(202)
    expect(await count("stores")).toBe(1)
  })

  test("is answered as usual when its response is lost, and replayed with the same Idempotency-Key", async () => {
    const token = await makeKey()
    const send = () => platform("POST", "/stores", { token, json: input, headers: { "Idempotency-Key": "one" } })
    const faults = failCommit("after")
    const first = await send()
    faults.mockRestore()
    expect(first.status).toBe(202)
    expect((await send()).body).toEqual(first.body)
    expect(await count("stores")).toBe(1)
    expect(await count("webhook_events where type = 'store.created'")).toBe(1)
  })
})

test("a commit without errors makes no additional round trip", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const trips = await captureStatements(() =>
    platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" } }),
  )
  expect(trips.flat().some((sql) => /count\(\*\).*audit_entries/.test(sql))).toBe(false)
})

test("a claim of an Idempotency-Key whose response is lost is recognized as the request's own", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  let failures = 0
  const faults = interceptRoundTrips(async (send, statements) => {
    const result = await send()
    if (statements.some((sql) => /insert into "idempotency_records"/i.test(sql)) && failures++ === 0)
      throw new Error("D1_ERROR: Network connection lost.")
    return result
  })
  const headers = { "Idempotency-Key": "one" }
  const { status } = await platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" }, headers })
  faults.mockRestore()
  expect(failures).toBeGreaterThan(1)
  expect(status).toBe(200)
})

test("a site's change whose response is lost is looked up at the primary, because a replica may lack it", async () => {
  const media = await makeMediaClient()
  const open = env.SITES_1.withSession.bind(env.SITES_1)
  let isLost = false
  const lagging = vi.spyOn(env.SITES_1, "withSession").mockImplementation((start) => {
    const session = open(start)
    const prepare = session.prepare.bind(session)
    const stale = { bind: () => ({ raw: async () => [], all: async () => ({ results: [] }) }) }
    return Object.assign(session, {
      prepare: (sql: string) => (isLost && sql.startsWith("select") ? (stale as never) : prepare(sql)),
    })
  })
  const faults = interceptRoundTrips(async (send, statements) => {
    const result = await send()
    if (isLost || !statements.some((sql) => sql.startsWith('insert into "site_trail"'))) return result
    isLost = true
    throw new Error("D1_ERROR: Network connection lost.")
  })
  const { status } = await media("POST", "/folders", { json: { name: "Photos" } })
  faults.mockRestore()
  lagging.mockRestore()
  expect([isLost, status]).toEqual([true, 201])
  expect(await siteRows("select name from media_folders")).toEqual([{ name: "Photos" }])
})
