// What a delivery costs that succeeds at once, without its event: the difference between the same work
// with and without an endpoint.
import { beforeEach, expect, test, vi } from "vitest"
import { makeEndpoint } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { count } from "../support/rows"
import { pauseFaults } from "../support/test-faults"
import { emitExample } from "./emit"
import { divide, drainQueues, measure, START, subtract } from "./measure"
import { expectCost, expectRows } from "./table"

beforeEach(() => {
  pauseFaults()
  vi.useFakeTimers({ toFake: ["Date"], now: START })
})

interface Kind {
  endpoints: number
  events: number
  /** Whether its attempts are the first of their hour. */
  isFirstOfHour?: boolean
}

const KINDS: Record<string, Kind> = {
  "success at the first attempt, the first of its hour": {
    endpoints: 1,
    events: 1,
    isFirstOfHour: true,
  },
  "success at the first attempt": { endpoints: 1, events: 1 },
  "one of 1,000 under load, 100 events to 10 endpoints": {
    endpoints: 10,
    events: 100,
  },
  "one of 1,000 under load, 1,000 events to 1 endpoint": {
    endpoints: 1,
    events: 1_000,
  },
}

test.for(Object.entries(KINDS))("%s costs what the table lists", async ([name, kind], context) => {
  mockReceiver(new Response("ok"))
  const measureEvents = () =>
    measure(async () => {
      for (let event = 0; event < kind.events; event++) await emitExample()
    })
  // The first event and the first delivery create rows that later ones only change.
  await emitExample()
  const withoutDelivery = await measureEvents()
  vi.setSystemTime(START)
  for (let endpoint = 0; endpoint < kind.endpoints; endpoint++) await makeEndpoint()
  await emitExample()
  await drainQueues()
  if (kind.isFirstOfHour) vi.setSystemTime(START.getTime() + 3_600_000)
  const before = await count("webhook_deliveries where status = 'delivered'")
  const withDelivery = await measureEvents()
  const deliveries = kind.events * kind.endpoints
  expect((await count("webhook_deliveries where status = 'delivered'")) - before).toBe(deliveries)
  const cost = divide(subtract(withDelivery, withoutDelivery), deliveries)
  expectCost(context, "deliveries", name, Object.keys(KINDS).indexOf(name), cost)
})

test("the table lists these deliveries", () => expectRows("deliveries", Object.keys(KINDS)))
