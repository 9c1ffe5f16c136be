import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { costsOf } from "../support/costs"
import { makePlan, makeReadyStore } from "../support/factories"
import { listObjectKeys } from "../support/media-factories"
import { type Browser, signIn } from "./support"

const upload = (browser: Browser, base: string, name: string, content: string, folder = "0", headers = {}) => {
  const form = new FormData()
  form.set("once", "01ABC")
  form.set("folder_id", folder)
  form.set("file", new Blob([content]), name)
  return call("POST", `${base}/files`, {
    body: form,
    headers: { Cookie: browser.cookie, "Sec-Fetch-Site": "same-origin", ...headers },
  })
}

const listAuditEntries = async () =>
  (
    await env.DB.prepare(
      "select type, store_id, actor_type, interface from audit_entries where type like 'f%' order by id",
    ).all()
  ).results

test("uploads, renames, trashes, restores and deletes files and folders, and logs each change", async () => {
  const admin = await signIn()
  const store = await makeReadyStore()
  const base = `/console/sites/${store}/media`
  const created = await admin.post(`${base}/folders`, { name: "Summer", parent_id: "0" })
  expect([created.status, created.headers.get("Location")]).toEqual([303, `${base}?folder_id=1&done=created`])
  expect((await upload(admin, base, "shell.txt", "hello", "1")).headers.get("Location")).toBe(
    `${base}?folder_id=1&done=uploaded`,
  )
  const folder = await admin.get(`${base}?folder_id=1`)
  expect(folder.text).toMatch(/href="https?:\/\/[^"]+\/media\/[^"]+shell\.txt"/)
  expect(folder.text).toContain("<h1>Summer</h1>")
  expect((await admin.post(`${base}/files/1/edit`, { name: "pearl.txt" })).status).toBe(303)
  expect((await admin.post(`${base}/files/1/trash`, { from: "1" })).headers.get("Location")).toBe(
    `${base}?folder_id=1&done=file_trashed&subject=1`,
  )
  expect((await admin.get(`${base}?folder_id=1`)).text).not.toContain("pearl.txt")
  expect((await admin.get(`${base}?trashed=1`)).text).toContain("pearl.txt")
  expect((await admin.post(`${base}/files/1/restore`)).headers.get("Location")).toBe(
    `${base}?folder_id=1&done=file_restored&subject=1`,
  )
  expect((await admin.confirm(`${base}/files/1/delete`)).status).toBe(303)
  expect((await admin.confirm(`${base}/files/1/delete`)).status).toBe(404)
  expect((await admin.post(`${base}/folders/1/trash`)).status).toBe(303)
  expect((await admin.get(base)).text).not.toContain("Summer")
  expect((await admin.get(`${base}?folder_id=1`)).status).toBe(404)
  expect((await admin.post(`${base}/folders/1/restore`)).status).toBe(303)
  expect((await admin.get(base)).text).toContain("Summer/")
  const entries = await listAuditEntries()
  expect(entries.map(({ type }) => type)).toEqual([
    "folder_created",
    "file_created",
    "file_changed",
    "file_trashed",
    "file_restored",
    "file_deleted",
    "folder_trashed",
    "folder_restored",
  ])
  expect(
    new Set(entries.map(({ store_id, actor_type, interface: through }) => `${store_id} ${actor_type} ${through}`)),
  ).toEqual(new Set([`${store} admin console`]))
})

test("refuses uploads from other origins, without a session, from viewers, without a file, and over the storage limit", async () => {
  await makePlan({ slug: "tiny", limits: { products: 0, orders: 0, staff_users: 0, storage_mb: 1 } })
  const store = await makeReadyStore({ plan: "tiny" })
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const base = `/console/sites/${store}/media`
  expect((await upload(admin, base, "a.txt", "a", "0", { "Sec-Fetch-Site": "same-site" })).status).toBe(403)
  expect((await upload(viewer, base, "a.txt", "a")).status).toBe(403)
  expect((await upload({ ...admin, cookie: "" }, base, "a.txt", "a")).status).toBe(303)
  expect((await upload(admin, base, "", "")).status).toBe(422)
  const full = await upload(admin, base, "large.txt", "x".repeat(1_100_000))
  expect([full.status, full.text.includes("enough storage left")]).toEqual([422, true])
  expect((await upload(admin, base, "a.txt", "a", "99")).status).toBe(422)
  expect((await upload(admin, "/console/sites/nobody/media", "a.txt", "a")).status).toBe(404)
  expect((await listObjectKeys(store)).length).toBeLessThanOrEqual(1)
  expect(await listAuditEntries()).toEqual([])
})

test("shows a name conflict at its field, in the folder where the form was submitted", async () => {
  const admin = await signIn()
  const base = "/console/sites/central/media"
  await admin.post(`${base}/folders`, { name: "Outer", parent_id: "0" })
  await admin.post(`${base}/folders`, { name: "Inner", parent_id: "1" })
  const again = await admin.post(`${base}/folders`, { name: "inner", parent_id: "1" })
  expect(again.status).toBe(422)
  expect(again.text).toContain("<h1>Outer</h1>")
  expect(again.text).toContain('value="inner"')
  expect(again.text).toContain('aria-invalid="true"')
})

test("reads no more rows in a large media library, in at most three round trips", async () => {
  const admin = await signIn()
  const fill = (from: number, to: number) =>
    env.SITES_1.prepare(
      `with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})
       insert into media_files (site_id, folder_id, name, name_key, path, size, mime_type, etag, trashed_at, created_at, updated_at)
       select 'central', 0, 'f' || i, 'f' || i, 'p' || i, 1, 'image/png', '"x"', iif(i % 2, 1, null), 1, 1 from n`,
    ).run()
  await fill(1, 300)
  const read = async () => {
    const costs = [
      await costsOf(() => admin.get("/console/sites/central/media")),
      await costsOf(() => admin.get("/console/sites/central/media?trashed=1")),
    ]
    return costs.map(({ rowsRead, roundTrips }) => [rowsRead, roundTrips])
  }
  const few = await read()
  await fill(301, 6000)
  expect(await read()).toEqual(few)
  for (const [, trips] of few) expect(trips).toBeLessThanOrEqual(3)
})

test("serves thumbnails of small pictures of the same site to signed-in operators only", async () => {
  const admin = await signIn()
  const store = await makeReadyStore()
  const base = `/console/sites/${store}/media`
  const pixels = "GIF89a, more or less"
  await upload(admin, base, "clay.gif", pixels)
  await upload(admin, base, "drawing.svg", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
  await upload(admin, base, "large.gif", pixels.padEnd(500_001))
  const { text } = await admin.get(base)
  expect([...text.matchAll(/<img[^>]*src="([^"]+)"/g)].map(([, src]) => src)).toEqual([`${base}/files/1/picture`])
  const picture = await admin.get(`${base}/files/1/picture`)
  expect([picture.status, picture.text]).toEqual([200, pixels])
  expect(picture.headers.get("Content-Type")).toBe("image/gif")
  expect(picture.headers.get("X-Content-Type-Options")).toBe("nosniff")
  expect(picture.headers.get("Cache-Control")).toBe("no-store")
  for (const id of [2, 3, 99]) expect((await admin.get(`${base}/files/${id}/picture`)).status).toBe(404)
  expect((await admin.get("/console/sites/central/media/files/1/picture")).status).toBe(404)
  expect((await call("GET", `${base}/files/1/picture`)).status).toBe(303)
})
