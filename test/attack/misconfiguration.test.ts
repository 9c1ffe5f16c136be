// API8, security misconfiguration: what every answer of every route carries, whoever asks; what it never carries; and what a fault tells.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { cookieOf, makeOperator, PASSWORD, post, signIn } from "../console/support"
import { type Answer, call } from "../support/app"
import { makeUser } from "../support/content-factories"
import { WAYS, withoutBudgets } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { takeDown } from "../support/faults"
import { mediaOf, upload } from "../support/media-factories"
import { everyRoute, fillPath } from "../support/surfaces"
import { makeFullStore } from "../support/world"

const STORES = ["/api/v1", "/billing", "/account", "/media", ""]

/** What nobody outside has to know. */
const INSIDES =
  /D1_ERROR|SQLITE|no such (table|column)|node_modules|Failed query|\bat \w[^<>"]*\(?[\w./-]+\.[jt]sx?:\d+|workerd/

function faultsOf({ status, headers, text }: Answer, asked: Record<string, string>): string[] {
  const faults: string[] = []
  const has = (name: string) => headers.get(name) ?? ""
  if (has("X-Content-Type-Options") !== "nosniff") faults.push("lets a browser guess its type")
  for (const name of ["Server", "X-Powered-By", "X-AspNet-Version"]) if (headers.has(name)) faults.push(`tells ${name}`)
  if (headers.has("Access-Control-Allow-Credentials")) faults.push("lets pages of others ask with the user's cookies")
  if (has("Access-Control-Allow-Origin").includes("evil")) faults.push("takes any origin for its own")
  if (!headers.has("Cache-Control")) faults.push("says nothing of caches")
  const isPersonal = ["Authorization", "Cookie", "X-API-KEY"].some((name) => asked[name])
  if (
    isPersonal &&
    /\bpublic\b/.test(has("Cache-Control")) &&
    !/X-API-KEY|Authorization/i.test(has("Vary")) &&
    /api/.test(asked.path ?? "")
  )
    faults.push("lets a shared cache keep what was asked with a credential")
  const policy = has("Content-Security-Policy")
  if (has("Content-Type").startsWith("text/html") && status !== 304) {
    if (!policy.includes("default-src 'none'") && !policy.includes("default-src 'self'"))
      faults.push(`has no policy of its own: ${policy}`)
    if (/script-src[^;]*'unsafe-(inline|eval)'/.test(policy)) faults.push("lets any script run")
    if (!/frame-ancestors 'none'|frame-ancestors 'self'/.test(policy)) faults.push("may be framed by anybody")
    if (!/base-uri/.test(policy)) faults.push("may be rebased")
  }
  if (INSIDES.test(text)) faults.push(`tells of its insides: ${INSIDES.exec(text)?.[0]}`)
  return faults
}

test("every answer of every route says how it may be used", async () => {
  const { id, host, staff, key } = await makeFullStore("a", "b")
  const token = await makeKey()
  const admin = await signIn()
  withoutBudgets()
  const wrong: string[] = []
  for (const { surface, method, path } of await everyRoute()) {
    if (/stream/.test(path) || path.endsWith("/logout")) continue
    const at = path.replace(/\/(stores|sites)\/:\w+/, `/$1/${id}`)
    const mine: Record<string, string> =
      surface === "/console"
        ? { Cookie: admin.cookie }
        : { ...WAYS.Authorization(surface === "/api/v1" ? staff.token : token), "X-API-KEY": key }
    for (const credential of [{}, mine]) {
      const headers: Record<string, string> = { ...credential, Origin: "https://evil.example" }
      const answer = await call(method, fillPath(at), {
        host: STORES.includes(surface) ? host : "localhost",
        headers,
        ...(method !== "GET" && { json: {} }),
      })
      wrong.push(
        ...faultsOf(answer, { ...headers, path }).map((fault) => `${method} ${path} ${answer.status}: ${fault}`),
      )
    }
  }
  expect([...new Set(wrong)]).toEqual([])
}, 120_000)

test("a browser that asks beforehand for another origin is allowed nothing", async () => {
  const store = await makeReadyStore()
  const wrong: string[] = []
  for (const { surface, method, path } of await everyRoute()) {
    const { headers } = await call("OPTIONS", fillPath(path), {
      host: STORES.includes(surface) ? `${store}.localhost` : "localhost",
      headers: {
        Origin: "https://evil.example",
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization",
      },
    })
    for (const name of headers.keys())
      if (name.startsWith("access-control-")) wrong.push(`${path} ${name}: ${headers.get(name)}`)
  }
  expect(wrong).toEqual([])
})

test("a fault tells nothing but that it is one, on every surface", async () => {
  const { host, staff } = await makeFullStore("a", "b")
  const token = await makeKey()
  const { token: user } = await makeUser()
  withoutBudgets()
  const routes = await everyRoute()
  const { bringBack } = takeDown(env.DB, env.SITES_1)
  const wrong: string[] = []
  let faults = 0
  for (const { surface, method, path } of routes) {
    const credential =
      surface === "/api/v1" ? staff.token : surface === "/api/operator/v1" ? String(env.OPERATOR_TOKEN) : token
    const answer = await call(method, fillPath(path), {
      host: STORES.includes(surface) ? host : "localhost",
      token: credential,
      headers: {
        Cookie: `console=${user}; tenancy_billing=${user}`,
        "Sec-Fetch-Site": "same-origin",
        ...(method !== "GET" && { "Content-Type": "application/x-www-form-urlencoded" }),
      },
      ...(method !== "GET" && { body: "a=b" }),
    })
    if (answer.status >= 500) faults += 1
    if (INSIDES.test(answer.text)) wrong.push(`${method} ${path}: ${answer.text.slice(0, 200)}`)
  }
  bringBack()
  expect(wrong).toEqual([])
  expect(faults).toBeGreaterThan(100)
}, 120_000)

test("every cookie is out of a script's reach, and bound to where it is for", async () => {
  const email = await makeOperator()
  const { host, staff } = await makeFullStore("a", "b")
  const given = [
    await post("/console/login", { email, password: PASSWORD }),
    await post(
      "/billing/sign-in",
      { email: staff.email, password: "secret-pass" },
      { host, headers: { Origin: `http://${host}` } },
    ),
  ]
  for (const answer of given) {
    expect(cookieOf(answer)).toMatch(/=.{20}/)
    expect(answer.headers.get("Set-Cookie")).toMatch(/;\s*HttpOnly/i)
    expect(answer.headers.get("Set-Cookie")).toMatch(/;\s*SameSite=(Lax|Strict)/i)
    expect(answer.headers.get("Set-Cookie")).not.toMatch(/;\s*Domain=/i)
  }
})

const SCRIPT = "<script>alert(document.cookie)</script>"

/** Files that a browser would run if it were told to, or left to guess. */
const RUNNABLE = {
  "a.js": "alert(document.cookie)",
  "a.mjs": "export default alert(document.cookie)",
  "a.html": `<!doctype html><html><body>${SCRIPT}</body></html>`,
  "a.xhtml": `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${SCRIPT}</html>`,
  "a.svg": `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`,
  "a.wasm": "\0asm\u0001\0\0\0",
}

// The console's cookie is the central host's: whatever runs there could use it.
test("on the central host nothing but the console, the reference and the platform's own pages may run script, and no upload is one", async () => {
  const admin = await signIn()
  withoutBudgets()
  const media = await mediaOf()
  const served: string[] = []
  for (const [name, text] of Object.entries(RUNNABLE)) {
    const { status, body } = await upload(media, name, text)
    if (status === 201) served.push(new URL(body.url).pathname)
  }
  expect(served.length).toBeGreaterThan(3)
  const routes = await everyRoute()
  const pages = routes.filter(({ surface, method }) => method === "GET" && !/^\/console/.test(surface))
  const wrong: string[] = []
  let seen = 0
  for (const path of [...pages.map(({ path }) => fillPath(path)), ...served, "/", "/nothing", "/posts/nothing"]) {
    if (/stream|^\/docs/.test(path)) continue
    const { headers } = await call("GET", path, {
      host: "localhost",
      headers: { Cookie: admin.cookie, Accept: "text/html" },
    })
    const type = headers.get("Content-Type") ?? ""
    const policy = headers.get("Content-Security-Policy") ?? ""
    if (/javascript|ecmascript|wasm/.test(type)) wrong.push(`${path} is a script: ${type}`)
    if (served.includes(path) && !policy.endsWith("sandbox")) wrong.push(`${path} has the host's origin`)
    if (!/html|xml|svg/.test(type)) continue
    seen += 1
    const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? ""
    if (!policy.startsWith("default-src 'none'")) wrong.push(`${path} has the policy ${policy}`)
    if (!/^('sha256-[\w+/=]+')?$/.test(scripts)) wrong.push(`${path} runs ${scripts}`)
  }
  expect(wrong).toEqual([])
  expect(seen).toBeGreaterThan(6)
})
