// Forms of the admin that were opened before another member changed what they edit.
import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { expect, test } from "vitest"
import { saveDraft } from "../../src/core/auth/form-drafts"
import { stores } from "../../src/db/schema/central/stores"
import { parsePostForms } from "../console/crawler"
import { run } from "../support/app"
import { content } from "../support/content-factories"
import { makeReadyStore, makeStoreEndpoint } from "../support/factories"
import { runBeforeWrite } from "../support/round-trips"
import { rows } from "../support/rows"
import { makeShop } from "./shop"
import { type AdminBrowser, type Fields, signInToAdmin } from "./support"

/** The fields of a page's largest form with an action, as a browser submits them without changes. */
function readForm(html: string, action: string): Fields {
  const forms = parsePostForms(html).filter((one) => one.action === action)
  const [form] = forms.sort((a, b) => b.fields.length - a.fields.length)
  const fields: Record<string, string[]> = {}
  for (const { name, value, isSubmitted } of form?.fields ?? [])
    if (isSubmitted) fields[name] = [...(fields[name] ?? []), value]
  return fields
}

const CHANGED = "This was changed in the meantime"

const read = async ({ host, user }: AdminBrowser, path: string) =>
  (await content("GET", path, { host, token: user.token })).body.data

test("does not revert a tax rate that another member changed since the settings were opened", async () => {
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  const other = await signInToAdmin(store, "admin")
  const path = "/admin/settings"
  const open = async (browser: AdminBrowser) => readForm((await browser.get(path)).text, path)
  const opened = await open(owner)
  expect((await other.post(path, { ...(await open(other)), tax_rate: "21" })).status).toBe(303)
  const refused = await owner.post(path, { ...opened, address: "1 Quay Street" })
  expect([refused.status, refused.text.includes(CHANGED)]).toEqual([422, true])
  expect(await read(owner, "/shop/settings")).toMatchObject({ tax_rate: 21, address: null })

  // The name and the language are in another database.
  const reopened = await open(owner)
  expect((await other.post(path, { ...(await open(other)), name: "Harbor Tea", language: "fr" })).status).toBe(303)
  expect((await owner.post(path, reopened)).status).toBe(422)

  // An invalid form does not become a current one.
  const invalid = await owner.post(path, { ...reopened, tax_rate: "x" })
  expect((await owner.post(path, { ...readForm(invalid.text, path), tax_rate: "21" })).status).toBe(422)

  // The member has seen the message, so the form replaces the settings when it is sent again.
  expect((await owner.post(path, readForm(refused.text, path))).status).toBe(422)
  expect((await owner.post(path, { ...(await open(owner)), address: "1 Quay Street" })).status).toBe(303)
  expect(await read(owner, "/shop/settings")).toMatchObject({ name: "Harbor Tea", address: "1 Quay Street" })
})

test("retains the version that a form of content shows when its session expires", async () => {
  const store = await makeReadyStore()
  const [{ seq } = {}] = await rows("select seq from stores where id = ?", store)
  const editor = await signInToAdmin(store, "editor")
  const created = await editor.post("/admin/pages", { name: "Terms", content: "<p>First</p>", status: "published" })
  const path = created.headers.get("Location")?.split("?")[0] ?? ""
  const opened = readForm((await editor.get(path)).text, path)
  expect((await editor.post(path, { ...opened, content: "<p>Second</p>" })).status).toBe(303)
  const fields = new Map(Object.entries(opened).map(([name, value]) => [name, [value].flat()]))
  const draft = await run((ctx) => saveDraft(ctx, `user:${store}:${seq}:${editor.user.id}`, { path, fields }))
  const restored = await editor.get(`${path}?draft=${draft}`)
  expect(restored.text).toContain("First")
  const refused = await editor.post(path, readForm(restored.text, path))
  expect([refused.status, refused.text.includes(CHANGED)]).toEqual([422, true])
  expect((await read(editor, "/pages/terms")).content).toContain("Second")
  expect((await editor.post(path, readForm(refused.text, path))).status).toBe(303)
})

test("refuses the outdated forms of a gallery and of an endpoint", async () => {
  const store = await makeReadyStore()
  await drizzle(env.DB)
    .update(stores)
    .set({ apps: ["galleries"] })
    .where(eq(stores.id, store))
  const admin = await signInToAdmin(store, "admin")
  const created = await admin.post("/admin/galleries", { name: "Summer", pictures: "/media/a.png" })
  const gallery = created.headers.get("Location")?.split("?")[0] ?? ""
  const endpoint = `/admin/webhooks/${(await makeStoreEndpoint(store)).id}`
  for (const [page, action] of [
    [gallery, gallery],
    [endpoint, `${endpoint}/edit`],
  ] as const) {
    const opened = readForm((await admin.get(page)).text, action)
    expect((await admin.post(action, { ...opened, description: "first" })).status, action).toBe(303)
    const refused = await admin.post(action, { ...opened, description: "second" })
    expect([refused.status, refused.text.includes(CHANGED)], action).toEqual([422, true])
    expect((await admin.post(action, readForm(refused.text, action))).status, action).toBe(303)
  }
})

test("refuses a form when another with the same version is saved between its check and its write", async () => {
  const store = await makeShop()
  const admin = await signInToAdmin(store)
  const create = async (path: string, fields: Fields) =>
    (await admin.post(path, fields)).headers.get("Location")?.split("?")[0] ?? ""
  const gallery = await create("/admin/galleries", { name: "Summer", pictures: "/media/a.png" })
  const page = await create("/admin/pages", { name: "Terms", content: "<p>Text</p>", status: "published" })
  const endpoint = `/admin/webhooks/${(await makeStoreEndpoint(store)).id}`
  const settings = "/admin/settings"
  for (const { page: shown, action = shown, field, table, values = ["First", "Second"] } of [
    { page: settings, field: "tax_number", table: "shop_settings" },
    { page: settings, field: "language", table: "site_settings", values: ["fr", "es"] },
    {
      page: settings,
      field: "cors_origins",
      table: "site_settings",
      values: ["https://a.example", "https://b.example"],
    },
    { page: settings, field: "name", table: "stores" },
    { page: gallery, field: "description", table: "galleries" },
    { page, field: "name", table: "pages" },
    { page: endpoint, action: `${endpoint}/edit`, field: "description", table: "webhook_endpoints" },
  ]) {
    const opened = readForm((await admin.get(shown)).text, action)
    const [first = "", second = ""] = values
    const refused = await runBeforeWrite(
      new RegExp(`^(insert into|update) "${table}"`),
      async () => expect((await admin.post(action, { ...opened, [field]: first })).status, action).toBe(303),
      () => admin.post(action, { ...opened, [field]: second }),
    )
    expect(refused.status, `${action} ${field}`).toBe(422)
    expect(readForm((await admin.get(shown)).text, action)[field], action).toEqual([first])
    // The member has seen the message, so the form replaces the current version when it is sent again.
    expect((await admin.post(action, readForm(refused.text, action))).status, `${action} ${field}`).toBe(303)
    expect(readForm((await admin.get(shown)).text, action)[field], action).toEqual([second])
  }
})

test("a form of the settings does not undo a concurrent change of a name that it does not edit", async () => {
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  const path = "/admin/settings"
  const opened = readForm((await owner.get(path)).text, path)
  const saved = await runBeforeWrite(
    /^insert into "shop_settings"/,
    async () => expect((await owner.post(path, { ...opened, name: "Harbor Tea" })).status).toBe(303),
    () => owner.post(path, { ...opened, address: "1 Quay Street" }),
  )
  expect(saved.status).toBe(303)
  expect(await read(owner, "/shop/settings")).toMatchObject({ name: "Harbor Tea", address: "1 Quay Street" })
})
