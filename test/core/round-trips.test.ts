// Sequential round trips: two for any read of the control plane and the content API, three for any write, including
// authentication and rate limits. Routes come from the code, so a new route is checked too.
import { expect, test } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { platform as platformApp } from "../../src/platform/app"
import { type Answer, platform } from "../support/app"
import { NON_WRITING_ROUTES, WRITES as CONTENT_WRITES, makeSite } from "../support/content-writes"
import { makeKey } from "../support/factories"
import { WRITES as PLATFORM_WRITES } from "../support/platform-writes"
import { contentReads, platformReads } from "../support/reads"
import { mockReceiver } from "../support/receiver"
import { sequenceOf } from "../support/sequence"

const READ = 2
const WRITE = 3

/** Routes that take more, with the reason. */
const LONGER: Record<string, [trips: number, reason: string]> = {
  "profile.updateAvatar": [
    5,
    "bytes are read for a known user within the rate limit, and noted before they are stored",
  ],
  "files.upload": [4, "bytes are noted before they are stored"],
  "billing.requestOrder": [
    4,
    "only the store's staff are counted, or strangers would use up the limit of a shared network",
  ],
  "accounts.logIn": [
    4,
    "an account is counted only after the network, or a refused network would use up the accounts that it names",
  ],
  "accounts.forgotPassword": [
    5,
    "a mail is counted, by network and then by mailbox, before its link is stored, or requests would end links that were mailed",
  ],
  "accounts.resendVerification": [
    5,
    "a mail is counted, by network and then by mailbox, before its link is stored, or requests would end the one that was mailed",
  ],
}

/** Asserts the number of round trips of a request. */
async function hold(name: string, most: number, ask: () => Promise<Answer>): Promise<void> {
  const { status, text, trips, asked } = await sequenceOf(ask)
  expect.soft(status < 300 || text, `${name} ${status}`).toBe(true)
  const [allowed] = LONGER[name] ?? [most]
  // Fail for an exception that is no longer needed.
  const isSiteLocked = LONGER[name] ? trips === allowed : trips <= allowed
  expect.soft(isSiteLocked || [trips, ...asked], `${name} ${allowed}`).toBe(true)
}

const namesOf = (routes: ReturnType<typeof routeTable>, isRead: boolean) =>
  routes.filter(({ method, id }) => (method === "GET" && id !== "accounts.logOut") === isRead).map(({ id }) => id)

test("reads of the control plane take two round trips", async () => {
  const reads = await platformReads()
  for (const [name, ask] of Object.entries(reads)) await hold(name, READ, ask)
  expect(Object.keys(reads).sort()).toEqual(namesOf(routeTable(platformApp), true).sort())
})

test("writes of the control plane take three round trips", async () => {
  const token = await makeKey()
  for (const [name, make] of Object.entries(PLATFORM_WRITES)) {
    mockReceiver()
    const { method, path, json } = await make()
    await hold(name, WRITE, () => platform(method, path, { token, json }))
  }
  expect(Object.keys(PLATFORM_WRITES).sort()).toEqual(namesOf(routeTable(platformApp), false).sort())
})

/** Reserving an attempt is the first statement, so there is no read to claim the key in parallel with. */
const READS_NOTHING = new Set(["deliveries.retry", "webhooks.test"])

test("an Idempotency-Key adds one round trip to a write, and a replay takes one", async () => {
  const token = await makeKey()
  for (const [name, make] of Object.entries(PLATFORM_WRITES)) {
    mockReceiver()
    const { method, path, json } = await make()
    const ask = () => sequenceOf(() => platform(method, path, { token, json, headers: { "Idempotency-Key": name } }))
    const first = await ask()
    const most = (LONGER[name]?.[0] ?? WRITE) + (READS_NOTHING.has(name) ? 2 : 1)
    expect
      .soft([name, first.status < 300 || first.text, first.trips <= most || first.asked])
      .toEqual([name, true, true])
    const again = await ask()
    expect.soft([again.status, again.text, again.asked.length], name).toEqual([first.status, first.text, 3])
    expect.soft(again.trips, name).toBe(1)
  }
})

test("reads of the content API take two round trips", async () => {
  const reads = await contentReads(await makeSite())
  for (const [name, ask] of Object.entries(reads)) await hold(name, READ, ask)
  expect(Object.keys(reads).sort()).toEqual(namesOf(routeTable(await loadContentRoutes()), true).sort())
})

test("writes of the content API take three round trips", async () => {
  const site = await makeSite()
  for (const [name, make] of Object.entries(CONTENT_WRITES)) await hold(name, WRITE, await make(site))
  const names = [...Object.keys(CONTENT_WRITES), ...NON_WRITING_ROUTES]
  expect(names.sort()).toEqual(namesOf(routeTable(await loadContentRoutes()), false).sort())
})
