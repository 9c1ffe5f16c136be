// Reads: retried once after a transient error, and read from the primary when a session fails or hangs.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { batch, centralDatabase, nearestCentralReplica, read } from "../../src/db/client"
import { isTransient } from "../../src/db/errors"
import { prepareRead } from "../../src/db/prepared"
import { SESSION_PAUSE_MS, SESSION_TIMEOUT_MS } from "../../src/db/read-retry"
import { plans } from "../../src/db/schema/central/plans"
import { isolate, platform } from "../support/app"
import { makeKey } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { skipTimeouts } from "../support/timers"

const selectPlans = prepareRead<{ slug: string }, object>((db) => db.select({ slug: plans.slug }).from(plans))

/** Every way to read. */
const READS: Record<string, () => Promise<unknown>> = {
  "a query": () => centralDatabase(isolate.env).select({ slug: plans.slug }).from(plans),
  "a prepared read": () => read(centralDatabase(isolate.env), selectPlans({})),
  "a batch": () => batch(centralDatabase(isolate.env), [selectPlans({})]),
  "a session": () => read(nearestCentralReplica(isolate.env), selectPlans({})),
}

/** Makes every session hang, as if its replica never caught up. */
function hangSessions() {
  const open = vi.spyOn(env.DB, "withSession")
  open.mockImplementation(() => {
    const hang = () => new Promise<never>(() => undefined)
    const statement = { bind: () => ({ raw: hang, all: hang }) }
    return { prepare: () => statement, batch: hang, getBookmark: () => null } as unknown as D1DatabaseSession
  })
  return open
}

describe.each(Object.keys(READS))("%s", (name) => {
  const run = READS[name] as () => Promise<unknown>

  test("succeeds when the first attempt fails", async () => {
    let attempts = 0
    const faults = failRoundTrips(() => (attempts++ === 0 ? "before" : null))
    expect(await run()).toBeDefined()
    expect(attempts).toBe(2)
    faults.mockRestore()
  })

  test("fails when the second attempt fails, too", async () => {
    let attempts = 0
    const faults = failRoundTrips(() => {
      attempts++
      return "before"
    })
    await expect(run()).rejects.toSatisfy(isTransient)
    expect(attempts).toBe(2)
    faults.mockRestore()
  })
})

test("is not repeated after an error that a retry cannot mend", async () => {
  let attempts = 0
  const faults = failRoundTrips(() => {
    attempts++
    return "before"
  }, "D1_ERROR: no such table: plans")
  await expect(READS["a query"]?.()).rejects.toThrow()
  expect(attempts).toBe(1)
  faults.mockRestore()
})

test("a session that hangs is replaced by the primary, and not used again for a minute", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const delays = skipTimeouts((ms) => ms === SESSION_TIMEOUT_MS)
  const countTimeouts = () => delays.filter((delay) => delay === SESSION_TIMEOUT_MS).length
  const open = hangSessions()
  expect(await READS["a session"]?.()).toEqual([])
  expect(countTimeouts()).toBe(1)
  expect(await READS["a session"]?.()).toEqual([])
  expect(countTimeouts()).toBe(1)
  vi.setSystemTime(Date.now() + SESSION_PAUSE_MS)
  open.mockRestore()
  const sessionUsed = vi.spyOn(env.DB, "withSession")
  expect(await READS["a session"]?.()).toEqual([])
  expect(sessionUsed).toHaveBeenCalled()
  expect(countTimeouts()).toBe(2)
})

test("a request during an outage gets 503 with Retry-After, not 500", async () => {
  const token = await makeKey()
  const faults = failRoundTrips(() => "before")
  const response = await platform("GET", "/stores", { token })
  faults.mockRestore()
  expect(response).toMatchObject({ status: 503, body: { error: { code: "temporarily_unavailable" } } })
  expect(response.headers.get("Retry-After")).toBe("3")
})

test("a write to a full database gets 503 with a long Retry-After, and reads still work", async () => {
  const token = await makeKey()
  const batchOf = vi.spyOn(env.DB, "batch")
  batchOf.mockRejectedValue(new Error("D1_ERROR: Exceeded maximum DB size"))
  const json = { subdomain: "acme", name: "Acme", owner_email: "a@example.com", password: "correct-horse" }
  const response = await platform("POST", "/stores", { token, json })
  batchOf.mockRestore()
  expect(response).toMatchObject({ status: 503, body: { error: { code: "temporarily_unavailable" } } })
  expect(response.headers.get("Retry-After")).toBe("300")
  expect((await platform("GET", "/stores", { token })).status).toBe(200)
})
