// The system page: charts of the operating metrics.
import { expect, test, vi } from "vitest"
import { MINUTE } from "../../src/lib/time"
import { cron } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { makeDelivery } from "../support/webhook-factories"
import { signIn } from "./support"

test("says that there are no metrics before the first run of the cron", async () => {
  const browser = await signIn()
  expect((await browser.get("/console/system")).text).toContain("No metrics yet.")
})

test.each([
  ["/console/system", '<th scope="col">Hour'],
  ["/console/system?span=month", "Day (UTC)"],
  ["/console/system?span=decade", '<th scope="col">Hour'],
])("draws the metrics of %s with a table by %s", async (path, head) => {
  vi.useFakeTimers({ toFake: ["Date"] })
  await makeDelivery((await makeEndpoint()).id, { createdAt: new Date(Date.now() - 5 * MINUTE) })
  await cron("* * * * *")
  const browser = await signIn()
  const { text } = await browser.get(path)
  expect(text).toContain('aria-label="Oldest due delivery"')
  expect(text).toContain("<b>5 min</b>")
  expect(text).toContain(head)
  expect(text).toContain("RETRY_QUEUE")
})
