// A field that somebody empties is refused where it stands, or is empty from then on: no form says "saved" of what it left as it was.
import { expect, test } from "vitest"
import { updateLicense } from "../../src/license/licenses/service"
import { run } from "../support/app"
import { type PostForm, postFormsOf, walk } from "./every-page"
import { someOfEverything } from "./sample-data"
import { type Browser, signIn } from "./support"

/** The form of a page that is posted to an address and has a field. */
const formWith = (html: string, action: string, name: string): PostForm | undefined =>
  postFormsOf(html).find((form) => form.action === action && form.fields.some((field) => field.name === name))

/** What one field of a form comes to when it is sent empty, the others as they stand. */
async function emptied(admin: Browser, page: string, form: PostForm, name: string): Promise<string> {
  const fields: Record<string, string[]> = {}
  for (const field of form.fields) if (field.sends) fields[field.name] = [...(fields[field.name] ?? []), field.value]
  const answer = await admin.post(form.action, { ...fields, [name]: "" })
  if (answer.status === 422) {
    const again = formWith(answer.text, form.action, name)?.fields.filter(({ isInvalid }) => isInvalid) ?? []
    return again.some((field) => field.name === name) ? "refused" : `refused at ${again.map((field) => field.name)}`
  }
  if (answer.status !== 303) return `answered with ${answer.status}`
  const now = formWith((await admin.get(page)).text, form.action, name)?.fields.find((field) => field.name === name)
  return now?.value === "" ? "emptied" : `kept as ${now?.value}`
}

test("a field that is sent empty is refused at its place, or is empty from then on", async () => {
  await someOfEverything()
  const filled = {
    customer_id: "C-1",
    email: "ada@example.com",
    uses: 9,
    comments: "A note",
    domains: ["acme.example"],
  }
  await run((ctx) => updateLicense(ctx, { segment: "1" }, { ...filled, expires_at: new Date("2030-01-01") }))
  const admin = await signIn()
  const outcomes = new Map<string, string>()
  for (const [page, html] of await walk(admin.get)) {
    for (const form of postFormsOf(html)) {
      // Of a form that makes something, only what it wants must be there.
      const isOfSomething = form.fields.every(({ isRequired, value }) => !isRequired || value)
      for (const { name, value, isRequired, isTyped } of form.fields) {
        const key = `${form.action} ${name}`
        const isMeant = isTyped && (isRequired || (value && isOfSomething))
        if (isMeant && !outcomes.has(key)) outcomes.set(key, await emptied(admin, page, form, name))
      }
    }
  }
  expect(outcomes.size).toBeGreaterThan(40)
  expect([...outcomes].filter(([, outcome]) => outcome !== "refused" && outcome !== "emptied")).toEqual([])
})
