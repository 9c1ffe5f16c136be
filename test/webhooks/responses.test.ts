// What receivers say about further attempts: Retry-After, 410 Gone, and the hints that explain errors.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { LOCALES } from "../../src/core/i18n/locale"
import { getErrorHint } from "../../src/webhooks/error-hints"
import { listLateEndpoints } from "../../src/webhooks/lateness"
import { signIn } from "../console/support"
import { consume, cron, platform, run } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import { makeEndpoint, makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { drainBatches, emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

const DAY_SECONDS = 86_400

/** Makes the first attempts that the router enqueued. */
async function attemptAll() {
  const calls = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.splice(0)
  await consume(
    "tenancy-webhooks",
    calls.flatMap(([sent]) => [...sent].map(({ body }) => body)),
  )
}

const reply = (status: number, retryAfter?: string) =>
  new Response(null, { status, headers: retryAfter === undefined ? {} : { "Retry-After": retryAfter } })

describe("Retry-After", () => {
  test.each<[string, number, (now: number) => string | undefined, number]>([
    ["seconds", 429, () => "300", 300],
    ["seconds of an unavailable receiver", 503, () => "7200", 7200],
    ["a date", 429, (now) => new Date(now + 600_000).toUTCString(), 600],
    ["a shorter delay than the schedule's", 429, () => "5", 60],
    ["a date in the past", 503, () => "Wed, 21 Oct 2015 07:28:00 GMT", 60],
    ["more than a day", 503, () => "999999999", DAY_SECONDS],
    ["another status", 500, () => "3600", 60],
    ["nonsense", 429, () => "-1 or soon", 60],
    ["no header", 429, () => undefined, 60],
  ])("with %s delays the next attempt, never below the schedule", async (_, status, header, seconds) => {
    vi.setSystemTime("2026-11-01T12:00:00Z")
    const clock = freezeClock()
    const { id } = await makeEndpoint()
    mockReceiver(reply(status, header(clock.now())))
    const [first, second] = [await makeDelivery(id), await makeDelivery(id)]
    const next = new Date(clock.now() + seconds * 1000).toISOString().replace(".000Z", "+00:00")
    const token = await makeKey()
    // One alone, and two in a group.
    for (const ids of [[first.id], [second.id, (await makeDelivery(id)).id]]) {
      await consume(
        "tenancy-webhooks",
        ids.map((delivery) => ({ delivery, endpoint: id })),
      )
      for (const delivery of ids) {
        const { data } = (await platform("GET", `/webhooks/deliveries/${delivery}`, { token })).body
        expect(data).toMatchObject({ status: "failed", error: `http_${status}`, next_attempt_at: next })
      }
    }
    const attempts = (await platform("GET", `/webhooks/deliveries/${first.id}/attempts`, { token })).body.data
    expect(attempts[0].retry_after_seconds).toBe(
      seconds > 60 || header(0) === "5" ? expectedDelay(header(0), seconds) : null,
    )
  })

  /** The delay that the attempt log shows. */
  const expectedDelay = (header: string | undefined, seconds: number) => (header === "5" ? 5 : seconds)

  test("does not make a delivery late, and the console shows it", async () => {
    const clock = freezeClock()
    const { id } = await makeEndpoint()
    mockReceiver(reply(429, "3600"))
    const { id: delivery } = await makeDelivery(id)
    await consume("tenancy-webhooks", [{ delivery, endpoint: id }])
    const page = await (await signIn()).get(`/console/deliveries/${delivery}`)
    expect(page.text).toContain("Retry-After: 3600 s")
    expect(page.text).toContain("The receiver limits its requests.")
    clock.advance(3599)
    expect(await run((ctx) => listLateEndpoints(ctx))).toEqual([])
    clock.advance(120)
    expect(await run((ctx) => listLateEndpoints(ctx))).toMatchObject([{ endpoint: id, deliveries: 1 }])
    mockReceiver()
    await cron("* * * * *")
    await drainBatches()
    expect(await rows(`select status, attempt from webhook_deliveries where id = ${delivery}`)).toEqual([
      { status: "delivered", attempt: 2 },
    ])
  })
})

describe("410 Gone", () => {
  test("exhausts the delivery and disables the endpoint at once, with its reason and a mail", async () => {
    const token = await makeKey()
    const admin = await signIn()
    const { id } = await makeEndpoint()
    mockReceiver(reply(410))
    await emitEvent()
    await attemptAll()
    const [row] = await rows("select id from webhook_deliveries")
    const { data } = (await platform("GET", `/webhooks/deliveries/${row?.id}`, { token })).body
    expect(data).toMatchObject({ status: "exhausted", error: "http_410", attempt: 1, next_attempt_at: null })
    expect(data.error_hint).toContain("gone")
    const read = async () => (await platform("GET", `/webhooks/${id}`, { token })).body.data
    expect(await read()).toMatchObject({
      is_active: true,
      is_receiving: false,
      disabled_at: expect.any(String),
      disabled_reason: "gone",
      consecutive_failures: 1,
    })
    expect((await collectSentMails()).map(({ text }) => text).join()).toContain("410 Gone")
    expect((await admin.get(`/console/webhooks/${id}`)).text).toContain("it is gone (410)")
    const enabled = await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: true } })
    expect(enabled.body.data).toMatchObject({ is_receiving: true, disabled_at: null, disabled_reason: null })
    await makeDelivery(id)
    mockReceiver(reply(500))
    await platform("POST", `/webhooks/${id}/test`, { token })
    expect(await read()).toMatchObject({ is_receiving: true, consecutive_failures: 1, disabled_reason: null })
  })

  test("of a group or a retry disables it too, and failures have their own reason", async () => {
    const token = await makeKey()
    const [group, retried, failing] = [await makeEndpoint(), await makeEndpoint(), await makeEndpoint()]
    mockReceiver(reply(410))
    const [a, b] = [await makeDelivery(group.id), await makeDelivery(group.id)]
    await consume(
      "tenancy-webhooks",
      [a, b].map(({ id: delivery }) => ({ delivery, endpoint: group.id })),
    )
    const failed = await makeDelivery(retried.id, { status: "failed", attempt: 1 })
    const response = await platform("POST", `/webhooks/deliveries/${failed.id}/retry`, { token })
    expect(response.body.data).toMatchObject({ status: "exhausted", attempt: 2 })
    mockReceiver(reply(500))
    for (let attempt = 0; attempt < 25; attempt++) await platform("POST", `/webhooks/${failing.id}/test`, { token })
    const reasons = await rows("select disabled_reason as reason from webhook_endpoints order by id")
    expect(reasons.map(({ reason }) => reason)).toEqual(["gone", "gone", "failures"])
  })
})

describe("error hints", () => {
  const ERRORS = {
    http_302: "redirect",
    http_401: "rejected",
    http_404: "2xx",
    http_410: "gone",
    http_429: "limits",
    http_503: "internal error",
    timeout: "time limit",
    unsafe_host: "public address",
    dns_unavailable: "DNS resolver",
    endpoint_disabled: "inactive or disabled",
    "SecretUnreadable: encrypted under another APP_KEY": "decrypted",
    "AttemptLost: the last attempt started": "could not finish",
    "Error: Network connection lost.": "refused or reset",
    "Error: internal error; reference = abc": "certificate",
  }

  test.each(Object.entries(ERRORS))("explain %s in every language", (error, part) => {
    expect(getErrorHint(error, "en")).toContain(part)
    expect(new Set(LOCALES.map((locale) => getErrorHint(error, locale))).size).toBe(LOCALES.length)
  })

  test("are in the language of the request, and absent without an error", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    mockReceiver(reply(500))
    const headers = { "Accept-Language": "fr-CA" }
    const failed = await platform("POST", `/webhooks/${id}/test`, { token, headers })
    expect(failed.body.data.error_hint).toBe(getErrorHint("http_500", "fr"))
    const path = `/webhooks/deliveries/${failed.body.data.id}`
    expect((await platform("GET", `${path}/attempts`, { token })).body.data[0].error_hint).toBe(
      getErrorHint("http_500", "en"),
    )
    mockReceiver()
    expect((await platform("POST", `${path}/retry`, { token })).body.data.error_hint).toBeNull()
  })
})
