// The page of a webhook endpoint: the proposed start of a recovery, and where the signing secret is rotated. And the
// page of a delivery.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { addMs, DAY, HOUR } from "../../src/lib/time"
import { makeEndpoint } from "../support/factories"
import { makeDelivery } from "../support/webhook-factories"
import { signIn } from "./support"

const NOW = new Date()
const CREATED = addMs(NOW, -9 * DAY)

const setLastSuccess = (id: number, at: Date) =>
  env.DB.prepare("insert into webhook_totals values (?, 'store.ready', 0, 1, 0, 0, ?)").bind(id, at.getTime())

const toInput = (at: Date) => at.toISOString().slice(0, 16)

test.each([
  ["the last success, while attempts fail", { consecutiveFailures: 3 }, -5 * HOUR, -5 * HOUR],
  ["the last success, when an endpoint that failed is enabled again", { lastFailureAt: NOW }, -5 * HOUR, -5 * HOUR],
  ["the endpoint's creation, when no attempt has succeeded", { consecutiveFailures: 3 }, null, -9 * DAY],
  ["a day ago, when the last attempt succeeded", { lastFailureAt: addMs(NOW, -6 * HOUR) }, -5 * HOUR, -DAY],
  ["a day ago, when there was no attempt", {}, null, -DAY],
] as const)("proposes to recover from %s", async (_, values, success, expected) => {
  const { id } = await makeEndpoint({ createdAt: CREATED, ...values })
  if (success !== null) await setLastSuccess(id, addMs(NOW, success)).run()
  const { text } = await (await signIn()).get(`/console/webhooks/${id}/recovery`)
  const proposed = /<input[^>]*name="since"[^>]*>/.exec(text)?.[0]
  const moments = [0, 1].map((minutes) => toInput(addMs(NOW, expected + minutes * 60_000)))
  expect(
    moments.some((moment) => proposed?.includes(`value="${moment}`)),
    proposed,
  ).toBe(true)
})

test("shows an endpoint whose latest attempts failed as failing", async () => {
  const { id } = await makeEndpoint({ consecutiveFailures: 3 })
  const admin = await signIn()
  const badge = '<span class="badge" data-tone="warn">Failing</span>'
  for (const path of ["/console/webhooks", `/console/webhooks/${id}`])
    expect((await admin.get(path)).text).toContain(badge)
})

test("clamps a long error in the list of deliveries, and has all of it as a tooltip", async () => {
  const { id } = await makeEndpoint()
  const error = `Error: ${"x".repeat(300)}`
  await makeDelivery(id, { status: "failed", attempt: 1, error })
  const { text } = await (await signIn()).get("/console/deliveries")
  expect(text).toMatch(new RegExp(`<td class="long"[^>]*><span class="clamp" title="${error}">`))
})

test.each([
  ["no attempt was made", { attempt: 0 }, "No attempts yet."],
  ["the first one is in progress", { attempt: 1 }, "The first attempt is in progress or was interrupted."],
  ["DNS prevented the first one", { attempt: 0, error: "dns_unavailable" }, "The last attempt could not be made"],
  [
    "DNS prevented the next one after an interrupted one",
    { attempt: 1, status: "failed", error: "dns_unavailable" },
    "The last attempt could not be made",
  ],
  [
    "the next one after DNS prevented one is in progress",
    { attempt: 1, error: "dns_unavailable" },
    "An attempt could not be made, because DNS did not respond. The next one is in progress or was interrupted.",
  ],
] as const)("explains that a delivery's log has no attempt: %s", async (_, values, text) => {
  const { id } = await makeDelivery((await makeEndpoint()).id, values)
  const page = await (await signIn()).get(`/console/deliveries/${id}`)
  expect(page.text).toContain(`<p>${text}`)
})

test("rotates the secret on a separate tab, which a refused form and its confirmation return to", async () => {
  const { id } = await makeEndpoint({ previousSecretUntil: addMs(NOW, HOUR) })
  const path = `/console/webhooks/${id}`
  const admin = await signIn()
  expect((await admin.get(path)).text).toContain(`href="${path}/secret"`)
  const tab = (await admin.get(`${path}/secret`)).text
  expect(tab).toContain(`action="${path}/rotate-secret"`)
  expect(tab).toContain("Old secret valid until")
  expect((await admin.get(`${path}/settings`)).text).not.toContain("rotate-secret")
  expect((await admin.get(`${path}/rotate-secret?grace_seconds=3600`)).text).toContain(`href="${path}/secret"`)
  const refused = await admin.get(`${path}/rotate-secret?grace_seconds=-1`)
  expect([refused.status, refused.text.includes(`action="${path}/rotate-secret"`)]).toEqual([422, true])
})
