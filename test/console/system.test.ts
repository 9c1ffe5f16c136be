// The system page: problems, sections, and charts of the operating metrics.
import { env } from "cloudflare:workers"
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

test("opens the sections with problems only, and links to them", async () => {
  const browser = await signIn()
  const getOpen = (text: string) => [...text.matchAll(/<details class="card section" open="">.*?id="([^"]+)"/g)]
  const healthy = await browser.get("/console/system")
  expect(getOpen(healthy.text)).toEqual([])
  expect(healthy.text).toContain("No problems found.")
  await env.DB.prepare("insert into dead_letters (message_id, body, created_at) values ('a', '{}', 0)").run()
  const { text } = await browser.get("/console/system")
  expect(getOpen(text).map(([, id]) => id)).toEqual(["letters"])
  expect(text).toContain('<a href="#letters">1 message to retry</a>')
  const refused = await browser.post("/console/system/billing", { at: "never" })
  expect(getOpen(refused.text).map(([, id]) => id)).toEqual(["letters", "clock"])
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

test("names alerts in words, with their runbooks", async () => {
  const { text } = await (await signIn()).get("/console/system")
  expect(text).toContain('Queue stuck <span class="sub">queue_stuck</span>')
  expect(text).toContain("<code>docs/operations/runbooks/queue-stuck.md</code>")
})
