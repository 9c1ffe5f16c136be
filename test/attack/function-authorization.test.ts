// OWASP API5, broken function level authorization: staff routes, admin routes and scoped keys refuse all other callers
// with every method, and reads never write.
import { expect, test } from "vitest"
import { type LicenseScope, SCOPES } from "../../src/license/keys/schemas"
import { APIS } from "../../tools/openapi/documents"
import { signIn } from "../console/support"
import { call } from "../support/app"
import { APP_REQUESTS } from "../support/app-requests"
import { makeUser } from "../support/content-factories"
import { CREDENTIAL_HEADERS, disableRateLimits } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { makeFullStore } from "../support/full-store"
import { makeLicenseKey } from "../support/license-factories"
import { type DocumentedOperation, listOperations } from "../support/operations"
import { diffStates, readState } from "../support/state"
import { fillPath, listRoutes } from "../support/surfaces"

/** Reads that users may call for a part of the data, such as published posts or their own orders. */
const PARTLY_PUBLIC_READS = new Set([
  "posts.list",
  "pages.list",
  ...APP_REQUESTS.flatMap(({ staffQueries = {} }) => Object.keys(staffQueries)),
])

/** Writes that users may apply to their own resources. */
const OWN_RESOURCE_WRITES = new Set(APP_REQUESTS.flatMap(({ ownWrites = [] }) => ownWrites))

test("staff operations refuse customers of the store and change nothing", async () => {
  const { host, ids, reference } = await makeFullStore("a", "b")
  const { token } = await makeUser(host.split(".")[0])
  disableRateLimits()
  const forbidden = new Set<string>(
    APIS.content.routes.filter(({ refuses }) => refuses.includes("forbidden")).map(({ id }) => id),
  )
  const staffOperations = listOperations("content").filter(
    ({ id, schemes }) => schemes[0] === "user" && forbidden.has(id) && !PARTLY_PUBLIC_READS.has(id),
  )
  expect(staffOperations.length).toBeGreaterThan(15)
  const before = await readState()
  const failures: string[] = []
  for (const { id, method, path, example } of staffOperations) {
    for (const param of path.includes("{") ? [...ids, reference] : [1]) {
      const { status } = await call(method, path.replace(/\{\w+\}/, String(param)), {
        host,
        token,
        ...(method !== "GET" && { json: example ?? {} }),
      })
      const allowed = OWN_RESOURCE_WRITES.has(id) ? [403, 404, 422] : [403, 404]
      if (!allowed.includes(status)) failures.push(`${id} ${param}: ${status}`)
    }
  }
  expect(failures).toEqual([])
  expect(diffStates(before, await readState())).toEqual([])
})

test("a license key allows exactly the operations of its scopes", async () => {
  const types = { clientKey: "external", vendorKey: "internal" } as const
  disableRateLimits()
  const failures: string[] = []
  const scoped = listOperations("license").filter(({ scopes }) => scopes.length)
  expect(scoped.length).toBeGreaterThan(40)
  const keys = new Map<string, string>()
  const getKey = async (type: "external" | "internal", scopes: readonly LicenseScope[]) => {
    const name = `${type} ${scopes}`
    const key = keys.get(name) ?? (await makeLicenseKey(type, { scopes: [...scopes] }))
    keys.set(name, key)
    return key
  }
  for (const { id, method, path, example, scopes, schemes } of scoped) {
    const type = types[schemes[0] as keyof typeof types]
    const sendWithScopes = async (keyScopes: readonly LicenseScope[]) =>
      (
        await call(method, fillPath(path), {
          headers: { "X-API-KEY": await getKey(type, keyScopes) },
          ...(method !== "GET" && { json: example ?? {} }),
        })
      ).status
    const others = SCOPES[type].filter((scope) => !scopes.includes(scope))
    const refused = await sendWithScopes(others)
    if (refused !== 403) failures.push(`${id} without ${scopes}: ${refused}`)
    const allowed = await sendWithScopes(scopes as LicenseScope[])
    if (allowed === 403 && !path.includes("download")) failures.push(`${id} with ${scopes}: ${allowed}`)
  }
  expect(failures).toEqual([])
})

test("a console viewer may post only to their own account", async () => {
  const viewer = await signIn({ role: "viewer" })
  const posts = (await listRoutes()).filter(({ surface, method }) => surface === "/console" && method === "POST")
  expect(posts.length).toBeGreaterThan(50)
  const own = /^\/console\/(login|code|logout|account|invitation)/
  const before = await readState()
  const failures: string[] = []
  for (const { path } of posts) {
    if (own.test(path)) continue
    const existing = path.replaceAll(/:\w+\{(\w+)[^}]*\}/g, "$1")
    const { status } = await viewer.post(fillPath(existing), { name: "x", confirm: "1" })
    if (status !== 403) failures.push(`${path}: ${status}`)
  }
  expect(failures).toEqual([])
  expect(diffStates(before, await readState())).toEqual([])
})

const METHODS = ["POST", "PUT", "PATCH", "DELETE"]

test("paths refuse undeclared methods, and no header or query overrides the method", async () => {
  const store = await makeReadyStore()
  const token = await makeKey()
  const license = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
  const staff = await makeUser(store, { isStaff: true })
  disableRateLimits()
  // The first request creates the key pair that signs license files.
  await call("GET", "/api/external/public-key", { headers: { "X-API-KEY": license.external } })
  const before = await readState()
  const failures: string[] = []
  const methodsByPath = new Map<string, Set<string>>()
  const routes = await listRoutes()
  for (const { method, path } of routes) methodsByPath.set(path, (methodsByPath.get(path) ?? new Set()).add(method))
  const credentials = (surface: string, path: string): Record<string, string> =>
    surface === "/api"
      ? { "X-API-KEY": license[path.includes("/internal/") ? "internal" : "external"] }
      : CREDENTIAL_HEADERS.Authorization(surface === "/api/v1" ? staff.token : token)
  for (const { surface, method, path } of routes) {
    if (method !== "GET" || path.endsWith("/logout") || surface === "") continue
    const host = ["/api/v1", "/admin", "/billing", "/account", "/media"].includes(surface)
      ? `${store}.localhost`
      : "localhost"
    const headers = credentials(surface, path)
    const overridden = await call("GET", `${fillPath(path)}?_method=DELETE&method=DELETE`, {
      host,
      headers: {
        ...headers,
        "X-HTTP-Method-Override": "DELETE",
        "X-HTTP-Method": "DELETE",
        "X-Method-Override": "DELETE",
      },
    })
    if (overridden.status >= 500) failures.push(`GET ${path} as DELETE: ${overridden.status}`)
    for (const attempted of METHODS) {
      if (methodsByPath.get(path)?.has(attempted)) continue
      const { status } = await call(attempted, fillPath(path, "no-such-thing"), { host, headers, json: {} })
      // A more general path of the surface may accept the method and find no resource.
      if (status < 400 || status >= 500) failures.push(`${attempted} ${path}: ${status}`)
    }
  }
  expect(failures).toEqual([])
  expect(diffStates(before, await readState())).toEqual([])
})

const listIds = (operations: DocumentedOperation[]) => operations.map(({ id }) => id)

test("only the listed write operations are public", () => {
  const content = listOperations("content").filter(({ method, schemes }) => method !== "GET" && !schemes.length)
  expect(listIds(content).sort()).toEqual(
    [
      "accounts.checkEmail",
      "accounts.forgotPassword",
      "accounts.logIn",
      "accounts.register",
      "accounts.resendVerification",
      "accounts.resetPassword",
      "devices.register",
      "orders.place",
    ].sort(),
  )
  expect(listIds(listOperations("platform").filter(({ schemes }) => !schemes.length))).toEqual([])
  expect(listIds(listOperations("license").filter(({ schemes }) => !schemes.length))).toEqual([])
})
