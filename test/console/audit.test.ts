import { expect, test } from "vitest"
import { extendSubscription } from "../../src/platform/subscriptions/service"
import { run } from "../support/app"
import { rows } from "../support/rows"
import { createSampleData } from "./sample-data"
import { signIn } from "./support"

test("filters the audit log by every action that exists", async () => {
  await createSampleData()
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

test("shows times in entries in the operator's time zone, and omits an unchanged status", async () => {
  const store = await createSampleData()
  await run((ctx) => extendSubscription(ctx, store, { days: 3 }))
  const { text } = await (await signIn()).get("/console/audit?type=extended")
  expect(text).toMatch(/Extended days: 3; Until: <time datetime="/)
  expect(text).not.toContain("Trialing → Trialing")
})
