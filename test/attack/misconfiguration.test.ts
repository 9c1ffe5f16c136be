// OWASP API8, security misconfiguration: security headers of every route, cookies, and error responses without
// internals.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { getCookie, makeOperator, PASSWORD, postForm, signIn } from "../console/support"
import { call, type TestResponse } from "../support/app"
import { makeUser } from "../support/content-factories"
import { CREDENTIAL_HEADERS, disableRateLimits } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { takeDown } from "../support/faults"
import { makeFullStore } from "../support/full-store"
import { makeMediaClient, upload } from "../support/media-factories"
import { fillPath, listRoutes } from "../support/surfaces"

const STORE_SURFACES = ["/api/v1", "/admin", "/billing", "/account", "/media", ""]

/** Internal details that no response may contain. */
const INTERNAL_DETAILS =
  /D1_ERROR|SQLITE|no such (table|column)|node_modules|Failed query|\bat \w[^<>"]*\(?[\w./-]+\.[jt]sx?:\d+|workerd/

function findProblems({ status, headers, text }: TestResponse, request: Record<string, string>): string[] {
  const problems: string[] = []
  const get = (name: string) => headers.get(name) ?? ""
  if (get("X-Content-Type-Options") !== "nosniff") problems.push("allows MIME sniffing")
  for (const name of ["Server", "X-Powered-By", "X-AspNet-Version"])
    if (headers.has(name)) problems.push(`sends ${name}`)
  if (headers.has("Access-Control-Allow-Credentials")) problems.push("allows credentialed cross-origin requests")
  if (get("Access-Control-Allow-Origin").includes("evil")) problems.push("reflects any origin")
  if (!headers.has("Cache-Control")) problems.push("has no Cache-Control")
  const isPersonal = ["Authorization", "Cookie", "X-API-KEY"].some((name) => request[name])
  if (
    isPersonal &&
    /\bpublic\b/.test(get("Cache-Control")) &&
    !/X-API-KEY|Authorization/i.test(get("Vary")) &&
    /api/.test(request.path ?? "")
  )
    problems.push("lets shared caches store a response to a credential")
  const policy = get("Content-Security-Policy")
  if (get("Content-Type").startsWith("text/html") && status !== 304) {
    if (!policy.includes("default-src 'none'") && !policy.includes("default-src 'self'"))
      problems.push(`has no default-src policy: ${policy}`)
    if (/script-src[^;]*'unsafe-(inline|eval)'/.test(policy)) problems.push("allows inline scripts")
    if (!/frame-ancestors 'none'|frame-ancestors 'self'/.test(policy)) problems.push("may be framed by any site")
    if (!/base-uri/.test(policy)) problems.push("has no base-uri policy")
  }
  if (INTERNAL_DETAILS.test(text)) problems.push(`exposes internal details: ${INTERNAL_DETAILS.exec(text)?.[0]}`)
  return problems
}

test("every response of every route has the security headers", async () => {
  const { id, host, staff, key } = await makeFullStore("a", "b")
  const token = await makeKey()
  const admin = await signIn()
  disableRateLimits()
  const failures: string[] = []
  for (const { surface, method, path } of await listRoutes()) {
    if (/stream/.test(path) || path.endsWith("/logout")) continue
    const pattern = path.replace(/\/(stores|sites)\/:\w+/, `/$1/${id}`)
    const credentials: Record<string, string> =
      surface === "/console"
        ? { Cookie: admin.cookie }
        : { ...CREDENTIAL_HEADERS.Authorization(surface === "/api/v1" ? staff.token : token), "X-API-KEY": key }
    for (const credential of [{}, credentials]) {
      const headers: Record<string, string> = { ...credential, Origin: "https://evil.example" }
      const response = await call(method, fillPath(pattern), {
        host: STORE_SURFACES.includes(surface) ? host : "localhost",
        headers,
        ...(method !== "GET" && { json: {} }),
      })
      failures.push(
        ...findProblems(response, { ...headers, path }).map(
          (fault) => `${method} ${path} ${response.status}: ${fault}`,
        ),
      )
    }
  }
  expect([...new Set(failures)]).toEqual([])
}, 120_000)

test("CORS preflight requests of other origins are refused on every route outside the content API", async () => {
  const store = await makeReadyStore()
  const failures: string[] = []
  for (const { surface, method, path } of await listRoutes()) {
    // It needs no cookies; test/content/cors.test.ts tests its origins.
    if (surface === "/api/v1") continue
    // Public documents; test/docs/documents.test.ts tests them.
    if (path.startsWith("/openapi/")) continue
    const { headers } = await call("OPTIONS", fillPath(path), {
      host: STORE_SURFACES.includes(surface) ? `${store}.localhost` : "localhost",
      headers: {
        Origin: "https://evil.example",
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization",
      },
    })
    for (const name of headers.keys())
      if (name.startsWith("access-control-")) failures.push(`${path} ${name}: ${headers.get(name)}`)
  }
  expect(failures).toEqual([])
})

test("error responses contain no internal details on every surface", async () => {
  const { host, staff } = await makeFullStore("a", "b")
  const token = await makeKey()
  const { token: user } = await makeUser()
  disableRateLimits()
  const routes = await listRoutes()
  const outage = takeDown(env.DB, env.SITES_1)
  const failures: string[] = []
  let errors = 0
  for (const { surface, method, path } of routes) {
    const credential =
      surface === "/api/v1" ? staff.token : surface === "/api/operator/v1" ? String(env.OPERATOR_TOKEN) : token
    const response = await call(method, fillPath(path), {
      host: STORE_SURFACES.includes(surface) ? host : "localhost",
      token: credential,
      headers: {
        Cookie: `console=${user}; tenancy_billing=${user}`,
        "Sec-Fetch-Site": "same-origin",
        ...(method !== "GET" && { "Content-Type": "application/x-www-form-urlencoded" }),
      },
      ...(method !== "GET" && { body: "a=b" }),
    })
    if (response.status >= 500) errors += 1
    if (INTERNAL_DETAILS.test(response.text)) failures.push(`${method} ${path}: ${response.text.slice(0, 200)}`)
  }
  outage.restore()
  expect(failures).toEqual([])
  expect(errors).toBeGreaterThan(100)
}, 120_000)

test("session cookies are HttpOnly, SameSite and without a Domain", async () => {
  const email = await makeOperator()
  const { host, staff } = await makeFullStore("a", "b")
  const responses = [
    await postForm("/console/login", { email, password: PASSWORD }),
    await postForm(
      "/billing/sign-in",
      { email: staff.email, password: "secret-pass" },
      { host, headers: { Origin: `http://${host}` } },
    ),
  ]
  for (const response of responses) {
    expect(getCookie(response)).toMatch(/=.{20}/)
    expect(response.headers.get("Set-Cookie")).toMatch(/;\s*HttpOnly/i)
    expect(response.headers.get("Set-Cookie")).toMatch(/;\s*SameSite=(Lax|Strict)/i)
    expect(response.headers.get("Set-Cookie")).not.toMatch(/;\s*Domain=/i)
  }
})

const SCRIPT = "<script>alert(document.cookie)</script>"

/** Files that a browser might execute. */
const EXECUTABLE_FILES = {
  "a.js": "alert(document.cookie)",
  "a.mjs": "export default alert(document.cookie)",
  "a.html": `<!doctype html><html><body>${SCRIPT}</body></html>`,
  "a.xhtml": `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${SCRIPT}</html>`,
  "a.svg": `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`,
  "a.wasm": "\0asm\u0001\0\0\0",
}

// Any script on the central host could use the console's cookie.
test("only the platform's own pages may run scripts on the central host, and uploads are never executable", async () => {
  const admin = await signIn()
  disableRateLimits()
  const media = await makeMediaClient()
  const served: string[] = []
  for (const [name, text] of Object.entries(EXECUTABLE_FILES)) {
    const { status, body } = await upload(media, name, text)
    if (status === 201) served.push(new URL(body.url).pathname)
  }
  expect(served.length).toBeGreaterThan(3)
  const routes = await listRoutes()
  const pages = routes.filter(({ surface, method }) => method === "GET" && !/^\/console/.test(surface))
  const failures: string[] = []
  let documents = 0
  for (const path of [...pages.map(({ path }) => fillPath(path)), ...served, "/", "/nothing", "/posts/nothing"]) {
    if (/stream|^\/docs/.test(path)) continue
    const { headers } = await call("GET", path, {
      host: "localhost",
      headers: { Cookie: admin.cookie, Accept: "text/html" },
    })
    const type = headers.get("Content-Type") ?? ""
    const policy = headers.get("Content-Security-Policy") ?? ""
    if (/javascript|ecmascript|wasm/.test(type)) failures.push(`${path} is a script: ${type}`)
    if (served.includes(path) && !policy.endsWith("sandbox")) failures.push(`${path} has the host's origin`)
    if (!/html|xml|svg/.test(type)) continue
    documents += 1
    const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? ""
    if (!policy.startsWith("default-src 'none'")) failures.push(`${path} has the policy ${policy}`)
    if (!/^('sha256-[\w+/=]+')?$/.test(scripts)) failures.push(`${path} runs ${scripts}`)
  }
  expect(failures).toEqual([])
  expect(documents).toBeGreaterThan(6)
})
