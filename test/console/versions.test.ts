import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { type Browser, signIn } from "./support"

const upload = (browser: Browser, path: string, fields: Record<string, string | Blob>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") form.set(name, value)
    else form.set(name, value, `${name}.zip`)
  }
  return call("POST", path, { body: form, headers: { Cookie: browser.cookie, "Sec-Fetch-Site": "same-origin" } })
}

test("creates and edits a version with files; a refused upload keeps the form's values and stores no file", async () => {
  const admin = await signIn()
  const viewer = await signIn({ role: "viewer" })
  await admin.post("/console/products", { name: "Plugin", reference_id: "plug", license_update: "true" })
  const path = "/console/products/plug/versions"
  const fields = {
    version: "1.0.0",
    version_id: "v1",
    summary: "First",
    is_active: "true",
    main_file: new Blob(["zip"]),
  }
  expect((await upload(viewer, path, fields)).status).toBe(403)
  const wrong = await upload(admin, path, { ...fields, version: "one" })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toContain('value="one"')
  const created = await upload(admin, path, fields)
  expect([created.status, created.headers.get("Location")]).toEqual([303, `${path}/v1?done=created`])
  expect((await upload(admin, path, fields)).status).toBe(422)
  const one = await admin.get(`${path}/v1`)
  expect(one.text).toContain("3 B")
  expect(one.text).toContain(">First</textarea>")
  expect((await admin.get("/console/products/plug")).text).toContain(`href="${path}/v1"`)
  expect((await upload(admin, `${path}/v1`, { version: "1.0.1", summary: "", is_active: "false" })).status).toBe(303)
  const { results } = await env.DB.prepare("select version, is_active, summary from license_versions").all()
  expect(results).toEqual([{ version: "1.0.1", is_active: 0, summary: null }])
  expect((await admin.get(`${path}/none`)).status).toBe(404)
  expect((await env.UPDATES.list()).objects).toHaveLength(1)
  const entries = await env.DB.prepare(
    "select type, interface from audit_entries where type like 'version%' order by id",
  ).all()
  expect(entries.results).toEqual([
    { type: "version_created", interface: "console" },
    { type: "version_changed", interface: "console" },
  ])
})

test("keeps the time of a version's release date that an edit leaves on the same day", async () => {
  const admin = await signIn()
  await admin.post("/console/products", { name: "Plugin", reference_id: "plug", license_update: "true" })
  const path = "/console/products/plug/versions"
  await upload(admin, path, { version: "1.0.0", version_id: "v1", is_active: "true", main_file: new Blob(["zip"]) })
  const time = Date.UTC(2026, 4, 10, 13, 45)
  await env.DB.prepare("update license_versions set released_at = ?").bind(time).run()
  const edit = { version: "1.0.1", released_at: "2026-05-10", is_active: "true" }
  expect((await upload(admin, `${path}/v1`, edit)).status).toBe(303)
  const { results } = await env.DB.prepare("select version, released_at from license_versions").all()
  expect(results).toEqual([{ version: "1.0.1", released_at: time }])
})

test("stores encryption keys without ever showing them, and leaves a key unchanged when its field is empty", async () => {
  const admin = await signIn()
  const key = `base64:${btoa("k".repeat(32))}`
  const save = (container: string, legacy: string) =>
    admin.post("/console/license-settings/keys", {
      lm_license_encryption_key: container,
      lm_legacy_encryption_key: legacy,
    })
  expect((await save("no key", "")).status).toBe(422)
  expect((await save(key, "old secret")).status).toBe(303)
  expect((await save("", "")).status).toBe(303)
  const page = await admin.get("/console/license-settings")
  expect(page.text).toContain("1 set")
  expect(page.text).not.toContain(key)
  expect(page.text).not.toContain("old secret")
  const { results } = await env.DB.prepare(
    "select after from audit_entries where type = 'license_settings_saved'",
  ).all()
  expect(JSON.stringify(results)).not.toContain("kkkk")
})
