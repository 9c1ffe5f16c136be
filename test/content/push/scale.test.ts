// Many devices: all accounted for, at a known price.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { costsOf } from "../../support/costs"
import { deviceRows, drain, makeManyDevices, operate, sendAndDrain, setUpPush, takeQueued } from "../../support/push"
import { siteRows } from "../../support/rows"

test("ten thousand devices: each once, by many invocations side by side, none of which has more than six requests under way", async () => {
  const provider = await setUpPush()
  await makeManyDevices(10_000)
  await env.SITES_1.prepare("update device_tokens set token = 'unregistered-' || id where id % 100 = 0").run()
  // No inboxes here: their price is another test's.
  await env.SITES_1.prepare("update device_tokens set user_id = null").run()
  const { body } = await operate("api:send-notification", { title: "t", message: "m" })
  const requests = vi.mocked(globalThis.fetch).mock
  const { invocations } = await drain({ width: 1 })
  expect(provider.busiest).toBeLessThanOrEqual(6)
  expect(invocations).toBeGreaterThanOrEqual(Math.ceil(10_000 / 500))
  expect((await operate("notifications:show", { id: body.data.id })).body.data).toMatchObject({
    status: "sent",
    devices: 10_000,
    sent: 9_900,
    failed: 100,
    failures: [{ reason: "unregistered", devices: 100 }],
  })
  expect(new Set(provider.accepted.map(({ token }) => token)).size).toBe(9_900)
  expect(requests.calls.length).toBe(10_001)
  expect(provider.grants).toBe(1)
  expect(await deviceRows()).toHaveLength(9_900)
  expect(await siteRows("select * from push_claims")).toEqual([])
}, 120_000)

test("a device costs little more than two rows written, whatever the audience", async () => {
  await setUpPush()
  await makeManyDevices(500)
  await env.SITES_1.prepare("update device_tokens set user_id = null").run()
  await operate("api:send-notification", { title: "t", message: "m" })
  const queued = takeQueued()
  for (const { body } of queued) env.PUSH_QUEUE.send(body)
  const { rowsWritten } = await costsOf(() => drain())
  expect(rowsWritten / 500).toBeLessThanOrEqual(2.25)
})

test("as many lanes as the setting allows and the devices are worth begin once the message is proven", async () => {
  await setUpPush()
  await makeManyDevices(450)
  const { shown, invocations } = await sendAndDrain()
  expect(shown).toMatchObject({ status: "sent", sent: 450 })
  expect(invocations).toBe(5)
})
