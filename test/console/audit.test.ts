// The trail's page: what it is filtered by, and how an entry reads.
import { expect, test } from "vitest"
import { extendSubscription } from "../../src/platform/subscriptions/service"
import { run } from "../support/app"
import { rows } from "../support/rows"
import { someOfEverything } from "./sample-data"
import { signIn } from "./support"

test("what was done is chosen from everything that can be done", async () => {
  await someOfEverything()
  const admin = await signIn()
  const { text } = await admin.get("/console/audit")
  const [, options = ""] = /<select name="type">(.*?)<\/select>/s.exec(text) ?? []
  const written = (await rows("select distinct type from audit_entries")).map(({ type }) => String(type))
  expect(written.length).toBeGreaterThan(10)
  for (const type of written) expect(options.includes(`<option value="${type}">`), type).toBe(true)
  const filtered = (await admin.get("/console/audit?type=plan_saved")).text
  expect(filtered).toContain('<option value="plan_saved" selected="">')
  expect(filtered.match(/href="\/console\/audit\?type=(\w+)/g)).toEqual(['href="/console/audit?type=plan_saved'])
})

test("a moment in an entry is shown as on every page, and a status that stayed is no change", async () => {
  const store = await someOfEverything()
  await run((ctx) => extendSubscription(ctx, store, { days: 3 }))
  const { text } = await (await signIn()).get("/console/audit?type=extended")
  expect(text).toMatch(/extended days: 3; until: <time datetime="/)
  expect(text).not.toContain("trialing → trialing")
})
