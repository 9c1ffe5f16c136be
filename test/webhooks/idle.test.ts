// When the sweep looks at every endpoint: whenever a delivery may be due, and every tenth minute.
import { beforeEach, expect, test, vi } from "vitest"
import { MINUTE } from "../../src/lib/time"
import { isIdle } from "../../src/webhooks/idle"
import { cron, run } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { rows } from "../support/rows"
import { makeDelivery } from "../support/webhook-factories"

const START = new Date("2026-11-24T10:01:00Z").getTime()

const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE)

const passMinutes = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE)

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: START })
  await cron("* * * * *")
  passMinutes(1)
})

test("is idle without deliveries, except every tenth minute", async () => {
  const busy: number[] = []
  for (let minute = 2; minute < 32; minute++) {
    await cron("* * * * *")
    if (!(await run(isIdle))) busy.push(minute)
    passMinutes(1)
  }
  expect(busy).toEqual([10, 20, 30])
})

test.each([
  ["created 14 minutes ago", false, { createdAt: 14 }],
  ["created 16 minutes ago", true, { createdAt: 16 }],
] as const)("with a delivered delivery that was %s, idle is %s", async (_, expected, { createdAt }) => {
  const { id } = await makeEndpoint()
  await makeDelivery(id, { status: "delivered", attempt: 1, nextAttemptAt: null, createdAt: ago(createdAt) })
  expect(await run(isIdle)).toBe(expected)
})

test("is not idle while a delivery failed, however old it is", async () => {
  const { id } = await makeEndpoint()
  await makeDelivery(id, { status: "failed", attempt: 1, createdAt: ago(900) })
  await makeDelivery(id, { status: "delivered", attempt: 1, nextAttemptAt: null, createdAt: ago(600) })
  expect(await run(isIdle)).toBe(false)
})

test("is not idle after a time without metrics, because the cron did not run", async () => {
  passMinutes(4)
  expect(await run(isIdle)).toBe(true)
  passMinutes(1)
  expect(await run(isIdle)).toBe(false)
})

test("stays busy from the tenth minute that finds an old pending delivery until it is attempted", async () => {
  const { id } = await makeEndpoint()
  await makeDelivery(id, { createdAt: ago(60), updatedAt: ago(60), nextAttemptAt: ago(60) })
  const due = async () =>
    (await rows("select data ->> '$.dueDeliveries' as due from system_metrics where id = 0"))[0]?.due
  expect(await run(isIdle)).toBe(true)
  vi.setSystemTime(START + 9 * MINUTE)
  await cron("* * * * *")
  expect(await due()).toBe(1)
  passMinutes(1)
  expect(await run(isIdle)).toBe(false)
})
