// Forms of expired sessions: saved before the sign-in, shown again after it, and sent only by the operator.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { type SubmittedForm, saveDraft } from "../../src/core/auth/form-drafts"
import { cron, run, type TestResponse } from "../support/app"
import { costsOf } from "../support/costs"
import { rows } from "../support/rows"
import { crawl, FORM_ROUTES, getPath, parsePostForms } from "./crawler"
import { createSampleData } from "./sample-data"
import { type Browser, createBrowser, getCookie, makeOperator, PASSWORD, postForm, signIn } from "./support"

const COUPON = { code: "SPRING", trial_days: "30", description: "Pro & <co>" }

const HOUR = 3_600_000

const expireByIdleness = () => env.DB.exec(`update operator_sessions set last_seen_at = last_seen_at - ${2 * HOUR + 1}`)
const expireByAge = () => env.DB.exec(`update operator_sessions set created_at = created_at - ${12 * HOUR + 1}`)

const countDrafts = async () => (await rows("select count(*) as n from form_drafts"))[0]?.n

async function signInAs(email: string, next = "/console"): Promise<{ browser: Browser; path: string }> {
  const signed = await postForm("/console/login", { email, password: PASSWORD, next })
  return { browser: createBrowser(getCookie(signed)), path: signed.headers.get("Location") ?? "" }
}

/** Sends a form with an expired session. @returns where the sign-in leads to */
async function sendLate(browser: Browser, path: string, fields: Record<string, string>): Promise<string> {
  const refused = await browser.post(path, fields)
  expect([refused.status, refused.headers.get("Location")?.split("?")[0]]).toEqual([303, "/console/login"])
  return new URL(refused.headers.get("Location") ?? "", "http://localhost").searchParams.get("next") ?? ""
}

test.each([
  ["idleness", expireByIdleness],
  ["age", expireByAge],
])("shows the form of a session that ended by %s again after the sign-in, without sending it", async (_, expire) => {
  const email = await makeOperator()
  const { browser } = await signInAs(email)
  await expire()
  const next = await sendLate(browser, "/console/coupons", COUPON)
  expect(next).toMatch(/^\/console\/coupons\?draft=[\w-]{43}$/)
  const login = await browser.get(`/console/login?next=${encodeURIComponent(next)}`)
  expect(login.text).toContain("Your session has expired.")
  const { browser: again, path } = await signInAs(email, next)
  const page = await again.get(path)
  expect(page.status).toBe(200)
  expect(page.text).toContain("this form was not sent")
  const form = parsePostForms(page.text).find(({ action }) => action === "/console/coupons")
  expect(Object.fromEntries(form?.fields.map(({ name, value }) => [name, value]) ?? [])).toMatchObject(COUPON)
  expect(await rows("select code from coupons")).toEqual([])
  const fields = form?.fields.filter(({ isSubmitted }) => isSubmitted).map(({ name, value }) => [name, value]) ?? []
  expect((await again.post("/console/coupons", Object.fromEntries(fields))).status).toBe(303)
  expect(await rows("select code, description from coupons")).toEqual([{ code: "SPRING", description: "Pro & <co>" }])
})

test("shows a confirmation page again with what was entered, and asks for the button once more", async () => {
  await createSampleData()
  const email = await makeOperator()
  const { browser } = await signInAs(email)
  const page = await browser.get("/console/stores/acme/suspend")
  const form = parsePostForms(page.text).find(({ action }) => action.endsWith("/suspend"))
  const fields = Object.fromEntries(form?.fields.map(({ name, value }) => [name, value]) ?? [])
  await expireByIdleness()
  const next = await sendLate(browser, "/console/stores/acme/suspend", { ...fields, reason: "Fraud report 17" })
  const { browser: again, path } = await signInAs(email, next)
  const restored = await again.get(path)
  expect([restored.status, restored.text.includes("Fraud report 17")]).toEqual([200, true])
  expect(await rows("select status from stores where id = 'acme'")).toEqual([{ status: "ready" }])
})

test("keeps a password encrypted, on the page and in the database, and uses it when the form is sent", async () => {
  const email = await makeOperator()
  const { browser } = await signInAs(email)
  await expireByIdleness()
  const store = { subdomain: "tour", name: "Tour", owner_email: "o@example.com", password: "tall-green-horse" }
  const next = await sendLate(browser, "/console/stores", { ...store, confirm_password: "my own password" })
  const stored = JSON.stringify(await rows("select * from form_drafts"))
  for (const secret of ["tall-green-horse", "my own password", "Tour"]) expect(stored).not.toContain(secret)
  const { browser: again, path } = await signInAs(email, next)
  const page = await again.get(path)
  for (const secret of ["tall-green-horse", "my own password"]) expect(page.text).not.toContain(secret)
  const form = parsePostForms(page.text).find(({ action }) => action === "/console/stores")
  const fields = Object.fromEntries(
    form?.fields.flatMap(({ name, value, isSubmitted }) => (isSubmitted ? [[name, value]] : [])) ?? [],
  )
  expect(fields.password).toBe("")
  const other = await signIn()
  expect((await other.post("/console/stores", { ...fields, subdomain: "stolen" })).status).toBe(422)
  expect((await again.post("/console/stores", fields)).status).toBe(303)
  expect(await rows("select id from stores")).toEqual([{ id: "tour" }])
})

test("saves nothing for sessions that were signed out, forms of other origins, and long forms", async () => {
  const ada = await signIn()
  await ada.post("/console/logout")
  expect(await sendLate(ada, "/console/coupons", COUPON)).toBe("")
  const bob = await signIn()
  await expireByIdleness()
  const foreign = await bob.post("/console/coupons", COUPON, { headers: { "Sec-Fetch-Site": "same-site" } })
  expect(foreign.status).toBe(403)
  for (const length of [70_000, 300_000])
    expect(await sendLate(bob, "/console/coupons", { ...COUPON, description: "x".repeat(length) })).toBe("")
  expect(await sendLate(bob, "/console/logout", {})).toBe("")
  expect(await sendLate(createBrowser(`console=${"a".repeat(43)}`), "/console/coupons", COUPON)).toBe("")
  expect(await countDrafts()).toBe(0)
})

test("shows a draft to no other operator, at no other path, and for 30 minutes", async () => {
  const email = await makeOperator()
  const { browser } = await signInAs(email)
  await expireByIdleness()
  const next = await sendLate(browser, "/console/coupons", COUPON)
  const mallory = await signIn()
  const { browser: again } = await signInAs(email)
  const [path = "", query = ""] = next.split("?")
  for (const [reader, url] of [
    [mallory, next],
    [again, `/console/plans?${query}`],
    [again, `${path}?draft=${"a".repeat(43)}`],
  ] as const) {
    const page = await reader.get(url)
    expect([page.status, page.text.includes("Pro &amp;")], url).toEqual([404, false])
  }
  expect((await again.get(next)).status).toBe(200)
  await env.DB.exec(`update form_drafts set created_at = created_at - ${HOUR / 2 - 60_000}`)
  expect((await again.get(next)).status).toBe(200)
  await env.DB.exec("update form_drafts set created_at = created_at - 60001")
  expect((await again.get(next)).status).toBe(404)
  expect(await countDrafts()).toBe(1)
  await cron("7 * * * *")
  expect(await countDrafts()).toBe(0)
})

test("stores ten drafts per owner, twenty per minute, and never runs out for others", async () => {
  const form: SubmittedForm = { path: "/console/coupons", fields: new Map([["name", ["x"]]]) }
  const saved: (string | null)[] = []
  for (let n = 0; n < 21; n++) saved.push(await run((ctx) => saveDraft(ctx, "operator:1", form)))
  expect(saved.map((token) => token !== null)).toEqual([...Array(20).fill(true), false])
  expect(await countDrafts()).toBe(10)
  expect(await run((ctx) => saveDraft(ctx, "operator:2", form))).not.toBeNull()
  expect(await countDrafts()).toBe(11)
})

/** Restores forms; returns the responses that wrote, or that neither show a page nor lead to one. */
async function findUnshown(forms: Iterable<[string, Map<string, string[]>]>) {
  let browser = await signIn()
  let left = 0
  let shown = 0
  const failed: Record<string, unknown> = {}
  for (const [path, fields] of forms) {
    if (left === 0) {
      browser = await signIn()
      left = 15
    }
    left -= 1
    const id = (await rows("select max(operator_id) as id from operator_sessions"))[0]?.id
    const draft = await run((ctx) => saveDraft(ctx, `operator:${id}`, { path, fields }))
    let response: TestResponse | undefined
    const { rowsWritten } = await costsOf(async () => {
      response = await browser.get(`${path.split("?")[0]}?draft=${draft}`)
    })
    const target = response?.headers.get("Location")
    if (response?.status === 200) shown += 1
    if (rowsWritten || !(response?.status === 200 || target?.endsWith("?done=form_restored")))
      failed[path] = { rowsWritten, status: response?.status, target }
  }
  return { failed, shown }
}

test("changes nothing while it shows the form of any page", async () => {
  await createSampleData()
  const forms = new Map<string, Map<string, string[]>>()
  for (const [, html] of await crawl((await signIn()).get, 1))
    for (const { action, fields } of parsePostForms(html))
      if (action !== "/console/logout") forms.set(action, new Map(fields.map(({ name, value }) => [name, [value]])))
  expect(forms.size).toBeGreaterThan(50)
  const { failed, shown } = await findUnshown(forms)
  expect(failed).toEqual({})
  expect(shown).toBeGreaterThan(forms.size / 2)
})

test("changes nothing while it shows the form of any route, and leads to a page without one", async () => {
  await createSampleData()
  const paths = FORM_ROUTES.map(getPath).filter((path) => !/^\/console\/(login|logout|invitation)/.test(path))
  const fields = new Map([["name", ["Typed name"]]])
  const { failed } = await findUnshown(paths.map((path) => [path, fields]))
  expect(failed).toEqual({})
}, 120_000)
