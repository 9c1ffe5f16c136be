// The console's pages of licenses.
import { expect, test } from "vitest"
import { externalClient, makeActive, makeLicense, makeProduct } from "../support/license-factories"
import { rows } from "../support/rows"
import { parsePostForms } from "./crawler"
import { signIn } from "./support"

test("proposes products for a license, and offers the file of a valid one only", async () => {
  await makeActive(await externalClient())
  const [license] = await rows(
    "select l.id, p.reference_id from licenses l join license_products p on p.id = l.product_id",
  )
  const admin = await signIn()
  const list = await admin.get("/console/licenses")
  expect(list.text).toContain(`<option value="${license?.reference_id}">`)
  const path = `/console/licenses/${license?.id}`
  const action = `action="${path}/offline"`
  expect((await admin.get(path)).text).toContain(action)
  await admin.post(`${path}/block`)
  const blocked = await admin.get(path)
  expect(blocked.text).not.toContain(action)
  expect(blocked.text).toContain("Only a valid license has a file.")
})

test("names the license of each activation in the list of all, but not on the license's page", async () => {
  await makeActive(await externalClient())
  const [license] = await rows("select id from licenses")
  const viewer = await signIn({ role: "viewer" })
  const readHeads = async (path: string) =>
    [...(/<table.*?<\/thead>/s.exec((await viewer.get(path)).text)?.[0].matchAll(/<th [^>]*>([^<]*)/g) ?? [])].map(
      ([, head]) => head,
    )
  const heads = ["Installation", "Status", "Client", "Activated", "Actions"]
  expect(await readHeads(`/console/licenses/${license?.id}`)).toEqual(heads)
  expect(await readHeads("/console/activations")).toEqual(heads.toSpliced(2, 0, "License"))
})

test("returns to the page on which an activation was deactivated", async () => {
  await makeActive(await externalClient())
  const [license] = await rows("select id from licenses")
  const admin = await signIn()
  const switchOn = async (page: string, action: string) => {
    const form = parsePostForms((await admin.get(page)).text).find((one) => one.action.endsWith(action))
    const fields = form?.fields.map(({ name, value }) => [name, value]) ?? []
    return (await admin.post(form?.action ?? "", Object.fromEntries(fields))).headers.get("Location")
  }
  expect(await switchOn("/console/activations", "/deactivate")).toBe("/console/activations?done=saved")
  const path = `/console/licenses/${license?.id}`
  expect(await switchOn(path, "/activate")).toBe(`${path}?done=saved`)
  const list = "/console/activations?is_active=true&done=saved"
  expect(await switchOn(list, "/deactivate")).toBe(list)
})

test("keeps the time of dates that an edit leaves on the same day", async () => {
  await makeActive(await externalClient())
  const columns = "id, expires_at, updates_until, support_until, email"
  const time = Date.UTC(2030, 4, 10, 13, 45)
  await rows("update licenses set expires_at = ?1, updates_until = ?1, support_until = ?1 returning id", time)
  const [license] = await rows(`select ${columns} from licenses`)
  const admin = await signIn()
  const days = { expires_at: "2030-05-10", updates_until: "2030-05-10", support_until: "2030-05-11" }
  const saved = await admin.post(`/console/licenses/${license?.id}/edit`, { email: "new@example.com", ...days })
  expect(saved.status).toBe(303)
  expect(await rows(`select ${columns} from licenses`)).toEqual([
    { ...license, email: "new@example.com", support_until: Date.UTC(2030, 4, 11) },
  ])
})

test("opens and blocks the license of a row although another one has its id as its code", async () => {
  const product = await makeProduct()
  const first = await makeLicense(product, { email: "first@example.com" })
  const second = await makeLicense(product, { license_code: String(first.id), email: "second@example.com" })
  const admin = await signIn()
  const path = `/console/licenses/${first.id}`
  expect((await admin.get(path)).text).toContain("first@example.com")
  expect((await admin.post(`${path}/block`)).status).toBe(303)
  expect((await admin.post(`${path}/edit`, { comments: "Refunded", type: "perpetual" })).status).toBe(303)
  expect(await rows("select id, is_valid, comments from licenses order by id")).toEqual([
    { id: first.id, is_valid: 0, comments: "Refunded" },
    { id: second.id, is_valid: 1, comments: null },
  ])
  expect((await admin.get("/console/licenses/none")).status).toBe(404)
})
