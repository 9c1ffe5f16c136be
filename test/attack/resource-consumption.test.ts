// OWASP API4, unrestricted resource consumption: public writes are rate limited per IP address, and list pages have a
// maximum size. input-bombs.test.ts covers the cost of large inputs.
import { expect, test } from "vitest"
import { postForm } from "../console/support"
import { call, platform } from "../support/app"
import { makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { CREDENTIAL_HEADERS, disableRateLimits, divideRateLimits } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { makeUnlimitedStore } from "../support/full-store"
import { makeLicenseKey } from "../support/license-factories"
import { listOperations } from "../support/operations"
import { fillPath } from "../support/surfaces"

/** Requests from one address after which every public write returns 429, at a tenth of the limits. */
const MAX_REQUESTS = 13

const ATTACKER = { "CF-Connecting-IP": "198.51.100.7" }

/** Sends requests until one returns 429. Returns their number, or a description of a wrong response. */
async function countUntilLimited(
  send: (n: number) => Promise<{ status: number; headers: Headers }>,
): Promise<number | string> {
  for (let n = 1; n <= MAX_REQUESTS; n += 1) {
    const { status, headers } = await send(n)
    if (status >= 500) return `returns ${status}`
    if (status !== 429) continue
    // HTML pages carry no Retry-After.
    const isPage = headers.get("Content-Type")?.startsWith("text/")
    return isPage || Number(headers.get("Retry-After")) > 0 ? n : "returns 429 without Retry-After"
  }
  return `accepts ${MAX_REQUESTS}`
}

test("rate limits every public write of the content API per IP address", async () => {
  divideRateLimits(10)
  const store = await makeReadyStore()
  const open = listOperations("content").filter(({ method, schemes }) => method !== "GET" && !schemes.length)
  expect(open.length).toBeGreaterThan(5)
  const failures: string[] = []
  for (const { id, method, path, example } of open) {
    const result = await countUntilLimited((n) =>
      call(method, path, {
        host: `${store}.localhost`,
        headers: ATTACKER,
        json: { ...example, email: `n${n}@example.com` },
      }),
    )
    if (typeof result === "string") failures.push(`${id} ${result}`)
  }
  expect(failures).toEqual([])
}, 120_000)

test("rate limits every public form per IP address", async () => {
  divideRateLimits(10)
  const { host, plan } = await makeUnlimitedStore()
  const forms: [path: string, host: string, fields: Record<string, string>][] = [
    ["/console/login", "localhost", { password: "wrong wrong wrong" }],
    ["/signup", "localhost", { name: "X", password: "correct-horse", plan }],
    ["/sign-in", "localhost", {}],
    ["/billing/sign-in", host, { password: "wrong-wrong" }],
    ["/account/forgot-password", host, {}],
    ["/account/reset-password", host, { token: "x", password: "wrong-guess", password_confirmation: "wrong-guess" }],
  ]
  const failures: string[] = []
  for (const [path, formHost, fields] of forms) {
    const result = await countUntilLimited((n) =>
      postForm(
        path,
        { ...fields, email: `n${n}@example.com`, owner_email: `n${n}@example.com`, subdomain: `n${n}` },
        { host: formHost, headers: { ...ATTACKER, Origin: `http://${formHost}` } },
      ),
    )
    if (typeof result === "string") failures.push(`${path} ${result}`)
  }
  expect(failures).toEqual([])
}, 120_000)

test("limits every list to 100 rows per page, whatever the query asks for", async () => {
  const { host, staff } = await makeUnlimitedStore()
  const token = await makeKey()
  const vendor = await makeLicenseKey("internal")
  disableRateLimits()
  const failures: string[] = []
  let requests = 0
  for (const { api, id, method, path, schemes } of (["platform", "content", "license"] as const).flatMap(
    listOperations,
  )) {
    if (
      method !== "GET" ||
      (path.includes("{") && api !== "platform") ||
      schemes.includes("clientKey") ||
      id === "accounts.logOut"
    )
      continue
    const headers =
      api === "platform"
        ? CREDENTIAL_HEADERS.Authorization(token)
        : api === "content"
          ? CREDENTIAL_HEADERS.Authorization(staff.token)
          : { "X-API-KEY": vendor }
    for (const query of [
      "per_page=1000000",
      "per_page=-1",
      "per_page=1e9",
      "page=9007199254740993",
      "page=0",
      "per_page=100&page=99999999999",
      "limit=1000000",
    ]) {
      const response = await call("GET", `${fillPath(path)}?${query}`, {
        host: api === "content" ? host : "localhost",
        headers,
      })
      requests += 1
      if (response.status >= 500) failures.push(`${id}?${query}: ${response.status}`)
      const list: unknown[] = Array.isArray(response.body?.data) ? response.body.data : []
      if (list.length > 100) failures.push(`${id}?${query}: ${list.length} rows`)
      if (response.status === 200 && (response.body?.meta?.per_page ?? 0) > 100)
        failures.push(`${id}?${query}: a page of ${response.body.meta.per_page}`)
    }
  }
  expect(failures).toEqual([])
  expect(requests).toBeGreaterThan(150)
})

test("counts forged tokens against their IP address, and creates no Durable Objects once it is limited", async () => {
  const store = await makeReadyStore()
  await platform("POST", `/stores/${store}/apps/contact/enable`, { token: await makeKey() })
  const send = (n: number) =>
    call("POST", "/api/v1/contact", {
      host: `${store}.localhost`,
      token: `1|${String(n).padEnd(48, "x")}`,
      json: { message: "Hello" },
      headers: ATTACKER,
    })
  const user = await makeUser(store)
  for (let n = 1; n <= 70; n += 1) expect((await send(n)).status).toBe(401)
  const { objectCalls } = await costsOf(async () => {
    for (let n = 100; n < 120; n += 1) expect((await send(n)).status).toBe(401)
  })
  expect(objectCalls).toBe(0)
  // A valid token gets 429 instead of 401.
  const { host, ...rest } = { host: `${store}.localhost`, token: user.token, json: { message: "Hello" } }
  expect((await call("POST", "/api/v1/contact", { host, ...rest, headers: ATTACKER })).status).toBe(429)
  const elsewhere = { "CF-Connecting-IP": "198.51.100.9" }
  expect((await call("POST", "/api/v1/contact", { host, ...rest, headers: elsewhere })).status).toBe(201)
})

test("limits an address that floods the login without limiting other addresses", async () => {
  const store = await makeReadyStore()
  const [first, second] = [await makeUser(store), await makeUser(store)]
  const host = `${store}.localhost`
  const logIn = (email: string, ip: string) =>
    call("POST", "/api/v1/login", {
      host,
      json: { email, password: "wrong-wrong" },
      headers: { "CF-Connecting-IP": ip },
    })
  for (let n = 0; n < 11; n += 1) await logIn(first.email, "198.51.100.8")
  expect((await logIn(second.email, "198.51.100.8")).status).toBe(429)
  expect((await logIn(second.email, "198.51.100.9")).status).toBe(422)
})
