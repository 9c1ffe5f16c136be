// API5, broken function level authorisation: what only staff, only an admin or only a key of some scope may do refuses everybody else, by
// whichever verb it is asked, and a read never writes.
import { expect, test } from "vitest"
import { type LicenseScope, SCOPES } from "../../src/license/keys/schemas"
import { APIS } from "../../tools/openapi/documents"
import { signIn } from "../console/support"
import { call } from "../support/app"
import { makeUser } from "../support/content-factories"
import { WAYS, withoutBudgets } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { makeLicenseKey } from "../support/license-factories"
import { type DocumentedOperation, operationsOf } from "../support/operations"
import { differences, everything } from "../support/state"
import { everyRoute, fillPath } from "../support/surfaces"
import { makeFullStore } from "../support/world"

/** Reads that refuse a user only what is not theirs: drafts, or the orders of all. */
const PARTLY = new Set(["posts.list", "pages.list", "products.list", "galleries.list", "orders.list"])

/** Writes that a user may do to what is their own. */
const OWN = new Set(["reviews.update", "reviews.delete"])

test("what refuses users of a store who are not its staff refuses them, and does nothing", async () => {
  const { host, ids, reference } = await makeFullStore("a", "b")
  const { token } = await makeUser(host.split(".")[0])
  withoutBudgets()
  const forbidden = new Set<string>(
    APIS.content.routes.filter(({ refuses }) => refuses.includes("forbidden")).map(({ id }) => id),
  )
  const staffs = operationsOf("content").filter(
    ({ id, schemes }) => schemes[0] === "user" && forbidden.has(id) && !PARTLY.has(id),
  )
  expect(staffs.length).toBeGreaterThan(15)
  const before = await everything()
  const wrong: string[] = []
  for (const { id, method, path, example } of staffs) {
    for (const at of path.includes("{") ? [...ids, reference] : [1]) {
      const answer = await call(method, path.replace(/\{\w+\}/, String(at)), {
        host,
        token,
        ...(method !== "GET" && { json: example ?? {} }),
      })
      const allowed = OWN.has(id) ? [403, 404, 422] : [403, 404]
      if (!allowed.includes(answer.status)) wrong.push(`${id} ${at}: ${answer.status}`)
    }
  }
  expect(wrong).toEqual([])
  expect(differences(before, await everything())).toEqual([])
})

test("a license key does what its scopes say, and nothing else", async () => {
  const types = { clientKey: "external", vendorKey: "internal" } as const
  withoutBudgets()
  const wrong: string[] = []
  const scoped = operationsOf("license").filter(({ scopes }) => scopes.length)
  expect(scoped.length).toBeGreaterThan(40)
  const keys = new Map<string, string>()
  const keyOf = async (type: "external" | "internal", scopes: readonly LicenseScope[]) => {
    const name = `${type} ${scopes}`
    const known = keys.get(name) ?? (await makeLicenseKey(type, { scopes: [...scopes] }))
    keys.set(name, known)
    return known
  }
  for (const { id, method, path, example, scopes, schemes } of scoped) {
    const type = types[schemes[0] as keyof typeof types]
    const ask = async (held: readonly LicenseScope[]) =>
      (
        await call(method, fillPath(path), {
          headers: { "X-API-KEY": await keyOf(type, held) },
          ...(method !== "GET" && { json: example ?? {} }),
        })
      ).status
    const others = SCOPES[type].filter((scope) => !scopes.includes(scope))
    const refused = await ask(others)
    if (refused !== 403) wrong.push(`${id} without ${scopes}: ${refused}`)
    const let_in = await ask(scopes as LicenseScope[])
    if (let_in === 403 && !path.includes("download")) wrong.push(`${id} with ${scopes}: ${let_in}`)
  }
  expect(wrong).toEqual([])
})

test("who may only look at the console posts nothing but what is their own", async () => {
  const viewer = await signIn({ role: "viewer" })
  const posts = (await everyRoute()).filter(({ surface, method }) => surface === "/console" && method === "POST")
  expect(posts.length).toBeGreaterThan(50)
  const own = /^\/console\/(login|code|logout|account)/
  const before = await everything()
  const wrong: string[] = []
  for (const { path } of posts) {
    if (own.test(path)) continue
    const { status } = await viewer.post(fillPath(path), { name: "x", confirm: "1" })
    if (status !== 403) wrong.push(`${path}: ${status}`)
  }
  expect(wrong).toEqual([])
  expect(differences(before, await everything())).toEqual([])
})

const VERBS = ["POST", "PUT", "PATCH", "DELETE"]

test("a path has its verbs and no others, and no header makes one verb of another", async () => {
  const store = await makeReadyStore()
  const token = await makeKey()
  const license = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
  const staff = await makeUser(store, { isStaff: true })
  withoutBudgets()
  // The pair that signs license files is made when it is first asked for.
  await call("GET", "/api/external/public-key", { headers: { "X-API-KEY": license.external } })
  const before = await everything()
  const wrong: string[] = []
  const known = new Map<string, Set<string>>()
  const all = await everyRoute()
  for (const { method, path } of all) known.set(path, (known.get(path) ?? new Set()).add(method))
  const credentials = (surface: string, path: string): Record<string, string> =>
    surface === "/api"
      ? { "X-API-KEY": license[path.includes("/internal/") ? "internal" : "external"] }
      : WAYS.Authorization(surface === "/api/v1" ? staff.token : token)
  for (const { surface, method, path } of all) {
    if (method !== "GET" || path.endsWith("/logout") || surface === "") continue
    const host = ["/api/v1", "/billing", "/account", "/media"].includes(surface) ? `${store}.localhost` : "localhost"
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
    if (overridden.status >= 500) wrong.push(`GET ${path} as DELETE: ${overridden.status}`)
    for (const verb of VERBS) {
      if (known.get(path)?.has(verb)) continue
      const { status } = await call(verb, fillPath(path, "no-such-thing"), { host, headers, json: {} })
      // A more general path of the same surface may take the verb, and finds nothing there.
      if (status < 400 || status >= 500) wrong.push(`${verb} ${path}: ${status}`)
    }
  }
  expect(wrong).toEqual([])
  expect(differences(before, await everything())).toEqual([])
})

const operationNames = (operations: DocumentedOperation[]) => operations.map(({ id }) => id)

test("every operation that writes is on one of these lists, or open to all", () => {
  const content = operationsOf("content").filter(({ method, schemes }) => method !== "GET" && !schemes.length)
  expect(operationNames(content).sort()).toEqual(
    [
      "accounts.checkEmail",
      "accounts.forgotPassword",
      "accounts.logIn",
      "accounts.register",
      "accounts.resendVerification",
      "accounts.resetPassword",
      "devices.register",
    ].sort(),
  )
  expect(operationNames(operationsOf("platform").filter(({ schemes }) => !schemes.length))).toEqual([])
  expect(operationNames(operationsOf("license").filter(({ schemes }) => !schemes.length))).toEqual([])
})
