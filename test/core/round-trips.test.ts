// Limits sequential round trips, including authentication and rate limits: two for reads, three for writes, more for
// the routes in EXCEPTIONS. Routes come from the code, so a new route is checked too.
import { expect, test } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { platform as platformApp } from "../../src/platform/app"
import { platform, type TestResponse } from "../support/app"
import { WRITES as CONTENT_WRITES, makeSite, NON_WRITING_ROUTES } from "../support/content-writes"
import { measureCriticalPath } from "../support/critical-path"
import { makeKey } from "../support/factories"
import { WRITES as PLATFORM_WRITES } from "../support/platform-writes"
import { prepareContentReads, preparePlatformReads } from "../support/read-requests"
import { mockReceiver } from "../support/receiver"

const READ_ROUND_TRIPS = 2
const WRITE_ROUND_TRIPS = 3

/** Routes of the content API that take more round trips, and the reason. */
const CONTENT_EXCEPTIONS: Record<string, [roundTrips: number, reason: string]> = {
  "profile.updateAvatar": [
    5,
    "the user and the rate limit are checked before the body is read, and the object is recorded before it is stored",
  ],
  "files.upload": [4, "the object is recorded before it is stored"],
  "billing.requestOrder": [
    5,
    "only staff are counted, so anonymous requests do not use up the limit of a shared network; the usage of a store that orders another plan is counted after that",
  ],
  "accounts.logIn": [
    4,
    "the account is counted after the network, so a limited network does not use up the limits of accounts",
  ],
  "accounts.forgotPassword": [
    5,
    "the mail is counted by network and mailbox before its link is stored, so dropped mails do not replace mailed links",
  ],
  "accounts.resendVerification": [
    5,
    "the mail is counted by network and mailbox before its link is stored, so dropped mails do not replace the mailed link",
  ],
  "contact.reply": [
    5,
    "the mail is counted by network and mailbox before the reply is stored, so no reply that is dropped looks sent",
  ],
  "storeWebhooks.test": [4, "the caller is authorized in the site's database before a request is sent"],
  "storeWebhooks.retryDelivery": [4, "the caller is authorized in the site's database before a request is sent"],
}

/** Asserts the number of round trips of a request. */
async function assertRoundTrips(
  name: string,
  maximum: number,
  send: () => Promise<TestResponse>,
  exceptions: typeof CONTENT_EXCEPTIONS = {},
): Promise<void> {
  const { status, text, roundTrips, calls } = await measureCriticalPath(send)
  expect.soft(status, `${name}: ${text}`).toBeLessThan(300)
  const [allowed] = exceptions[name] ?? [maximum]
  expect.soft(roundTrips, `${name}: ${calls.join("; ")}`).toBeLessThanOrEqual(allowed)
  // Fails for an exception that is no longer needed.
  if (exceptions[name]) expect.soft(roundTrips, name).toBe(allowed)
}

const listRouteIds = (routes: ReturnType<typeof routeTable>, isRead: boolean) =>
  routes.filter(({ method, id }) => (method === "GET" && id !== "accounts.logOut") === isRead).map(({ id }) => id)

test("reads of the control plane take at most two round trips", async () => {
  const reads = await preparePlatformReads()
  for (const [name, send] of Object.entries(reads)) await assertRoundTrips(name, READ_ROUND_TRIPS, send)
  expect(Object.keys(reads).sort()).toEqual(listRouteIds(routeTable(platformApp), true).sort())
})

test("writes of the control plane take at most three round trips", async () => {
  const token = await makeKey()
  for (const [name, make] of Object.entries(PLATFORM_WRITES)) {
    mockReceiver()
    const { method, path, json } = await make()
    await assertRoundTrips(name, WRITE_ROUND_TRIPS, () => platform(method, path, { token, json }))
  }
  expect(Object.keys(PLATFORM_WRITES).sort()).toEqual(listRouteIds(routeTable(platformApp), false).sort())
})

/** Routes whose first statement is a write, so no read runs in parallel with claiming the key. */
const WITHOUT_READ = new Set(["deliveries.retry", "webhooks.test"])

test("an Idempotency-Key adds at most two round trips to a write, and a replay takes at most two", async () => {
  const token = await makeKey()
  for (const [name, make] of Object.entries(PLATFORM_WRITES)) {
    mockReceiver()
    const { method, path, json } = await make()
    const send = () =>
      measureCriticalPath(() => platform(method, path, { token, json, headers: { "Idempotency-Key": name } }))
    const first = await send()
    const maximum = WRITE_ROUND_TRIPS + (WITHOUT_READ.has(name) ? 2 : 1)
    expect.soft(first.status, `${name}: ${first.text}`).toBeLessThan(300)
    expect.soft(first.roundTrips, `${name}: ${first.calls.join("; ")}`).toBeLessThanOrEqual(maximum)
    const replay = await send()
    expect.soft([replay.status, replay.text, replay.calls.length], name).toEqual([first.status, first.text, 3])
    expect.soft(replay.roundTrips, name).toBe(1)
  }
})

test("reads of the content API take at most two round trips", async () => {
  const reads = await prepareContentReads(await makeSite())
  for (const [name, send] of Object.entries(reads)) await assertRoundTrips(name, READ_ROUND_TRIPS, send)
  expect(Object.keys(reads).sort()).toEqual(listRouteIds(routeTable(await loadContentRoutes()), true).sort())
})

test("writes of the content API take at most three round trips", async () => {
  const site = await makeSite()
  for (const [name, make] of Object.entries(CONTENT_WRITES))
    await assertRoundTrips(name, WRITE_ROUND_TRIPS, await make(site), CONTENT_EXCEPTIONS)
  const names = [...Object.keys(CONTENT_WRITES), ...NON_WRITING_ROUTES]
  expect(names.sort()).toEqual(listRouteIds(routeTable(await loadContentRoutes()), false).sort())
})
