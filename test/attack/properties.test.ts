// API3, broken object property level authorisation: every write is given all that it does not take, under the names of every column there is
// and of every field that an answer has; none of it is stored. And no answer shows what is kept as a secret.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { signIn } from "../console/support"
import { call } from "../support/app"
import { WAYS, withoutBudgets } from "../support/credentials"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { makeLicense, makeLicenseKey, makeProduct } from "../support/license-factories"
import { type DocumentedOperation, operationsOf } from "../support/operations"
import { rows, siteRows } from "../support/rows"
import { everything } from "../support/state"
import { everyRoute } from "../support/surfaces"
import { makeDelivery } from "../support/webhook-factories"
import { makeFullStore } from "../support/world"

const TEXT = "attack-sentinel"
const NUMBER = 987_654_321

/** Every column of both databases, as the tables call it and as the code does. */
async function columns(): Promise<string[]> {
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

/** A good body with everything in it that is not its to say. */
function stuffed({ example = {}, takes, answers }: DocumentedOperation, names: string[], value: unknown) {
  const extra = [...names, ...answers.keys(), "__proto__", "constructor"].filter((name) => !takes.includes(name))
  return { ...Object.fromEntries(extra.map((name) => [name, value])), ...example }
}

/** Sends the writes with each kind of value, and looks for it in all that is stored. */
async function stuff(
  operations: DocumentedOperation[],
  send: (operation: DocumentedOperation, json: object) => Promise<{ status: number }>,
) {
  const names = await columns()
  expect(names.length).toBeGreaterThan(200)
  const faults: string[] = []
  const writes = operations.filter(({ method, takes }) => method !== "GET" && method !== "DELETE" && takes.length)
  let taken = 0
  for (const operation of writes) {
    for (const value of [TEXT, NUMBER, true]) {
      const { status } = await send(operation, stuffed(operation, names, value))
      if (status >= 500) faults.push(`${operation.id}: ${status}`)
      if (status < 300) taken += 1
    }
    const stored = JSON.stringify(await everything())
    for (const sentinel of [TEXT, String(NUMBER)])
      if (stored.includes(sentinel)) faults.push(`${operation.id} stores ${sentinel}`)
  }
  expect(faults).toEqual([])
  // Else nothing was looked at.
  expect(taken).toBeGreaterThan(writes.length / 2)
}

test("what a write of the content API does not take is not stored, whoever asks", async () => {
  const { host, staff, alice, key } = await makeFullStore("a", "b")
  withoutBudgets()
  const staffs = () =>
    siteRows(
      "select count(*) as n, count(email_verified_at) as verified from users where is_staff = 1 or email_verified_at is not null",
    )
  const before = await staffs()
  const own = operationsOf("content").filter(
    ({ id }) => !/^(accounts\.resetPassword|profile\.updatePassword|billing\.)/.test(id),
  )
  await stuff(own, ({ method, path }, json) =>
    call(method, path.replace(/\{\w+\}/, "1"), {
      host,
      json,
      headers: { ...WAYS.Authorization(staff.token), "X-API-KEY": key },
    }),
  )
  // Those who were registered by it are no staff, and nobody's address was confirmed by saying so.
  expect(await staffs()).toEqual(before)
  expect(
    await siteRows("select site_id, count(*) as n from users where id = ? group by site_id", alice.id),
  ).toHaveLength(1)
}, 120_000)

test("what a write of the control plane does not take is not stored", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const endpoint = await makeEndpoint()
  const delivery = await makeDelivery(endpoint.id)
  withoutBudgets()
  const at = (path: string) =>
    path
      .replace("deliveries/{id}", `deliveries/${delivery.id}`)
      .replace("webhooks/{id}", `webhooks/${endpoint.id}`)
      .replace("{id}", store)
      .replace(/\{\w+\}/, "contact")
  const writes = operationsOf("platform").filter(({ id }) => !/^webhooks\.(test|recover)$/.test(id))
  await stuff(writes, ({ method, path }, json) =>
    call(method, at(path), {
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

test("what a write of the license manager does not take is not stored", async () => {
  const product = await makeProduct({ reference_id: "ACME-SEO" })
  const license = await makeLicense(product)
  const headers = { "X-API-KEY": await makeLicenseKey("internal") }
  withoutBudgets()
  const own = operationsOf("license").filter(
    ({ schemes, path }) => schemes.includes("vendorKey") && path.startsWith("/api/internal/"),
  )
  await stuff(own, ({ method, path }, json) =>
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

/** Columns whose values nobody is shown: what they are compared with, or what opens something. */
const SECRETS = /hash$|^secret$|^previous_secret$|^totp_secret$|^plaintext$/

/** Every secret that is stored. */
async function secrets(): Promise<string[]> {
  const found = new Set<string>()
  for (const stored of Object.values(await everything())) {
    for (const row of stored) {
      if (!row.startsWith("{")) continue
      for (const [column, value] of Object.entries(JSON.parse(row)))
        if (SECRETS.test(column) && typeof value === "string" && value.length > 15) found.add(value)
    }
  }
  return [...found]
}

test("no answer shows a secret, nor its hash, to whoever may see the most", async () => {
  const { id, host, staff, key } = await makeFullStore("a", "b")
  await makeSiteKey(id)
  const endpoint = await makeEndpoint()
  const token = await makeKey()
  const license = await makeLicense(await makeProduct())
  const internal = await makeLicenseKey("internal")
  await makeServerKey()
  const admin = await signIn()
  withoutBudgets()
  const kept = await secrets()
  expect(kept.length).toBeGreaterThan(8)
  const reads = (await everyRoute()).filter(({ method }) => method === "GET")
  const fill = (path: string) =>
    path
      .replace(/\/(stores|sites)\/:\w+/, `/$1/${id}`)
      .replace(/webhooks\/:id/, `webhooks/${endpoint.id}`)
      .replace(":license", license.code)
      .replace(/:\w+|\*/g, "1")
  const shown: string[] = []
  let read = 0
  for (const { surface, path } of reads) {
    if (path.endsWith("/live/stream") || path.endsWith("/logout") || /\/stream|\/feed/.test(path)) continue
    const headers: Record<string, string> = {
      ...(surface === "/console"
        ? { Cookie: admin.cookie }
        : WAYS.Authorization(
            surface === "/api/v1" ? staff.token : surface === "/api/operator/v1" ? String(env.OPERATOR_TOKEN) : token,
          )),
      ...(surface === "/api/v1" && { "X-API-KEY": key }),
      ...(surface === "/api" && { "X-API-KEY": internal, Authorization: "" }),
      ...(surface === "/billing" && WAYS.Cookie(staff.token)),
    }
    const isStores = ["/api/v1", "/billing", "/account", "/media", ""].includes(surface)
    const answer = await call("GET", fill(path), { host: isStores ? host : "localhost", headers })
    if (answer.status === 200) read += 1
    const leaked = kept.filter((secret) => answer.text.includes(secret))
    if (leaked.length) shown.push(`${path} shows ${leaked.map((secret) => secret.slice(0, 20))}`)
  }
  expect(shown).toEqual([])
  expect(read).toBeGreaterThan(80)
}, 120_000)
