import { expect, test } from "vitest"
import { parsePostForms } from "../console/crawler"
import { call } from "../support/app"
import { makeReadyStore } from "../support/factories"
import { type AdminBrowser, signInToAdmin } from "./support"

const upload = (browser: AdminBrowser, { folder = "0", name = "cat.gif", data = "GIF89a data", limit = "" } = {}) =>
  call("POST", "/admin/media/files", {
    host: browser.host,
    ...(limit && { env: { MEDIA_MAX_BYTES: limit } }),
    headers: {
      Cookie: browser.cookie,
      "Content-Type": "multipart/form-data; boundary=b",
      "Sec-Fetch-Site": "same-origin",
    },
    body: `--b\r\nContent-Disposition: form-data; name="folder_id"\r\n\r\n${folder}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${data}\r\n--b--\r\n`,
  })

test("uploads, describes, moves, trashes, restores and deletes files and folders", async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  const created = await editor.post("/admin/media/folders", { name: "Cats", parent_id: "0" })
  const folder = /folder_id=(\d+)&done=content_created/.exec(created.headers.get("Location") ?? "")?.[1] ?? ""
  const again = await editor.post("/admin/media/folders", { name: "Cats", parent_id: "0" })
  expect([again.status, again.text.includes('value="Cats"')]).toEqual([422, true])
  const uploaded = await upload(editor, { folder })
  expect([uploaded.status, uploaded.headers.get("Location")]).toEqual([
    303,
    `/admin/media?folder_id=${folder}&done=media_uploaded`,
  ])
  const list = await editor.get(`/admin/media?folder_id=${folder}`)
  const [, file = "", url = ""] = /href="\/admin\/media\/files\/(\d+)\/edit" data-url="([^"]+)"/.exec(list.text) ?? []
  expect(list.text).toContain(`<h1>Cats</h1>`)
  const path = `/admin/media/files/${file}`
  const page = await editor.get(`${path}/edit`)
  expect(page.text).toContain(`<code>${url}</code>`)

  const saved = await editor.post(`${path}/edit`, { name: "dog.gif", alt: 'A "dog"', folder_id: "0" })
  expect(saved.headers.get("Location")).toBe(`${path}/edit?done=content_saved`)
  expect((await editor.get("/admin/media")).text).toMatch(/data-alt="A &quot;dog&quot;">.*dog\.gif/)
  const refused = await editor.post(`${path}/edit`, { name: "", alt: "x".repeat(301), folder_id: "999" })
  for (const field of ["name", "alt", "folder_id"]) expect(refused.text).toContain(`id="${field}-error"`)
  await editor.post(`${path}/edit`, { alt: "" })
  expect((await editor.get("/admin/media")).text).toContain('data-alt=""')

  expect((await editor.post(`${path}/trash`)).headers.get("Location")).toBe("/admin/media?done=media_trashed")
  expect((await call("GET", url, { host: editor.host })).status).toBe(404)
  const trash = await editor.get("/admin/media?trashed=1")
  expect(parsePostForms(trash.text).map(({ action }) => action)).toContain(`${path}/restore`)
  expect((await editor.get(`${path}/edit`)).text).not.toContain('name="alt"')
  await editor.post(`${path}/restore`)
  expect((await call("GET", url, { host: editor.host })).status).toBe(200)

  const viewer = await signInToAdmin(store, "viewer")
  const shown = await viewer.get("/admin/media")
  expect([shown.text.includes("dog.gif"), shown.text.includes('type="file"')]).toEqual([true, false])
  expect((await upload(viewer)).status).toBe(403)
  for (const action of ["edit", "trash", "restore", "delete"])
    for (const item of [path, `/admin/media/folders/${folder}`])
      expect((await viewer.post(`${item}/${action}`, { name: "x" })).status, action).toBe(403)

  for (const item of [path, `/admin/media/folders/${folder}`]) {
    expect((await editor.post(`${item}/trash`)).status).toBe(303)
    expect((await editor.get(`${item}/delete`)).text).toContain("undone")
    expect((await editor.post(`${item}/delete`)).headers.get("Location")).toBe(
      "/admin/media?trashed=1&done=content_deleted",
    )
    expect((await editor.post(`${item}/delete`)).status).toBe(404)
  }
  expect((await editor.get(`${path}/edit`)).status).toBe(404)
  expect((await editor.get("/admin/media?folder_id=999")).status).toBe(404)
})

test("shows why an upload was refused", async () => {
  const editor = await signInToAdmin(await makeReadyStore(), "editor")
  const missing = await upload(editor, { folder: "999" })
  expect(missing.status).toBe(422)
  const large = await upload(editor, { data: "x".repeat(1001), limit: "1000" })
  expect([large.status, large.text.includes("The file is larger than 1 KB.")]).toEqual([422, true])
})
