// Fails every database call of the admin's forms, before and after it takes effect, and asserts that either the whole
// change exists, including its audit log entry, or none of it. The services have their own test with every route.
import { beforeEach, expect, test } from "vitest"
import { parsePostForms } from "../console/crawler"
import { assertAtomicWrite } from "../support/atomic-writes"
import { nextSerial } from "../support/serial"
import { makeShop } from "./shop"
import { type AdminBrowser, type Fields, signInToAdmin } from "./support"

let editor: AdminBrowser
beforeEach(async () => {
  editor = await signInToAdmin(await makeShop())
})

/** Reads the idempotency key of a form, which only its page creates. */
const readKey = async (page: string, action: string): Promise<string> =>
  parsePostForms((await editor.get(page)).text)
    .find((form) => form.action === action)
    ?.fields.find(({ name }) => name === "once")?.value ?? ""

const create = async (list: string, fields: Fields = {}): Promise<string> => {
  const { headers } = await editor.post(list, { name: `Item ${nextSerial()}`, ...fields })
  return (headers.get("Location") ?? "").replace(/\/edit\?.*/, "")
}

/** A form that is ready to be sent. */
interface Submission {
  page: string
  action: string
  fields?: Fields
}

const FORMS: Record<string, () => Promise<Submission>> = {
  "creates a post": async () => ({
    page: "/admin/posts/new",
    action: "/admin/posts",
    fields: { name: `Post ${nextSerial()}`, content: "<p>Hello</p>" },
  }),
  "edits a page": async () => {
    const path = await create("/admin/pages")
    return { page: `${path}/edit`, action: `${path}/edit`, fields: { name: "Renamed", content: "<p>New</p>" } }
  },
  "creates a product": async () => ({
    page: "/admin/products/new",
    action: "/admin/products",
    fields: { name: `Product ${nextSerial()}`, price: "1" },
  }),
  "mails a link to the contact address": async () => {
    await editor.post("/admin/settings", { contact_email: `shop${nextSerial()}@example.com` })
    return { page: "/admin/settings", action: "/admin/settings/contact-email" }
  },
}

test.each(Object.entries(FORMS))("a form that %s does all or nothing when a database call fails", async (_, make) => {
  const changes = await assertAtomicWrite(
    async () => {
      const { page, action, fields = {} } = await make()
      expect(await readKey(page, action)).not.toBe("")
      return async () => {
        const response = await editor.post(action, { ...fields, once: crypto.randomUUID() })
        return { ...response, status: response.status === 303 ? 200 : response.status }
      }
    },
    // The key stays claimed for a minute.
    { ignored: ["idempotency_records"] },
  )
  expect(changes.auditLog).toBeGreaterThan(0)
})
