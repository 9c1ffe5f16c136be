// Calendar days are the same in every time zone; moments are shown, and read from forms, in the operator's.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { formatRelative, localToUtc, toLocalInput } from "../../src/lib/time-zone"
import { externalClient, makeActive } from "../support/license-factories"
import { rows } from "../support/rows"
import { parsePostForms } from "./crawler"
import { signIn } from "./support"

const ZONES = ["America/Los_Angeles", "Pacific/Kiritimati"] as const

async function signInAt(timeZone: string) {
  const browser = await signIn()
  const saved = await browser.post("/console/account", { name: "Ada", time_zone: timeZone, theme: "system" })
  expect(saved.status).toBe(303)
  return browser
}

test("converts local times with and without summer time, and changes no other text", () => {
  expect(localToUtc("2026-01-15T00:00", "America/Los_Angeles")).toBe("2026-01-15T08:00:00Z")
  expect(localToUtc("2026-07-15T00:00", "America/Los_Angeles")).toBe("2026-07-15T07:00:00Z")
  expect(localToUtc("2026-01-15T00:00:30", "Pacific/Kiritimati")).toBe("2026-01-14T10:00:30Z")
  // On 29 March 2026 the clocks in Madrid go from 02:00 to 03:00.
  expect(localToUtc("2026-03-29T01:59", "Europe/Madrid")).toBe("2026-03-29T00:59:00Z")
  expect(localToUtc("2026-03-29T02:30", "Europe/Madrid")).toBe("2026-03-29T01:30:00Z")
  expect(localToUtc("2026-03-29T03:00", "Europe/Madrid")).toBe("2026-03-29T01:00:00Z")
  for (const text of ["2026-01-15", "2026-01-15T00:00Z", "2026-13-41T00:00", "yesterday", ""])
    expect(localToUtc(text, "Pacific/Kiritimati")).toBe(text)
  for (const zone of ["UTC", ...ZONES])
    expect(localToUtc(toLocalInput(new Date("2026-10-25T00:30:00Z"), zone), zone)).toBe("2026-10-25T00:30:00Z")
})

test("shows moments of the last and the next day as relative times", () => {
  const now = new Date("2026-03-01T12:00:00Z")
  const at = (ms: number) => formatRelative(new Date(now.getTime() + ms), now)
  expect([at(-90_000), at(-3_600_000), at(7_300_000), at(0)]).toEqual([
    "1 minute ago",
    "1 hour ago",
    "in 2 hours",
    "now",
  ])
  expect([at(-86_400_000), at(86_400_000)]).toEqual([null, null])
})

test.each(ZONES)("shows and saves the expiry of a license as the same day in %s", async (timeZone) => {
  await makeActive(await externalClient())
  const day = Date.parse("2031-12-31T00:00:00Z")
  await env.DB.exec(`update licenses set expires_at = ${day}, support_until = ${day}`)
  const browser = await signInAt(timeZone)
  const list = await browser.get("/console/licenses")
  expect(list.text).toContain('<time datetime="2031-12-31">31 Dec 2031</time>')
  const id = (await rows("select id from licenses"))[0]?.id
  const page = await browser.get(`/console/licenses/${id}`)
  expect(page.text).toContain('<time datetime="2031-12-31">31 Dec 2031</time>')
  const form = parsePostForms(page.text).find(({ action }) => action.endsWith("/edit"))
  const fields = Object.fromEntries(
    form?.fields.flatMap(({ name, value, isSubmitted }) => (isSubmitted ? [[name, value]] : [])) ?? [],
  )
  expect([fields.expires_at, fields.support_until]).toEqual(["2031-12-31", "2031-12-31"])
  expect((await browser.post(form?.action ?? "", fields)).status).toBe(303)
  expect(await rows("select expires_at, support_until from licenses")).toEqual([
    { expires_at: day, support_until: day },
  ])
})

test.each([
  ["America/Los_Angeles", "2031-01-15T08:00", "GMT-8"],
  ["Pacific/Kiritimati", "2031-01-14T10:00", "GMT+14"],
])("reads and shows times of forms in %s, and names the zone", async (timeZone, utc, shortName) => {
  const browser = await signInAt(timeZone)
  const coupon = { code: "SPRING", trial_days: "30", starts_at: "2031-01-15T00:00", is_active: "true" }
  expect((await browser.post("/console/coupons", coupon)).status).toBe(303)
  expect(await rows("select starts_at from coupons")).toEqual([{ starts_at: Date.parse(`${utc}:00Z`) }])
  const page = await browser.get("/console/coupons")
  expect(page.text).toContain('value="2031-01-15T00:00"')
  expect(page.text).toContain(`Starts (${timeZone})`)
  const { text } = await browser.get("/console/account")
  expect(text).toMatch(/title="[^"]+ · [\d-]+ [\d:]+ UTC"/)
  await env.DB.exec(`update operators set created_at = ${Date.parse("2026-01-15T12:00:00Z")}`)
  expect((await browser.get("/console/operators")).text).toContain(shortName)
})

test.each([
  ["America/Los_Angeles", "2026-01-15T08:00:00Z"],
  ["Pacific/Kiritimati", "2026-01-14T10:00:00Z"],
])("filters the audit log from midnight in %s", async (timeZone, midnight) => {
  const browser = await signInAt(timeZone)
  const before = Date.parse(midnight) - 1_000
  await env.DB.exec(`update audit_entries set created_at = ${before}, actor_name = 'Too Early'`)
  await signIn()
  const { text } = await browser.get("/console/audit?since=2026-01-15T00:00")
  expect(text).not.toContain("Too Early")
  await env.DB.exec(`update audit_entries set created_at = ${before + 1_000} where actor_name = 'Too Early'`)
  expect((await browser.get("/console/audit?since=2026-01-15T00:00")).text).toContain("Too Early")
  expect((await browser.get("/console/events/live")).text).toContain(`data-zone="${timeZone}"`)
})

test("suggests time zones to operators", async () => {
  const { text } = await (await signIn()).get("/console/account")
  expect(text).toMatch(/<input id="time_zone"[^>]* list="time_zone-list"/)
  for (const zone of ["UTC", ...ZONES]) expect(text).toContain(`<option value="${zone}">`)
})
