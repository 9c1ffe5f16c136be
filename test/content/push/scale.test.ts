// Push to many devices: completeness and cost.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { sendOperatorCommand } from "../../support/app"
import { costsOf } from "../../support/costs"
import { deviceRows, drainPushQueue, makeManyDevices, sendAndDrain, setUpPush, takeQueued } from "../../support/push"
import { siteRows } from "../../support/rows"

test("sends to each of 10,000 devices once, in parallel batches with at most six requests in flight each", async () => {
  const provider = await setUpPush()
  await makeManyDevices(10_000)
  await env.SITES_1.prepare("update device_tokens set token = 'unregistered-' || id where id % 100 = 0").run()
  // Without users there are no inboxes, whose cost is measured in notifications.test.ts.
  await env.SITES_1.prepare("update device_tokens set user_id = null").run()
  const { body } = await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
  const requests = vi.mocked(globalThis.fetch).mock
  const { invocations } = await drainPushQueue({ width: 1 })
  expect(provider.maxInFlight).toBeLessThanOrEqual(6)
  expect(invocations).toBeGreaterThanOrEqual(Math.ceil(10_000 / 500))
  expect((await sendOperatorCommand("notifications:show", { id: body.data.id })).body.data).toMatchObject({
    status: "sent",
    devices: 10_000,
    sent: 9_900,
    failed: 100,
    failures: [{ reason: "unregistered", devices: 100 }],
  })
  expect(new Set(provider.accepted.map(({ token }) => token)).size).toBe(9_900)
  // One for the access token, and two for the DNS records of its endpoint.
  expect(requests.calls.length).toBe(10_003)
  expect(provider.issuedTokens).toBe(1)
  expect(await deviceRows()).toHaveLength(9_900)
  expect(await siteRows("select * from push_claims")).toEqual([])
}, 120_000)

test("writes at most 2.25 rows per device", async () => {
  await setUpPush()
  await makeManyDevices(500)
  await env.SITES_1.prepare("update device_tokens set user_id = null").run()
  await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
  const queued = takeQueued()
  for (const { body } of queued) env.PUSH_QUEUE.send(body)
  const { rowsWritten } = await costsOf(() => drainPushQueue())
  expect(rowsWritten / 500).toBeLessThanOrEqual(2.25)
})

test("starts parallel batches according to the setting and the number of devices once the message is proven", async () => {
  await setUpPush()
  await makeManyDevices(450)
  const { shown, invocations } = await sendAndDrain()
  expect(shown).toMatchObject({ status: "sent", sent: 450 })
  expect(invocations).toBe(5)
})
