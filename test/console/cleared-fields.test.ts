// Checks that no form reports a cleared field as saved while leaving its value unchanged, and that a refused form has the
// focus on its first invalid field and can be sent again with its key.

import { expect, test } from "vitest"
import { W } from "../../src/console/strings"
import { parseInput } from "../../src/core/http/input"
import { UpdateLicense } from "../../src/license/licenses/schemas"
import { updateLicense } from "../../src/license/licenses/service"
import { run } from "../support/app"
import { crawl, type PostForm, parsePostForms } from "./crawler"
import { createSampleData } from "./sample-data"
import { type Browser, signIn } from "./support"

/** The form of a page with an action and a field. */
const findForm = (html: string, action: string, name: string): PostForm | undefined =>
  parsePostForms(html).find((form) => form.action === action && form.fields.some((field) => field.name === name))

/** Submits a form with one field cleared, and returns what became of the field. */
async function clearField(admin: Browser, page: string, form: PostForm, name: string): Promise<string> {
  const fields: Record<string, string[]> = {}
  for (const field of form.fields)
    if (field.isSubmitted) fields[field.name] = [...(fields[field.name] ?? []), field.value]
  // An earlier field was saved since the page was crawled.
  const current = findForm((await admin.get(page)).text, form.action, name)?.fields
  const version = current?.find((field) => field.name === "shown_version")?.value
  if (version) fields.shown_version = [version]
  const once = crypto.randomUUID()
  const response = await admin.post(form.action, { ...fields, [name]: "", once })
  if (response.status === 422) {
    const shown = findForm(response.text, form.action, name)?.fields ?? []
    const again = shown.filter(({ isInvalid }) => isInvalid)
    const focused = shown.filter(({ isFocused }) => isFocused).map((field) => field.name)
    if (again[0] && focused.join() !== again[0].name) return `focuses ${focused} instead of ${again[0].name}`
    const corrected = await admin.post(form.action, { ...fields, [name]: " ", once })
    if (corrected.text.includes(W.refusals.idempotency_mismatch)) return "consumes its key"
    return again.some((field) => field.name === name) ? "refused" : `refused at ${again.map((field) => field.name)}`
  }
  if (response.status !== 303) return `status ${response.status}`
  const now = findForm((await admin.get(page)).text, form.action, name)?.fields.find((field) => field.name === name)
  return now?.value === "" ? "cleared" : `still ${now?.value}`
}

test("clears every field that is submitted empty, or refuses it with an error at the field", async () => {
  await createSampleData()
  const filled = {
    customer_id: "C-1",
    email: "ada@example.com",
    uses: 9,
    comments: "A note",
    domains: ["acme.example"],
  }
  await run((ctx) =>
    updateLicense(ctx, { segment: "1" }, parseInput(UpdateLicense, { ...filled, expires_at: "2030-01-01" })),
  )
  const admin = await signIn()
  const outcomes = new Map<string, string>()
  for (const [page, html] of await crawl(admin.get)) {
    for (const form of parsePostForms(html)) {
      // In forms that create something, only required fields can be tested.
      const isEditForm = form.fields.every(({ isRequired, value }) => !isRequired || value)
      for (const { name, value, isRequired, isEditable: isTyped } of form.fields) {
        const key = `${form.action} ${name}`
        const isTested = isTyped && (isRequired || (value && isEditForm))
        if (isTested && !outcomes.has(key)) outcomes.set(key, await clearField(admin, page, form, name))
      }
    }
  }
  expect(outcomes.size).toBeGreaterThan(40)
  expect([...outcomes].filter(([, outcome]) => outcome !== "refused" && outcome !== "cleared")).toEqual([])
})
