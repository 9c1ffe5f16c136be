import { env } from "cloudflare:workers"
import { Hono } from "hono"
import { expect, test } from "vitest"
import { assertDeclared, harmless, recentPassword } from "../../src/console/form-access"
import type { ConsoleEnv } from "../../src/console/types"
import { call, type TestResponse } from "../support/app"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { type Browser, PASSWORD, signIn } from "./support"

const EXPIRE_CONFIRMATION = "update operator_sessions set confirmed_at = confirmed_at - 660000"

const asksForPassword = ({ status, text }: TestResponse) => status === 403 && text.includes('name="confirm_password"')

/** Creates a request body that records when it is read. */
function createUnreadBody() {
  const read = { parts: 0 }
  const body = new ReadableStream(
    {
      pull() {
        read.parts += 1
        throw new Error("the body was read")
      },
    },
    { highWaterMark: 0 },
  )
  return { read, body }
}

const send = (admin: Browser, path: string, body: FormData | ReadableStream, type?: string) =>
  call("POST", path, {
    body,
    headers: { Cookie: admin.cookie, "Sec-Fetch-Site": "same-origin", ...(type && { "Content-Type": type }) },
  } as never)

const createVersionForm = (number: string) => {
  const form = new FormData()
  form.set("version", number)
  form.set("version_id", "v1")
  form.set("main_file", new Blob(["zip"]), "main.zip")
  return form
}

test("does not store a response that is too large for a row, and renders the form again", async () => {
  const admin = await signIn()
  const fields = { once: "01LARGE", name: '"'.repeat(300_000) }
  for (let n = 0; n < 2; n += 1) expect((await admin.post("/console/coupons", fields)).status).toBe(422)
  expect(await rows("select id from idempotency_records")).toEqual([])
})

test("runs a form once after the password was confirmed, with its original fields", async () => {
  const admin = await signIn()
  await env.DB.exec(EXPIRE_CONFIRMATION)
  const form = { name: "Key", scopes: "read", once: "01ABC" }
  const confirmation = await admin.post("/console/keys", form)
  expect(asksForPassword(confirmation)).toBe(true)
  expect(confirmation.text).toContain("about to create an API key.")
  expect(confirmation.text).toContain('name="once" value="01ABC"')
  const created = await admin.post("/console/keys", { ...form, confirm_password: PASSWORD })
  const again = await admin.post("/console/keys", form)
  expect(created.text).toMatch(/tnk_/)
  expect(again.text).toBe(created.text)
  expect(await rows("select name from api_keys")).toHaveLength(1)
})

test("asks for the password before changing the bank details that owners pay to", async () => {
  const admin = await signIn()
  await env.DB.exec(EXPIRE_CONFIRMATION)
  const save = (fields = {}) => admin.post("/console/orders/settings", { instructions: "Pay to DE00 1234", ...fields })
  const before = await rows("select * from settings")
  expect(asksForPassword(await save())).toBe(true)
  expect(asksForPassword(await save({ confirm_password: "wrong" }))).toBe(false)
  expect(await rows("select * from settings")).toEqual(before)
  expect((await save({ confirm_password: PASSWORD })).status).toBe(303)
  expect(JSON.stringify(await rows("select * from settings"))).toContain("DE00 1234")
})

test.each([
  ["domains/shop.example/primary", {}],
  ["subscription/extend", { days: "3650" }],
  ["subscription/reactivate", {}],
])("asks for the password before the store action %s", async (action, fields) => {
  const [admin, store] = [await signIn(), await makeReadyStore({ plan: (await makePlan()).slug })]
  await env.DB.exec(EXPIRE_CONFIRMATION)
  expect(asksForPassword(await admin.post(`/console/stores/${store}/${action}`, fields))).toBe(true)
})

test("shows the two-factor secret during setup only after a recent password", async () => {
  const admin = await signIn()
  await admin.post("/console/account/totp", {})
  const secret = /<code>([A-Z2-7]{16,})<\/code>/.exec((await admin.get("/console/account")).text)?.[1] ?? ""
  expect(secret).not.toBe("")
  await env.DB.exec(EXPIRE_CONFIRMATION)
  expect((await admin.get("/console/account")).text).not.toContain(secret)
})

test("asks for the password before it reads uploaded files, and for the files again afterwards", async () => {
  const admin = await signIn()
  await admin.post("/console/products", { name: "Plugin", reference_id: "plug", license_update: "true" })
  await env.DB.exec(EXPIRE_CONFIRMATION)
  const path = "/console/products/plug/versions"
  const { read, body } = createUnreadBody()
  const confirmation = await send(admin, path, body, "multipart/form-data; boundary=x")
  expect([asksForPassword(confirmation), read.parts]).toEqual([true, 0])
  expect(confirmation.text).toContain("Your files were not uploaded.")
  expect(confirmation.text).toContain('name="resend" value="1"')
  const wrong = await admin.post(path, { resend: "1", confirm_password: "wrong" })
  expect([wrong.status, wrong.text.includes('name="resend" value="1"')]).toEqual([422, true])
  for (const time of ["first", "second"]) {
    const confirmed = await admin.post(path, { resend: "1", confirm_password: PASSWORD })
    expect([confirmed.status, confirmed.headers.get("Location")], time).toEqual([
      303,
      "/console/products/plug?done=confirmed_upload",
    ])
  }
  expect(await rows("select version from license_versions")).toEqual([])
  expect((await send(admin, path, createVersionForm("1.0.0"))).status).toBe(303)
  await env.DB.exec(EXPIRE_CONFIRMATION)
  expect(asksForPassword(await send(admin, `${path}/v1`, createVersionForm("1.0.1")))).toBe(true)
  const back = await admin.post(`${path}/v1`, { resend: "1", confirm_password: PASSWORD })
  expect(back.headers.get("Location")).toBe(`${path}/v1?done=confirmed_upload`)
  expect(await rows("select version from license_versions")).toEqual([{ version: "1.0.0" }])
})

test("throws at startup for a form route that does not declare whether it asks for the password", () => {
  const handler = () => new Response()
  const routes = () => new Hono<ConsoleEnv>()
  const declared = harmless("support")
  const asks = recentPassword("admin", "does something")
  expect(() => assertDeclared(routes().get("/page", handler).post("/form", declared, handler))).not.toThrow()
  for (const undeclared of [
    routes().post("/form", handler),
    routes().all("/form", handler),
    routes().post("/form", (_, next) => next(), asks, handler),
    routes().post("/form", asks, handler).post("/form", declared, handler),
    routes().post("/form", asks, handler).post("/:id", handler),
  ]) {
    expect(() => assertDeclared(undeclared)).toThrow(/must begin with harmless, recentPassword or confirmed/)
  }
})
