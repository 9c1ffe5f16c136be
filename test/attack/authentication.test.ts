// API2, broken authentication: every kind of credential, in every header, at every route of every surface. Each opens what it is for and
// nothing else, whoever holds it, and what was refused changed nothing.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { browser, cookieOf, makeOperator, PASSWORD, post, signIn } from "../console/support"
import { type Answer, call, platform } from "../support/app"
import { hostOfStore, makeSettings, makeUser } from "../support/content-factories"
import { type Credential, everyCredential, WAYS, type Way, withoutBudgets } from "../support/credentials"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { type DocumentedOperation, operationsOf } from "../support/operations"
import { differences, everything } from "../support/state"
import { everyRoute, fillPath } from "../support/surfaces"

beforeEach(withoutBudgets)

const NOBODY: Credential = { name: "nobody", kind: "nothing", value: "" }

interface Target {
  method: string
  path: string
  host: string
  body?: Record<string, unknown>
}

/** One request with a credential. The credential is all that is good about it. */
const ask = ({ method, path, host, body }: Target, way: Way, { value }: Credential): Promise<Answer> =>
  call(method, path, {
    host,
    ...(method !== "GET" && { json: body ?? {} }),
    headers: value ? WAYS[way](value) : {},
  })

const isRefused = ({ status }: Answer) => status === 401 || status === 403

/**
 * Presents every credential at every target.
 * @param opens whether a credential, presented so, is good for a target
 * @param ways the headers to present them in, where not all of them
 * @returns what was let in that should not be, or kept out that should not be
 */
async function present(
  targets: Target[],
  credentials: Credential[],
  opens: (target: Target, way: Way, credential: Credential) => boolean,
  ways = Object.keys(WAYS) as Way[],
): Promise<string[]> {
  const wrong: string[] = []
  for (const target of targets) {
    for (const credential of [NOBODY, ...credentials]) {
      for (const way of ways) {
        const should = opens(target, way, credential)
        // Let in, it would do what it says.
        if (should && target.method !== "GET") continue
        const answer = await ask(target, way, credential)
        const wasLetIn = !isRefused(answer)
        if (wasLetIn !== should || answer.status >= 500)
          wrong.push(`${target.method} ${target.path} with ${credential.name} as ${way}: ${answer.status}`)
        if (!credential.value) break
      }
    }
  }
  return wrong
}

const targetOf =
  (host: string) =>
  ({ method, path, example }: DocumentedOperation): Target => ({ method, path: fillPath(path), host, body: example })

/** What changed, but for the addresses of those who were refused. */
async function unchanged(work: () => Promise<void>): Promise<void> {
  const before = await everything()
  await work()
  expect(differences(before, await everything())).toEqual([])
}

test("the control plane opens to its own keys, and by their scope", async () => {
  const { credentials } = await everyCredential()
  const targets = operationsOf("platform").map(targetOf("localhost"))
  await unchanged(async () => {
    const wrong = await present(targets, credentials, ({ method }, way, { kind }) => {
      if (way !== "Authorization" && way !== "X-API-KEY") return false
      return kind === "platform" || (kind === "platform-read" && method === "GET")
    })
    expect(wrong).toEqual([])
  })
})

test("the license manager opens its two sides to their own keys", async () => {
  const { credentials } = await everyCredential()
  const targets = operationsOf("license")
  const side = new Map(
    targets.map((one) => [
      fillPath(one.path),
      one.schemes.includes("vendorKey") ? "license-internal" : "license-external",
    ]),
  )
  // The pair that signs license files is made when it is first asked for.
  const client = credentials.find(({ kind }) => kind === "license-external")?.value ?? ""
  await call("GET", "/api/external/public-key", { headers: { "X-API-KEY": client } })
  await unchanged(async () => {
    const wrong = await present(
      targets.map(targetOf("localhost")),
      credentials,
      ({ path }, way, { kind }) => way !== "Cookie" && kind === side.get(path),
    )
    expect(wrong).toEqual([])
  })
})

test("the operator's commands open to the operator's token, as a bearer", async () => {
  const { credentials } = await everyCredential()
  const list = await call("GET", "/api/operator/v1", { token: env.OPERATOR_TOKEN as string })
  const names: string[] = list.body.data.map(({ name }: { name: string }) => name)
  expect(names.length).toBeGreaterThan(30)
  const targets = [
    { method: "GET", path: "/api/operator/v1", host: "localhost" },
    ...names.map((name) => ({ method: "POST", path: `/api/operator/v1/${name}`, host: "localhost" })),
  ]
  await unchanged(async () => {
    const wrong = await present(
      targets,
      credentials,
      (_, way, { kind }) => way === "Authorization" && kind === "operator",
    )
    expect(wrong).toEqual([])
  })
})

test("what of a store's API needs a user opens to users of that store, and its media to that store's keys", async () => {
  const { here, credentials } = await everyCredential()
  const token = await makeKey()
  for (const { slug } of (await platform("GET", `/stores/${here}/apps`, { token })).body.data)
    await platform("POST", `/stores/${here}/apps/${slug}/enable`, { token })
  const closed = operationsOf("content").filter(({ schemes, id }) => schemes.length && id !== "accounts.logOut")
  expect(closed.length).toBeGreaterThan(55)
  // What only staff may do refuses a user of the store; the functions' own test tells them apart.
  const held = credentials.filter(({ kind, site }) => kind !== "user" || site !== here)
  await unchanged(async () => {
    const wrong = await present(
      closed.map(targetOf(hostOfStore(here))),
      held,
      ({ path }, way, { kind, site }) => {
        if (site !== here) return false
        if (path.startsWith("/api/v1/media/")) return way === "X-API-KEY" && kind === "site-key"
        return way === "Authorization" && kind === "staff"
      },
      ["Authorization", "X-API-KEY"],
    )
    expect(wrong).toEqual([])
  })
})

test("a store's API that is behind its key opens to that store's keys, whatever else is presented", async () => {
  const { here, credentials } = await everyCredential()
  await makeSettings(here, { keyRequired: true })
  const open = operationsOf("content").filter(
    ({ method, path }) => method === "GET" && /\/(posts|pages|tags|categories)/.test(path),
  )
  expect(open.length).toBe(8)
  const wrong = await present(
    open.map(targetOf(hostOfStore(here))),
    credentials,
    (_, way, { kind, site }) => way === "X-API-KEY" && kind === "site-key" && site === here,
  )
  expect(wrong).toEqual([])
})

test("a console page opens to a session that is whole, and a form to one of its own pages besides", async () => {
  const { credentials } = await everyCredential()
  const expired = await signIn()
  await env.DB.exec("update operator_sessions set last_seen_at = 1, created_at = 1")
  const half = await signIn()
  await env.DB.exec("update operator_sessions set awaits_code = 1 where created_at > 1")
  const outside = (await signIn()).cookie
  const sessions = [expired, half].map(({ cookie }) => decodeURIComponent(cookie.split("=")[1] ?? ""))
  const held: Credential[] = [
    NOBODY,
    ...credentials,
    ...sessions.map((value, at) => ({
      name: at ? "half a session" : "an old session",
      kind: "nothing" as const,
      value,
    })),
  ]
  const open = /^\/console\/(login|code|assets)/
  const routes = (await everyRoute()).filter(
    ({ surface, path }) => surface === "/console" && !open.test(path.replace("/login/code", "/login")),
  )
  expect(routes.length).toBeGreaterThan(100)
  const wrong: string[] = []
  await unchanged(async () => {
    for (const { method, path } of routes) {
      const at = fillPath(path)
      for (const { name, value } of method === "GET" ? held : held.slice(-3)) {
        const headers = { ...(value && WAYS.Cookie(value)), ...(value && WAYS.Authorization(value)) }
        const answer = method === "GET" ? await call("GET", at, { headers }) : await post(at, { a: "b" }, { headers })
        const isSentAway = answer.status === 303 && answer.headers.get("Location")?.startsWith("/console/login")
        if (!isSentAway) wrong.push(`${method} ${path} with ${name}: ${answer.status}`)
      }
      if (method === "GET") continue
      // A neighbour's page brings the browser's cookie along, but not the console's origin.
      const foreigners: Record<string, string>[] = [
        { "Sec-Fetch-Site": "same-site", Origin: "http://shop.localhost" },
        { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
        { "Sec-Fetch-Site": "none" },
      ]
      for (const foreign of foreigners) {
        const answer = await browser(outside).post(at, { a: "b" }, { headers: foreign })
        if (answer.status !== 403) wrong.push(`${method} ${path} from ${foreign["Sec-Fetch-Site"]}: ${answer.status}`)
      }
    }
  })
  expect(wrong).toEqual([])
})

test("an owner's pages open to staff of that store", async () => {
  const { here, credentials } = await everyCredential()
  const host = hostOfStore(here)
  const routes = (await everyRoute()).filter(
    ({ surface, path }) => surface === "/billing" && !path.endsWith("/sign-in") && !path.endsWith("/sign-out"),
  )
  expect(routes.length).toBe(8)
  const wrong: string[] = []
  await unchanged(async () => {
    for (const { method, path } of routes) {
      for (const { name, kind, site, value } of [NOBODY, ...credentials]) {
        if (kind === "staff" && site === here) continue
        const headers = { ...(value && WAYS.Cookie(value)), ...(value && WAYS.Authorization(value)) }
        const answer =
          method === "GET"
            ? await call("GET", fillPath(path), { host, headers })
            : await post(fillPath(path), { plan: "starter" }, { host, headers })
        const isSignIn = path === "/billing" && answer.text.includes('action="/billing/sign-in"')
        if (!isRefused(answer) && !isSignIn) wrong.push(`${method} ${path} with ${name}: ${answer.status}`)
      }
    }
  })
  expect(wrong).toEqual([])
})

test("a store that is closed, or not there yet, answers nobody but who has to pay for it", async () => {
  const plan = await makePlan()
  const suspended = await makeReadyStore({ plan: plan.slug })
  const staff = await makeUser(suspended, { isStaff: true })
  const [site, server] = [await makeSiteKey(suspended), await makeServerKey(suspended)]
  const token = await makeKey()
  await platform("POST", `/stores/${suspended}/suspend`, { token })
  const pending = await makeStore({ plan: plan.slug })
  const needed = new Set([
    "accounts.logIn",
    "accounts.logOut",
    "profile.get",
    "profile.update",
    "accounts.forgotPassword",
    "accounts.resetPassword",
    "profile.updatePassword",
  ])
  const wrong: string[] = []
  for (const store of [suspended, pending]) {
    for (const { id, method, path, example } of operationsOf("content")) {
      if (store === suspended && (needed.has(id) || id.startsWith("billing."))) continue
      for (const key of ["", site, server]) {
        const answer = await call(method, fillPath(path), {
          host: hostOfStore(store),
          token: staff.token,
          headers: { ...(key && { "X-API-KEY": key }) },
          ...(method !== "GET" && { json: example ?? {} }),
        })
        if (answer.status !== 503) wrong.push(`${store} ${method} ${path}: ${answer.status}`)
      }
    }
    // Where a store is suspended, the pages of mailed links lead those in who have to pay for it.
    const pages = store === pending ? ["/account/verify-email?email=a&token=b", "/account/forgot-password"] : []
    for (const path of ["/", "/products", "/blog", "/media/a.jpg", ...pages]) {
      const answer = await call("GET", path, { host: hostOfStore(store), token: staff.token })
      if (![402, 503].includes(answer.status)) wrong.push(`${store} GET ${path}: ${answer.status}`)
    }
  }
  expect(wrong).toEqual([])
})

test("a session or a token that ended is worth nothing at the very next request", async () => {
  const email = await makeOperator()
  const one = browser(cookieOf(await post("/console/login", { email, password: PASSWORD })))
  expect((await one.get("/console")).status).toBe(200)
  await one.post("/console/logout")
  expect((await one.get("/console")).status).toBe(303)

  const store = await makeReadyStore()
  const { token } = await makeUser(store)
  const me = () => call("GET", "/api/v1/me", { host: hostOfStore(store), token })
  expect((await me()).status).toBe(200)
  await call("GET", "/api/v1/logout", { host: hostOfStore(store), token })
  expect((await me()).status).toBe(401)
})
