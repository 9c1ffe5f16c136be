import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { JobRun } from "../../src/core/job-run"
import { ObjectStore } from "../../src/core/storage/object-store"
import { runScheduledJob } from "../../src/jobs/cron"
import { DAY, HOUR } from "../../src/lib/time"
import { runExport } from "../../src/platform/exports/run"
import { removeStore } from "../../src/platform/stores/remove"
import { call, run } from "../support/app"
import { listBackupKeys } from "../support/backups"
import { hostOfStore } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { withJobs } from "../support/jobs"
import { count, rows, siteRows } from "../support/rows"
import { readTar } from "../support/tar"
import { withoutFaults } from "../support/test-faults"
import { makeShop } from "./shop"
import { createAdminBrowser, signInToAdmin } from "./support"

const PAGE = "/admin/export"

/** The link in the last mail. */
function readLink(): URL {
  const [mail] = vi.mocked(env.MAIL.send).mock.lastCall ?? []
  const { text = "" } = mail as { text?: string }
  const [link] = /https?:\S+download\S+/.exec(text) ?? []
  return new URL(link ?? "")
}

const mockMail = () => vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)

const readArchive = async () => {
  const [key = ""] = (await listBackupKeys("exports/")).filter((name) => name.endsWith(".tar"))
  return new Uint8Array((await (await env.BACKUPS.get(key))?.arrayBuffer()) ?? new ArrayBuffer(0))
}

test("archives every row and file in the background, mails a link for a day, and is limited to one per day", async () => {
  mockMail()
  const store = await makeShop()
  const admin = await signInToAdmin(store, "admin")
  const editor = createAdminBrowser(store, (await signInToAdmin(store, "editor")).cookie)
  await admin.post("/admin/products", { name: "Green tea", price: "4.50", status: "published" })
  await env.MEDIA.put(`${store}/a/b.txt`, "Hello")
  expect((await editor.get(PAGE)).status).toBe(403)
  expect((await editor.post(PAGE)).status).toBe(403)
  expect((await admin.get(PAGE)).text).toContain("Create archive")
  await withJobs(async () => {
    const started = await Promise.all([admin.post(PAGE), admin.post(PAGE)])
    for (const { headers } of started) expect(headers.get("Location")).toBe(`${PAGE}?done=export_started`)
    expect(await count("store_exports")).toBe(1)
    const running = await admin.get(PAGE)
    expect(running.text).toContain("In progress")
    expect(running.text).toContain('http-equiv="refresh"')
    // A second request does not start another one, and says so.
    expect((await admin.post(PAGE)).status).toBe(303)
  })
  expect(await count("store_exports")).toBe(1)
  expect(await rows("select type, actor_id, store_id from audit_entries where type like 'export%'")).toEqual([
    { type: "export_created", actor_id: admin.user.id, store_id: store },
  ])

  const files = readTar(await readArchive())
  const read = (path: string) => new TextDecoder().decode(files.get(path))
  expect(read("files/a/b.txt")).toBe("Hello")
  expect(JSON.parse(read("store.json"))).toMatchObject({
    store: { id: store, status: "ready", owner_email: expect.any(String), subscription: null },
    domains: [{ is_primary: true }],
  })
  const lines = (table: string) =>
    read(`data/${table}.ndjson`)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
  expect(lines("products").map(({ name }) => name)).toContain("Green tea")
  const users = lines("users")
  expect(users.find(({ email }) => email === admin.user.email)).toMatchObject({ is_staff: 1, role: "admin" })
  expect(users[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT/)
  const everything = [...files.values()].map((bytes) => new TextDecoder().decode(bytes)).join("\n")
  const secrets = await siteRows("select password_hash as secret from users union select hash from user_tokens")
  expect(secrets.length).toBeGreaterThan(2)
  for (const { secret } of secrets) expect(everything).not.toContain(String(secret))
  expect(everything).not.toMatch(/"(password_hash|\w*_hash|\w*token|\w*secret|site_id)":/)

  const page = await admin.get(PAGE)
  expect(page.text).toContain("Ready")
  expect(page.text).not.toContain('http-equiv="refresh"')
  expect(page.text).not.toContain("Create archive</button>")
  expect(page.text).toContain("The next one can be created from")
  const refused = await admin.post(PAGE)
  expect([refused.status, refused.text.includes("once a day")]).toEqual([429, true])

  const size = String((await readArchive()).length)
  expect((await admin.get("/admin/export/download")).headers.get("Content-Length")).toBe(size)
  expect((await editor.get("/admin/export/download")).status).toBe(403)
  const link = readLink()
  expect(link.host).toBe(hostOfStore(store))
  const open = (path = link.pathname + link.search, host = link.host) => call("GET", path, { host })
  const opened = await open()
  expect(opened.status).toBe(200)
  expect(opened.headers.get("Content-Length")).toBe(size)
  expect(opened.headers.get("Cache-Control")).toBe("no-store")
  expect(opened.headers.get("Content-Disposition")).toMatch(/^attachment; filename="store\d+-2\S+\.tar"/)
  expect((await open(`${link.pathname}?token=1-2.${"0".repeat(32)}`)).status).toBe(404)
  expect((await open(`${link.pathname}?token=`)).status).toBe(404)
  expect((await open("/admin/export/download")).status).toBe(303)
  const other = await makeReadyStore()
  expect((await open(undefined, hostOfStore(other))).status).toBe(404)
  const setRole = (role: string) =>
    env.SITES_1.prepare("update users set role = ? where email = ?").bind(role, admin.user.email).run()
  await setRole("editor")
  expect((await open()).status).toBe(404)
  await setRole("admin")
  expect((await open()).status).toBe(200)

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY + HOUR })
  expect((await open()).status).toBe(404)
  await run((ctx) => runScheduledJob(ctx, "export-maintenance"))
  expect(await count("store_exports")).toBe(0)
  expect(await listBackupKeys("exports/")).toEqual([])
})

test("continues where the last stored step ended, whatever a step that died had uploaded", async () => {
  mockMail()
  const store = await makeShop()
  const admin = await signInToAdmin(store)
  const big = crypto.getRandomValues(new Uint8Array(60_000))
  const content = new Uint8Array(20 * 1024 * 1024)
  for (let at = 0; at < content.length; at += big.length) content.set(big.subarray(0, content.length - at), at)
  await env.MEDIA.put(`${store}/a.bin`, content)
  await env.MEDIA.put(`${store}/b.txt`, "second")
  await admin.post(PAGE)
  await withoutFaults(async () => {
    let steps = 0
    const step = () => run((ctx) => runExport({ ...ctx, run: new JobRun(0) }, store))
    for (let next: unknown = true; next; steps++) {
      const put = vi.spyOn(ObjectStore.prototype, "put").mockRejectedValueOnce(new Error("the Worker died"))
      await expect(step()).rejects.toThrow("died")
      put.mockRestore()
      next = await step()
    }
    expect(steps).toBeGreaterThan(10)
  })
  const files = readTar(await readArchive())
  expect(files.get("files/a.bin")?.length).toBe(content.length)
  expect(new TextDecoder().decode(files.get("files/b.txt"))).toBe("second")
  expect(Buffer.from(files.get("files/a.bin") ?? []).equals(Buffer.from(content))).toBe(true)
  const [row] = await rows("select phase, files, bytes from store_exports")
  expect(row).toEqual({ phase: "done", files: 2, bytes: (await readArchive()).length })
  expect(await count("mails where kind = 'export_ready'")).toBe(1)
})

test("exports a closed shop, and stops when the shop is deleted", async () => {
  mockMail()
  const store = await makeShop()
  const admin = await signInToAdmin(store)
  await env.DB.prepare("update stores set status = 'suspended' where id = ?").bind(store).run()
  expect((await admin.get(PAGE)).text).toContain("Create archive")
  expect((await admin.post("/admin/products", { name: "x", price: "1" })).status).toBe(503)
  expect((await admin.post(PAGE)).status).toBe(303)
  await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "api" }))
  expect(await run((ctx) => runExport(ctx, store))).toBeNull()
  await run((ctx) => runScheduledJob(ctx, "export-maintenance"))
  expect(await count("store_exports")).toBe(0)
  expect(await count("mails where kind = 'export_ready'")).toBe(0)
})
