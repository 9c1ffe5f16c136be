// API4, unrestricted resource consumption: what costs the platform something and asks nobody who he is has a budget, and no list is longer
// than a page. What a megabyte of the worst input costs is in input-bombs.test.ts.
import { expect, test } from "vitest"
import { post } from "../console/support"
import { call, platform } from "../support/app"
import { makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { WAYS, withoutBudgets } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { makeLicenseKey } from "../support/license-factories"
import { operationsOf } from "../support/operations"
import { fillPath } from "../support/surfaces"
import { makeOpenStore } from "../support/world"

/** Requests that one address may make of any of them before it is told to wait. */
const MOST = 130

const HERE = { "CF-Connecting-IP": "198.51.100.7" }

/** Sends until it is told to wait. */
async function sentUntilRefused(
  send: (n: number) => Promise<{ status: number; headers: Headers }>,
): Promise<number | string> {
  for (let n = 1; n <= MOST; n += 1) {
    const { status, headers } = await send(n)
    if (status >= 500) return `answers ${status}`
    if (status !== 429) continue
    // A page says it in words.
    const isPage = headers.get("Content-Type")?.startsWith("text/")
    return isPage || Number(headers.get("Retry-After")) > 0 ? n : "refuses without Retry-After"
  }
  return `takes ${MOST}`
}

test("what the content API lets anybody write has a budget for each address", async () => {
  const store = await makeReadyStore()
  const open = operationsOf("content").filter(({ method, schemes }) => method !== "GET" && !schemes.length)
  expect(open.length).toBeGreaterThan(5)
  const wrong: string[] = []
  for (const { id, method, path, example } of open) {
    const told = await sentUntilRefused((n) =>
      call(method, path, {
        host: `${store}.localhost`,
        headers: HERE,
        json: { ...example, email: `n${n}@example.com` },
      }),
    )
    if (typeof told === "string") wrong.push(`${id} ${told}`)
  }
  expect(wrong).toEqual([])
}, 120_000)

test("so have the forms that anybody may send", async () => {
  const { host, plan } = await makeOpenStore()
  const forms: [path: string, host: string, fields: Record<string, string>][] = [
    ["/console/login", "localhost", { password: "wrong wrong wrong" }],
    ["/signup", "localhost", { name: "X", password: "correct-horse", plan }],
    ["/sign-in", "localhost", {}],
    ["/billing/sign-in", host, { password: "wrong-wrong" }],
    ["/account/forgot-password", host, {}],
    ["/account/reset-password", host, { token: "x", password: "wrong-1", password_confirmation: "wrong-1" }],
  ]
  const wrong: string[] = []
  for (const [path, at, fields] of forms) {
    const told = await sentUntilRefused((n) =>
      post(
        path,
        { ...fields, email: `n${n}@example.com`, owner_email: `n${n}@example.com`, subdomain: `n${n}` },
        { host: at, headers: { ...HERE, Origin: `http://${at}` } },
      ),
    )
    if (typeof told === "string") wrong.push(`${path} ${told}`)
  }
  expect(wrong).toEqual([])
}, 120_000)

test("a page is no longer than a page, whatever was asked for", async () => {
  const { host, staff } = await makeOpenStore()
  const token = await makeKey()
  const vendor = await makeLicenseKey("internal")
  withoutBudgets()
  const wrong: string[] = []
  let asked = 0
  for (const { api, id, method, path, schemes } of (["platform", "content", "license"] as const).flatMap(
    operationsOf,
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
        ? WAYS.Authorization(token)
        : api === "content"
          ? WAYS.Authorization(staff.token)
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
      const answer = await call("GET", `${fillPath(path)}?${query}`, {
        host: api === "content" ? host : "localhost",
        headers,
      })
      asked += 1
      if (answer.status >= 500) wrong.push(`${id}?${query}: ${answer.status}`)
      const list: unknown[] = Array.isArray(answer.body?.data) ? answer.body.data : []
      if (list.length > 100) wrong.push(`${id}?${query}: ${list.length} rows`)
      if (answer.status === 200 && (answer.body?.meta?.per_page ?? 0) > 100)
        wrong.push(`${id}?${query}: a page of ${answer.body.meta.per_page}`)
    }
  }
  expect(wrong).toEqual([])
  expect(asked).toBeGreaterThan(150)
})

test("tokens that were made up have the budget of their address, and once that is used up no objects of their own", async () => {
  const store = await makeReadyStore()
  await platform("POST", `/stores/${store}/apps/contact/enable`, { token: await makeKey() })
  const send = (n: number) =>
    call("POST", "/api/v1/contact", {
      host: `${store}.localhost`,
      token: `1|${String(n).padEnd(48, "x")}`,
      json: { message: "Hello" },
      headers: HERE,
    })
  const known = await makeUser(store)
  for (let n = 1; n <= 70; n += 1) expect((await send(n)).status).toBe(401)
  const { objectCalls } = await costsOf(async () => {
    for (let n = 100; n < 120; n += 1) expect((await send(n)).status).toBe(401)
  })
  expect(objectCalls).toBe(0)
  // Who has a token is told what the matter is.
  const { host, ...rest } = { host: `${store}.localhost`, token: known.token, json: { message: "Hello" } }
  expect((await call("POST", "/api/v1/contact", { host, ...rest, headers: HERE })).status).toBe(429)
  const elsewhere = { "CF-Connecting-IP": "198.51.100.9" }
  expect((await call("POST", "/api/v1/contact", { host, ...rest, headers: elsewhere })).status).toBe(201)
})

test("one user's budget is not another's, and one address that floods shuts nobody else out", async () => {
  const store = await makeReadyStore()
  const [one, two] = [await makeUser(store), await makeUser(store)]
  const host = `${store}.localhost`
  const logIn = (email: string, ip: string) =>
    call("POST", "/api/v1/login", {
      host,
      json: { email, password: "wrong-wrong" },
      headers: { "CF-Connecting-IP": ip },
    })
  for (let n = 0; n < 11; n += 1) await logIn(one.email, "198.51.100.8")
  expect((await logIn(two.email, "198.51.100.8")).status).toBe(429)
  expect((await logIn(two.email, "198.51.100.9")).status).toBe(422)
})
