// A credential of any kind that is revoked while a request body is still arriving writes nothing.
import { env } from "cloudflare:workers"
import { Secret, TOTP } from "otpauth"
import { beforeEach, expect, test, vi } from "vitest"
import { createBrowser, getCookie, makeOperator, PASSWORD, postForm, signIn } from "../console/support"
import { call, sendOperatorCommand, type TestResponse } from "../support/app"
import { captureMails, hostOfStore, makeUser, parseMailLink } from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { makeLicenseKey, makeProduct } from "../support/license-factories"
import { rows, siteRows } from "../support/rows"
import { slowBody } from "../support/slow-body"

const JSON_TYPE = { "Content-Type": "application/json" }
const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" }
const UPLOAD_TYPE = { "Content-Type": "multipart/form-data; boundary=x" }
const FROM_CONSOLE = { "Sec-Fetch-Site": "same-origin" }

const part = (name: string, value: string, filename?: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"` : ""}\r\n\r\n${value}\r\n`
const file = `${part("file", "a,b", "rates.csv")}--x--\r\n`
const version = `${part("version", "9.9.9")}${part("version_id", "evil")}${part("main_file", "code", "main.zip")}--x--\r\n`
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

interface Request {
  method: string
  path: string
  host?: string
  headers: Record<string, string>
  body: string
}

interface Scenario {
  request: Request
  revoke: () => Promise<unknown>
  status: number
  /** Reads the rows that the request would write. */
  readWrites: () => Promise<unknown[]>
}

const revokeKey = () => env.DB.exec("update api_keys set revoked_at = 1")

async function createLicenseScenario(type: Record<string, string>, path: string, body: string): Promise<Scenario> {
  const key = await makeLicenseKey("internal")
  const { referenceId } = await makeProduct()
  return {
    request: {
      method: "POST",
      path: `/api/internal/${path.replace(":product", referenceId)}`,
      headers: { ...type, "X-API-KEY": key },
      body,
    },
    revoke: () => env.DB.exec("update license_keys set revoked_at = 1"),
    status: 401,
    readWrites: () =>
      rows("select version from license_versions union all select name from license_products where name = 'Evil'"),
  }
}

async function createUploadScenario(
  makeCredential: (store: string) => Promise<string>,
  revoke: (store: string) => Promise<unknown>,
) {
  const store = await makeReadyStore()
  const headers = { ...UPLOAD_TYPE, "X-API-KEY": await makeCredential(store) }
  return {
    request: { method: "POST", path: "/api/v1/media/files", host: hostOfStore(store), headers, body: file },
    revoke: () => revoke(store),
    status: 401,
    readWrites: () => siteRows("select name from media_files"),
  }
}

/** Creates a request of an operator whom another operator deletes or demotes. */
async function createConsoleScenario(
  request: Pick<Request, "path" | "body"> & { type?: Record<string, string> },
  revoke: (admin: Awaited<ReturnType<typeof signIn>>, operator: number) => Promise<TestResponse>,
  { status, readWrites }: Pick<Scenario, "status" | "readWrites">,
): Promise<Scenario> {
  const admin = await signIn()
  const email = await makeOperator()
  const { cookie } = createBrowser(getCookie(await postForm("/console/login", { email, password: PASSWORD })))
  const id = Number((await rows("select id from operators where email = ?", email))[0]?.id)
  const { path, body, type = FORM_TYPE } = request
  return {
    request: { method: "POST", path, headers: { ...type, ...FROM_CONSOLE, Cookie: cookie }, body },
    revoke: async () => {
      const { status, text } = await revoke(admin, id)
      expect(status, text).toBe(303)
    },
    status,
    readWrites,
  }
}

const getEmail = async (id: number) => String((await rows("select email from operators where id = ?", id))[0]?.email)

const SCENARIOS: Record<string, () => Promise<Scenario>> = {
  "an API key that changes a store": async () => {
    const id = await makeReadyStore()
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${await makeKey()}` }
    const body = JSON.stringify({ owner_email: "mallory@example.com" })
    return {
      request: { method: "PATCH", path: `/api/platform/v1/stores/${id}`, headers, body },
      revoke: revokeKey,
      status: 401,
      readWrites: () => rows("select owner_email from stores where owner_email = 'mallory@example.com'"),
    }
  },
  "an API key that suspends a store under an idempotency key": async () => {
    const id = await makeReadyStore()
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${await makeKey()}`, "Idempotency-Key": "slow" }
    return {
      request: { method: "POST", path: `/api/platform/v1/stores/${id}/suspend`, headers, body: "{ }" },
      revoke: revokeKey,
      status: 401,
      readWrites: () => rows("select id from stores where status = 'suspended'"),
    }
  },
  "an API key on a route that reads no body": async () => {
    const id = await makeReadyStore()
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${await makeKey()}` }
    return {
      request: { method: "POST", path: `/api/platform/v1/stores/${id}/suspend`, headers, body: "{ }" },
      revoke: revokeKey,
      status: 401,
      readWrites: () => rows("select id from stores where status = 'suspended'"),
    }
  },
  "a server token on a route that reads no body": async () => {
    const store = await makeReadyStore()
    const [host, key] = [hostOfStore(store), await makeServerKey(store, "internal")]
    const headers = { ...JSON_TYPE, "X-API-KEY": key }
    const folder = await call("POST", "/api/v1/media/folders", { host, headers, json: { name: "Rates" } })
    return {
      request: {
        method: "DELETE",
        path: `/api/v1/media/folders/${folder.body.id ?? folder.body.data.id}`,
        host,
        headers,
        body: "{ }",
      },
      revoke: () => env.DB.exec("delete from server_tokens"),
      status: 401,
      readWrites: () => siteRows("select id from media_folders where trashed_at is null and removed_at is null"),
    }
  },
  "a license key that creates a product": () =>
    createLicenseScenario(JSON_TYPE, "products", JSON.stringify({ name: "Evil", reference_id: "evil" })),
  "a license key that uploads a version": () =>
    createLicenseScenario(UPLOAD_TYPE, "products/:product/versions", version),
  "a server token that uploads a file": () =>
    createUploadScenario(
      (store) => makeServerKey(store, "internal"),
      () => env.DB.exec("delete from server_tokens"),
    ),
  "a site's API key that uploads a file": () =>
    createUploadScenario(makeSiteKey, () => env.DB.exec("update site_settings set api_key_hash = null")),
  "a store that is suspended while a user registers": async () => {
    const store = await makeReadyStore()
    const names = { name: "Mallory M", email: "mallory@example.com" }
    const body = JSON.stringify({ ...names, password: "attackers-pass", password_confirmation: "attackers-pass" })
    return {
      request: { method: "POST", path: "/api/v1/register", host: hostOfStore(store), headers: JSON_TYPE, body },
      revoke: () => env.DB.exec("update stores set status = 'suspended'"),
      status: 503,
      readWrites: () => siteRows("select email from users where email = 'mallory@example.com'"),
    }
  },
  "a user's login that changes the profile": async () => {
    const store = await makeReadyStore()
    const { token } = await makeUser(store)
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${token}` }
    const body = JSON.stringify({ name: "Mallory M" })
    return {
      request: { method: "PUT", path: "/api/v1/me", host: hostOfStore(store), headers, body },
      revoke: () => env.SITES_1.exec("delete from user_tokens"),
      status: 401,
      readWrites: () => siteRows("select first_name from users where first_name = 'Mallory'"),
    }
  },
  "an operator who is deleted while creating another one": () =>
    createConsoleScenario(
      {
        path: "/console/operators",
        body: form({ email: "back@door.example", name: "Back", password: "a long enough phrase 1", role: "admin" }),
      },
      async (admin, id) => admin.confirm(`/console/operators/${id}/delete`, {}, { confirm: await getEmail(id) }),
      { status: 303, readWrites: () => rows("select email from operators where email = 'back@door.example'") },
    ),
  "an operator who becomes a viewer while creating an API key": () =>
    createConsoleScenario(
      { path: "/console/keys", body: form({ name: "Key", scopes: "write" }) },
      (admin, id) => admin.post(`/console/operators/${id}/edit`, { name: "x", role: "viewer" }),
      { status: 303, readWrites: () => rows("select name from api_keys") },
    ),
  "an operator who is deleted while uploading a version": async () => {
    const { referenceId } = await makeProduct()
    return createConsoleScenario(
      { path: `/console/products/${referenceId}/versions`, body: version, type: UPLOAD_TYPE },
      async (admin, id) => admin.confirm(`/console/operators/${id}/delete`, {}, { confirm: await getEmail(id) }),
      { status: 401, readWrites: () => rows("select version from license_versions") },
    )
  },
  "an operator who is deleted while uploading a file": async () => {
    const store = await makeReadyStore()
    return createConsoleScenario(
      { path: `/console/sites/${store}/media/files`, body: file, type: UPLOAD_TYPE },
      async (admin, id) => admin.confirm(`/console/operators/${id}/delete`, {}, { confirm: await getEmail(id) }),
      { status: 401, readWrites: () => siteRows("select name from media_files") },
    )
  },
}

const send = ({ method, path, host, headers }: Request, body: ReadableStream) =>
  call(method, path, { host, headers, body })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] })
  return () => vi.useRealTimers()
})

test.each(Object.entries(SCENARIOS))("%s writes nothing once it is revoked", async (_, createScenario) => {
  const { request, revoke, status, readWrites } = await createScenario()
  const before = await readWrites()
  const { body, arrived, finish } = slowBody(request.body)
  const pending = send(request, body)
  await arrived
  await revoke()
  vi.setSystemTime(Date.now() + 5_000)
  finish()
  const response = await pending
  expect(response.status, response.text.slice(0, 300)).toBe(status)
  expect(await readWrites()).toEqual(before)
})

test.each(Object.entries(SCENARIOS))(
  "%s writes when its body is slow and it is not revoked",
  async (_, createScenario) => {
    const { request, readWrites } = await createScenario()
    const before = await readWrites()
    const { body, arrived, finish } = slowBody(request.body)
    const pending = send(request, body)
    await arrived
    vi.setSystemTime(Date.now() + 5_000)
    finish()
    const { status, text } = await pending
    expect(status, text.slice(0, 300)).toBeLessThan(400)
    expect(await readWrites()).not.toEqual(before)
  },
)

test("writes nothing for a login that expires while the body arrives, by the API or at /billing", async () => {
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  const [{ slug }, store] = [await makePlan(), await makeReadyStore()]
  const { token } = await makeUser(store, { isStaff: true })
  await env.SITES_1.prepare("update user_tokens set expires_at = ?")
    .bind(Date.now() + 2_000)
    .run()
  const host = hostOfStore(store)
  const owner = { Cookie: `tenancy_billing=${encodeURIComponent(token)}`, Origin: `http://${host}` }
  const [profile, order] = [slowBody(JSON.stringify({ name: "Mallory M" })), slowBody(form({ plan: slug }))]
  const requests = [
    call("PUT", "/api/v1/me", {
      host,
      headers: { ...JSON_TYPE, Authorization: `Bearer ${token}` },
      body: profile.body,
    }),
    call("POST", "/billing/orders", { host, headers: { ...FORM_TYPE, ...owner }, body: order.body }),
  ]
  await Promise.all([profile.arrived, order.arrived])
  vi.setSystemTime(Date.now() + 5_000)
  profile.finish()
  order.finish()
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([401, 401])
  expect(await rows("select id from orders")).toEqual([])
  expect(await siteRows("select id from users where first_name = 'Mallory'")).toEqual([])
})

test("neither withdraws an order nor sets a password when the token expires while the body arrives", async () => {
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  const [{ slug }, store] = [await makePlan(), await makeReadyStore()]
  const host = hostOfStore(store)
  const user = await makeUser(store, { isStaff: true })
  const bearer = { Authorization: `Bearer ${user.token}` }
  const mails = captureMails()
  const order = await call("POST", "/api/v1/billing/orders", { host, headers: bearer, json: { plan: slug } })
  await call("POST", "/api/v1/password/forgot", { host, json: { email: user.email } })
  await env.SITES_1.prepare("update user_tokens set expires_at = ?")
    .bind(Date.now() + 2_000)
    .run()
  const { token } = parseMailLink(mails[0])
  const passwords = { password: "attackers-pass", password_confirmation: "attackers-pass" }
  const fields = { email: user.email, token, ...passwords }
  const bodies = [slowBody("{ }"), slowBody(JSON.stringify(fields)), slowBody(form(fields))]
  const [withdrawal, byApi, byPage] = bodies.map(({ body }) => body)
  const path = `/api/v1/billing/orders/${order.body.data.reference}`
  const requests = [
    call("DELETE", path, { host, headers: { ...JSON_TYPE, ...bearer }, body: withdrawal }),
    call("POST", "/api/v1/password/reset", { host, headers: JSON_TYPE, body: byApi }),
    call("POST", "/account/reset-password", { host, headers: FORM_TYPE, body: byPage }),
  ]
  await Promise.all(bodies.map(({ arrived }) => arrived))
  vi.setSystemTime(Date.now() + 2 * 3_600_000)
  for (const { finish } of bodies) finish()
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([401, 422, 422])
  expect(await rows("select status from orders")).toEqual([{ status: "pending" }])
})

test.each(["delete from operator_sessions where awaits_code = 1", "update operators set disabled_at = 1", null])(
  "refuses a second-factor code that arrives an hour late, also after %s",
  async (revocation) => {
    const email = "ada@example.com"
    const ada = await signIn({ email })
    await ada.post("/console/account/totp")
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec((await ada.get("/console/account")).text)?.[1] ?? ""
    const codeAt = (timestamp: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
    await ada.post("/console/account/totp/enable", { code: codeAt(Date.now() - 30_000) })
    const { cookie } = createBrowser(getCookie(await postForm("/console/login", { email, password: PASSWORD })))
    const { body, arrived, finish } = slowBody(form({ code: codeAt(Date.now()) }))
    const pending = call("POST", "/console/login/code", {
      headers: { ...FORM_TYPE, ...FROM_CONSOLE, Cookie: cookie },
      body,
    })
    await arrived
    if (revocation) await env.DB.exec(revocation)
    vi.setSystemTime(Date.now() + 3_600_000)
    finish()
    const { status, headers } = await pending
    expect([status, headers.get("Location")]).toEqual([303, "/console/login"])
    expect((await call("GET", "/console", { headers: { Cookie: cookie } })).status).toBe(303)
  },
)

test("requires the password again when ten minutes have passed before the form arrives", async () => {
  const admin = await signIn()
  vi.setSystemTime(Date.now() + 9 * 60_000)
  const { body, arrived, finish } = slowBody(form({ name: "Key", scopes: "write" }))
  const pending = call("POST", "/console/keys", {
    headers: { ...FORM_TYPE, ...FROM_CONSOLE, Cookie: admin.cookie },
    body,
  })
  await arrived
  vi.setSystemTime(Date.now() + 2 * 60_000)
  finish()
  expect((await pending).text).toContain('name="confirm_password"')
  expect(await rows("select name from api_keys")).toEqual([])
})
