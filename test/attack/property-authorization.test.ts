// OWASP API3, broken object property level authorization: sends every write undocumented properties, named after every
// column and response field; none is stored. And no response contains a stored secret.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { signInToAdmin } from "../admin/support"
import { signIn } from "../console/support"
import { call } from "../support/app"
import { CREDENTIAL_HEADERS, disableRateLimits } from "../support/credentials"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { makeFullStore } from "../support/full-store"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { makeLicense, makeLicenseKey, makeProduct } from "../support/license-factories"
import { type DocumentedOperation, listOperations } from "../support/operations"
import { rows, siteRows } from "../support/rows"
import { readState } from "../support/state"
import { fillPath, listRoutes } from "../support/surfaces"
import { makeDelivery } from "../support/webhook-factories"

const TEXT = "attack-sentinel"
const NUMBER = 987_654_321

/** Lists the columns of both databases in snake_case and camelCase. */
async function listColumns(): Promise<string[]> {
  const found = await Promise.all(
    [env.DB, env.SITES_1].map(async (database) => {
      const { results } = await database
        .prepare("select sql from sqlite_master where type = 'table'")
        .all<{ sql: string }>()
      return results.flatMap(({ sql }) =>
        [...sql.matchAll(/^\s*[`"](\w+)[`"] (text|integer|real|blob)/gim)].map(([, name = ""]) => name),
      )
    }),
  )
  const snake = [...new Set(found.flat())]
  return [
    ...new Set([...snake, ...snake.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))]),
  ]
}

/** Adds all undocumented properties to an example body. */
function addExtraProperties(
  { example = {}, bodyFields, responseFields }: DocumentedOperation,
  names: string[],
  value: unknown,
) {
  const extra = [...names, ...responseFields.keys(), "__proto__", "constructor"].filter(
    (name) => !bodyFields.includes(name),
  )
  return { ...Object.fromEntries(extra.map((name) => [name, value])), ...example }
}

/** Sends the writes with extra properties, and asserts that their values are not stored. */
async function assertIgnoresExtraProperties(
  operations: DocumentedOperation[],
  send: (operation: DocumentedOperation, json: object) => Promise<{ status: number }>,
) {
  const names = await listColumns()
  expect(names.length).toBeGreaterThan(200)
  const failures: string[] = []
  const writes = operations.filter(
    ({ method, bodyFields }) => method !== "GET" && method !== "DELETE" && bodyFields.length,
  )
  let accepted = 0
  for (const operation of writes) {
    for (const value of [TEXT, NUMBER, true]) {
      const { status } = await send(operation, addExtraProperties(operation, names, value))
      if (status >= 500) failures.push(`${operation.id}: ${status}`)
      if (status < 300) accepted += 1
    }
    const stored = JSON.stringify(await readState())
    for (const sentinel of [TEXT, String(NUMBER)])
      if (stored.includes(sentinel)) failures.push(`${operation.id} stores ${sentinel}`)
  }
  expect(failures).toEqual([])
  // Refused writes would prove nothing.
  expect(accepted).toBeGreaterThan(writes.length / 2)
}

test("content API writes do not store undocumented properties", async () => {
  const { host, staff, alice, key } = await makeFullStore("a", "b")
  disableRateLimits()
  const countPrivilegedUsers = () =>
    siteRows(
      "select count(*) as n, count(email_verified_at) as verified from users where is_staff = 1 or email_verified_at is not null",
    )
  const before = await countPrivilegedUsers()
  const operations = listOperations("content").filter(
    ({ id }) => !/^(accounts\.resetPassword|profile\.updatePassword|billing\.)/.test(id),
  )
  await assertIgnoresExtraProperties(operations, ({ method, path }, json) =>
    call(method, path.replace(/\{\w+\}/, "1"), {
      host,
      json,
      headers: { ...CREDENTIAL_HEADERS.Authorization(staff.token), "X-API-KEY": key },
    }),
  )
  // Registered users became neither staff nor verified.
  expect(await countPrivilegedUsers()).toEqual(before)
  expect(
    await siteRows("select site_id, count(*) as n from users where id = ? group by site_id", alice.id),
  ).toHaveLength(1)
}, 120_000)

test("control plane writes do not store undocumented properties", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const endpoint = await makeEndpoint()
  const delivery = await makeDelivery(endpoint.id)
  disableRateLimits()
  const fillIds = (path: string) =>
    path
      .replace("deliveries/{id}", `deliveries/${delivery.id}`)
      .replace("webhooks/{id}", `webhooks/${endpoint.id}`)
      .replace("{id}", store)
      .replace(/\{\w+\}/, "contact")
  const writes = listOperations("platform").filter(({ id }) => !/^webhooks\.(test|recover)$/.test(id))
  await assertIgnoresExtraProperties(writes, ({ method, path }, json) =>
    call(method, fillIds(path), {
      token,
      json: { ...json, ...("url" in json && { url: "https://203.0.114.7.example/hook" }) },
    }),
  )
  expect(
    await rows(
      "select distinct is_primary, is_fallback from domains where store_id = ? and verified_at is not null and is_fallback = 0",
      store,
    ),
  ).toEqual([])
}, 120_000)

test("license manager writes do not store undocumented properties", async () => {
  const product = await makeProduct({ reference_id: "ACME-SEO" })
  const license = await makeLicense(product)
  const headers = { "X-API-KEY": await makeLicenseKey("internal") }
  disableRateLimits()
  const operations = listOperations("license").filter(
    ({ schemes, path }) => schemes.includes("vendorKey") && path.startsWith("/api/internal/"),
  )
  await assertIgnoresExtraProperties(operations, ({ method, path }, json) =>
    call(
      method,
      path
        .replace("{product}", product.referenceId)
        .replace("{license}", license.code)
        .replace(/\{\w+\}/, "1"),
      { headers, json },
    ),
  )
}, 120_000)

/** Columns with secrets or their hashes. */
const SECRET_COLUMNS = /hash$|^secret$|^previous_secret$|^totp_secret$|^plaintext$/

/** Lists every stored secret. */
async function listSecrets(): Promise<string[]> {
  const found = new Set<string>()
  for (const stored of Object.values(await readState())) {
    for (const row of stored) {
      if (!row.startsWith("{")) continue
      for (const [column, value] of Object.entries(JSON.parse(row)))
        if (SECRET_COLUMNS.test(column) && typeof value === "string" && value.length > 15) found.add(value)
    }
  }
  return [...found]
}

test("no response contains a secret or its hash, even for the most privileged credentials", async () => {
  const { id, host, staff, key } = await makeFullStore("a", "b")
  await makeSiteKey(id)
  const endpoint = await makeEndpoint()
  const token = await makeKey()
  const license = await makeLicense(await makeProduct())
  const internal = await makeLicenseKey("internal")
  await makeServerKey()
  const admin = await signIn()
  disableRateLimits()
  const secrets = await listSecrets()
  expect(secrets.length).toBeGreaterThan(8)
  const reads = (await listRoutes()).filter(({ method }) => method === "GET")
  const sessions: Record<string, string> = { "/console": admin.cookie, "/admin": (await signInToAdmin(id)).cookie }
  const fill = (path: string) =>
    fillPath(
      path
        .replace(/\/(stores|sites)\/:\w+/, `/$1/${id}`)
        .replace(/^(\/(?!admin).*)webhooks\/:id/, `$1webhooks/${endpoint.id}`)
        .replace(":license", license.code),
    )
  const leaks: string[] = []
  let readable = 0
  for (const { surface, path } of reads) {
    if (path.endsWith("/live/stream") || path.endsWith("/logout") || /\/stream|\/feed/.test(path)) continue
    const headers: Record<string, string> = {
      ...(sessions[surface]
        ? { Cookie: sessions[surface] }
        : CREDENTIAL_HEADERS.Authorization(
            surface === "/api/v1" ? staff.token : surface === "/api/operator/v1" ? String(env.OPERATOR_TOKEN) : token,
          )),
      ...(surface === "/api/v1" && { "X-API-KEY": key }),
      ...(surface === "/api" && { "X-API-KEY": internal, Authorization: "" }),
      ...(surface === "/billing" && CREDENTIAL_HEADERS.Cookie(staff.token)),
    }
    const isStoreSurface = ["/api/v1", "/admin", "/billing", "/account", "/media", ""].includes(surface)
    const response = await call("GET", fill(path), { host: isStoreSurface ? host : "localhost", headers })
    if (response.status === 200) readable += 1
    const leaked = secrets.filter((secret) => response.text.includes(secret))
    if (leaked.length) leaks.push(`${path} leaks ${leaked.map((secret) => secret.slice(0, 20))}`)
  }
  expect(leaks).toEqual([])
  expect(readable).toBeGreaterThan(80)
}, 120_000)
