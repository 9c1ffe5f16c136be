// OWASP API2, broken authentication: sends every kind of credential in every header to every route of every surface.
// Each credential gives access only to its own surface, and refused requests change nothing.

import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { signInToAdmin } from "../admin/support"
import { createBrowser, getCookie, makeOperator, PASSWORD, postForm, signIn } from "../console/support"
import { call, platform, type TestResponse } from "../support/app"
import { hostOfStore, makeSettings, makeUser } from "../support/content-factories"
import {
  CREDENTIAL_HEADERS,
  type Credential,
  type CredentialHeader,
  disableRateLimits,
  makeAllCredentials,
} from "../support/credentials"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { type DocumentedOperation, listOperations } from "../support/operations"
import { diffStates, readState } from "../support/state"
import { fillPath, listRoutes } from "../support/surfaces"

beforeEach(disableRateLimits)

const ANONYMOUS: Credential = { name: "no credential", kind: "invalid", value: "" }

interface Target {
  method: string
  path: string
  host: string
  body?: Record<string, unknown>
}

/** Sends a request with a credential. Its body may be invalid. */
const sendWith = (
  { method, path, host, body }: Target,
  header: CredentialHeader,
  { value }: Credential,
): Promise<TestResponse> =>
  call(method, path, {
    host,
    ...(method !== "GET" && { json: body ?? {} }),
    headers: value ? CREDENTIAL_HEADERS[header](value) : {},
  })

const isRefused = ({ status }: TestResponse) => status === 401 || status === 403

/**
 * Sends every credential to every target, in the header that its own surface reads and in one other: which one rotates,
 * because the routes of a surface share the code that reads credentials.
 * @param isAllowed whether a credential in a header gives access to a target
 * @param credentialHeaders the headers to send them in
 * @returns the requests that were wrongly allowed or refused
 */
async function findAccessErrors(
  targets: Target[],
  credentials: Credential[],
  isAllowed: (target: Target, header: CredentialHeader, credential: Credential) => boolean,
  credentialHeaders = Object.keys(CREDENTIAL_HEADERS) as CredentialHeader[],
): Promise<string[]> {
  const errors: string[] = []
  const attempt = async (target: Target, header: CredentialHeader, credential: Credential) => {
    const expected = isAllowed(target, header, credential)
    // An allowed write would change data.
    if (expected && target.method !== "GET") return
    const response = await sendWith(target, header, credential)
    const wasAllowed = !isRefused(response)
    if (wasAllowed !== expected || response.status >= 500)
      errors.push(`${target.method} ${target.path} with ${credential.name} in ${header}: ${response.status}`)
  }
  for (const [targetIndex, target] of targets.entries()) {
    // The gate of a surface is the same for all of its routes, so each route is sent a third of the credentials that it
    // refuses, in rotation, and every one that it accepts.
    const presented = credentials.flatMap((credential, index) => {
      const own: CredentialHeader = /^(license|site)-/.test(credential.kind) ? "X-API-KEY" : "Authorization"
      const others = credentialHeaders.filter((header) => header !== own)
      return [own, others[(targetIndex + index) % others.length] ?? own]
        .filter((header) => (targetIndex + index) % 3 === 0 || isAllowed(target, header, credential))
        .map((header) => ({ header, credential }))
    })
    const anonymous = { header: credentialHeaders[0] as CredentialHeader, credential: ANONYMOUS }
    await Promise.all([anonymous, ...presented].map(({ header, credential }) => attempt(target, header, credential)))
  }
  return errors
}

const buildTarget =
  (host: string) =>
  ({ method, path, example }: DocumentedOperation): Target => ({ method, path: fillPath(path), host, body: example })

/** Asserts that requests change nothing in storage. */
async function assertUnchanged(work: () => Promise<void>): Promise<void> {
  const before = await readState()
  await work()
  expect(diffStates(before, await readState())).toEqual([])
}

test("the control plane accepts only its own keys, within their scopes", async () => {
  const { credentials } = await makeAllCredentials()
  const targets = listOperations("platform").map(buildTarget("localhost"))
  await assertUnchanged(async () => {
    const errors = await findAccessErrors(targets, credentials, ({ method }, header, { kind }) => {
      if (header !== "Authorization" && header !== "X-API-KEY") return false
      return kind === "platform" || (kind === "platform-read" && method === "GET")
    })
    expect(errors).toEqual([])
  })
})

test("the external and internal license APIs accept only their own keys", async () => {
  const { credentials } = await makeAllCredentials()
  const targets = listOperations("license")
  const kindByPath = new Map(
    targets.map(({ path, schemes }) => [
      fillPath(path),
      schemes.includes("vendorKey") ? "license-internal" : "license-external",
    ]),
  )
  // The first request creates the key pair that signs license files.
  const client = credentials.find(({ kind }) => kind === "license-external")?.value ?? ""
  await call("GET", "/api/external/public-key", { headers: { "X-API-KEY": client } })
  await assertUnchanged(async () => {
    const errors = await findAccessErrors(
      targets.map(buildTarget("localhost")),
      credentials,
      ({ path }, header, { kind }) => header !== "Cookie" && kind === kindByPath.get(path),
    )
    expect(errors).toEqual([])
  })
})

test("operator commands accept only the operator token, as a bearer token", async () => {
  const { credentials } = await makeAllCredentials()
  const list = await call("GET", "/api/operator/v1", { token: env.OPERATOR_TOKEN as string })
  const names: string[] = list.body.data.map(({ name }: { name: string }) => name)
  expect(names.length).toBeGreaterThan(30)
  const targets = [
    { method: "GET", path: "/api/operator/v1", host: "localhost" },
    ...names.map((name) => ({ method: "POST", path: `/api/operator/v1/${name}`, host: "localhost" })),
  ]
  await assertUnchanged(async () => {
    const errors = await findAccessErrors(
      targets,
      credentials,
      (_, header, { kind }) => header === "Authorization" && kind === "operator",
    )
    expect(errors).toEqual([])
  })
})

test("a store's user routes accept only its staff tokens, and its media routes only its keys", async () => {
  const { store, credentials } = await makeAllCredentials()
  const token = await makeKey()
  for (const { slug } of (await platform("GET", `/stores/${store}/apps`, { token })).body.data)
    await platform("POST", `/stores/${store}/apps/${slug}/enable`, { token })
  const closed = listOperations("content").filter(({ schemes, id }) => schemes.length && id !== "accounts.logOut")
  expect(closed.length).toBeGreaterThan(55)
  // Staff routes refuse customers of the store; function-authorization.test.ts covers that.
  const presented = credentials.filter(({ kind, site }) => kind !== "user" || site !== store)
  await assertUnchanged(async () => {
    const errors = await findAccessErrors(
      closed.map(buildTarget(hostOfStore(store))),
      presented,
      ({ path }, header, { kind, site }) => {
        if (site !== store) return false
        if (path.startsWith("/api/v1/media/")) return header === "X-API-KEY" && kind === "site-key"
        return header === "Authorization" && kind === "staff"
      },
      ["Authorization", "X-API-KEY"],
    )
    expect(errors).toEqual([])
  })
})

test("a store's API that requires a key accepts only that store's keys", async () => {
  const { store, credentials } = await makeAllCredentials()
  await makeSettings(store, { keyRequired: true })
  const open = listOperations("content").filter(
    ({ method, path }) =>
      method === "GET" && /\/(posts|pages|tags|categories)/.test(path) && !path.endsWith("/revisions"),
  )
  expect(open.length).toBe(10)
  const errors = await findAccessErrors(
    open.map(buildTarget(hostOfStore(store))),
    credentials,
    (_, header, { kind, site }) => header === "X-API-KEY" && kind === "site-key" && site === store,
  )
  expect(errors).toEqual([])
})

test("console pages require a complete session, and console forms also the console's own origin", async () => {
  const { credentials } = await makeAllCredentials()
  const expired = await signIn()
  await env.DB.exec("update operator_sessions set last_seen_at = 1, created_at = 1")
  const awaitingCode = await signIn()
  await env.DB.exec("update operator_sessions set awaits_code = 1 where created_at > 1")
  const validCookie = (await signIn()).cookie
  const sessions = [expired, awaitingCode].map(({ cookie }) => decodeURIComponent(cookie.split("=")[1] ?? ""))
  const presented: Credential[] = [
    ANONYMOUS,
    ...credentials,
    ...sessions.map((value, index) => ({
      name: index ? "a session without its second factor" : "an expired session",
      kind: "invalid" as const,
      value,
    })),
  ]
  const open = /^\/console\/(login|code|assets|invitation$)/
  const routes = (await listRoutes()).filter(
    ({ surface, path }) => surface === "/console" && !open.test(path.replace("/login/code", "/login")),
  )
  expect(routes.length).toBeGreaterThan(100)
  const errors: string[] = []
  await assertUnchanged(async () => {
    for (const [routeIndex, { method, path }] of routes.entries()) {
      const url = fillPath(path)
      // Each route gets a third of the credentials, in rotation, and every session.
      for (const [index, { name, value }] of presented.entries()) {
        if (index < presented.length - 2 && (method !== "GET" || (index + routeIndex) % 3)) continue
        const headers = {
          ...(value && CREDENTIAL_HEADERS.Cookie(value)),
          ...(value && CREDENTIAL_HEADERS.Authorization(value)),
        }
        const response =
          method === "GET" ? await call("GET", url, { headers }) : await postForm(url, { a: "b" }, { headers })
        const isRedirectedToLogin =
          response.status === 303 && response.headers.get("Location")?.startsWith("/console/login")
        if (!isRedirectedToLogin) errors.push(`${method} ${path} with ${name}: ${response.status}`)
      }
      if (method === "GET") continue
      // Pages of other origins send the browser's cookie, but not the console's origin.
      const foreignHeaders: Record<string, string>[] = [
        { "Sec-Fetch-Site": "same-site", Origin: "http://shop.localhost" },
        { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
        { "Sec-Fetch-Site": "none" },
      ]
      for (const headers of foreignHeaders) {
        const { status } = await createBrowser(validCookie).post(url, { a: "b" }, { headers })
        if (status !== 403) errors.push(`${method} ${path} from ${headers["Sec-Fetch-Site"]}: ${status}`)
      }
    }
  })
  expect(errors).toEqual([])
})

test("admin pages require a session of that store's staff, and admin forms also the same origin", async () => {
  const { store, credentials } = await makeAllCredentials()
  const host = hostOfStore(store)
  const owner = await signInToAdmin(store)
  const neighbour = await signInToAdmin(await makeReadyStore())
  const open = /^\/admin\/(login|assets)/
  const routes = (await listRoutes()).filter(({ surface, path }) => surface === "/admin" && !open.test(path))
  expect(routes.length).toBeGreaterThan(5)
  const presented = [ANONYMOUS.value, neighbour.cookie.slice("admin=".length), ...credentials.map(({ value }) => value)]
  const errors: string[] = []
  await assertUnchanged(async () => {
    for (const [routeIndex, { method, path }] of routes.entries()) {
      const url = fillPath(path)
      // Each route gets a third of the credentials, in rotation, and the other store's session.
      for (const [index, value] of presented.entries()) {
        if (index > 1 && (method !== "GET" || (index + routeIndex) % 3)) continue
        const headers: Record<string, string> = value
          ? { Cookie: `admin=${encodeURIComponent(decodeURIComponent(value))}`, Authorization: `Bearer ${value}` }
          : {}
        const response =
          method === "GET"
            ? await call("GET", url, { host, headers })
            : await postForm(url, { a: "b" }, { host, headers })
        if (!response.headers.get("Location")?.startsWith("/admin/login"))
          errors.push(`${method} ${path} with ${value}: ${response.status}`)
      }
      if (method === "GET") continue
      for (const site of ["same-site", "cross-site", "none"]) {
        const { status } = await owner.post(
          url,
          { a: "b" },
          { headers: { Cookie: owner.cookie, "Sec-Fetch-Site": site } },
        )
        if (status !== 403) errors.push(`${method} ${path} from ${site}: ${status}`)
      }
    }
  })
  expect(errors).toEqual([])
})

test("billing pages accept only staff of that store", async () => {
  const { store, credentials } = await makeAllCredentials()
  const host = hostOfStore(store)
  const routes = (await listRoutes()).filter(
    ({ surface, path }) =>
      surface === "/billing" &&
      // Anyone may sign in or out, and the address of receipts only redirects.
      !["/billing/sign-in", "/billing/sign-out", "/billing/receipts/:number"].includes(path),
  )
  expect(routes.length).toBe(15)
  const errors: string[] = []
  await assertUnchanged(async () => {
    for (const { method, path } of routes) {
      for (const { name, kind, site, value } of [ANONYMOUS, ...credentials]) {
        if (kind === "staff" && site === store) continue
        const headers = {
          ...(value && CREDENTIAL_HEADERS.Cookie(value)),
          ...(value && CREDENTIAL_HEADERS.Authorization(value)),
        }
        const response =
          method === "GET"
            ? await call("GET", fillPath(path), { host, headers })
            : await postForm(fillPath(path), { plan: "starter" }, { host, headers })
        const isSignIn = path === "/billing" && response.text.includes('action="/billing/sign-in"')
        if (!isRefused(response) && !isSignIn) errors.push(`${method} ${path} with ${name}: ${response.status}`)
      }
    }
  })
  expect(errors).toEqual([])
})

test("a suspended or pending store returns 503, except for what its owner needs to pay", async () => {
  const plan = await makePlan()
  const suspended = await makeReadyStore({ plan: plan.slug })
  const staff = await makeUser(suspended, { isStaff: true })
  const [site, server] = [await makeSiteKey(suspended), await makeServerKey(suspended)]
  const token = await makeKey()
  await platform("POST", `/stores/${suspended}/suspend`, { token })
  const pending = await makeStore({ plan: plan.slug })
  const allowedWhileSuspended = new Set([
    "accounts.logIn",
    "accounts.logOut",
    "profile.get",
    "profile.update",
    "profile.delete",
    "accounts.forgotPassword",
    "accounts.resetPassword",
    "profile.updatePassword",
  ])
  const errors: string[] = []
  for (const store of [suspended, pending]) {
    for (const { id, method, path, example } of listOperations("content")) {
      if (store === suspended && (allowedWhileSuspended.has(id) || id.startsWith("billing."))) continue
      for (const key of ["", site, server]) {
        const { status } = await call(method, fillPath(path), {
          host: hostOfStore(store),
          token: staff.token,
          headers: { ...(key && { "X-API-KEY": key }) },
          ...(method !== "GET" && { json: example ?? {} }),
        })
        if (status !== 503) errors.push(`${store} ${method} ${path}: ${status}`)
      }
    }
    // The pages of mailed links stay available in a suspended store, so its owner can sign in to pay.
    const pages = store === pending ? ["/account/verify-email?email=a&token=b", "/account/forgot-password"] : []
    for (const path of ["/", "/products", "/blog", "/media/a.jpg", ...pages]) {
      const { status } = await call("GET", path, { host: hostOfStore(store), token: staff.token })
      if (![402, 503].includes(status)) errors.push(`${store} GET ${path}: ${status}`)
    }
  }
  expect(errors).toEqual([])
})

test("a session or token is refused from the first request after logout", async () => {
  const email = await makeOperator()
  const browser = createBrowser(getCookie(await postForm("/console/login", { email, password: PASSWORD })))
  expect((await browser.get("/console")).status).toBe(200)
  await browser.post("/console/logout")
  expect((await browser.get("/console")).status).toBe(303)

  const store = await makeReadyStore()
  const { token } = await makeUser(store)
  const me = () => call("GET", "/api/v1/me", { host: hostOfStore(store), token })
  expect((await me()).status).toBe(200)
  await call("GET", "/api/v1/logout", { host: hostOfStore(store), token })
  expect((await me()).status).toBe(401)
})
