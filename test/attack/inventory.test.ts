// OWASP API9, improper inventory management: every route is in an OpenAPI document or listed here with a reason, and
// other paths do not exist. The other attack tests take their routes from the app, so they cover new routes.
import { expect, test } from "vitest"
import { call } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { listOperations } from "../support/operations"
import { fillPath, listRoutes } from "../support/surfaces"

/** Surfaces without an OpenAPI document, and the reason. */
const UNDOCUMENTED_SURFACES: Record<string, string> = {
  "/api/operator/v1": "commands, listed by `GET /api/operator/v1` for holders of the token",
  "/console": "pages",
  "/admin": "pages",
  "/billing": "pages",
  "/account": "pages for mailed links",
  "/media": "files",
  "/mcp": "the protocol's tools/list describes the operations",
  "/api/downloads": "files by signed URLs, which `updates.wordpress` returns",
  "/docs": "the OpenAPI documents themselves",
  "/signup": "pages",
  "": "a store's pages",
}

/** Single routes without an OpenAPI document, and the reason. */
const UNDOCUMENTED_ROUTES: Record<string, string> = {
  "POST /webhooks/stripe": "messages of the card provider, documented by the provider",
  "GET /api/health-check": "for monitoring, documented in docs/operations/deployment.md",
}

const APIS = ["platform", "content", "license"] as const
const operations = APIS.flatMap(listOperations)
const getRouteName = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replace(/:(\w+)/g, "{$1}")}`

test("every route is documented or listed, and every listed route exists", async ({ task }) => {
  const routes = await listRoutes()
  task.meta.routes = routes
  const documented = new Set(operations.map(getRouteName))
  const unknown = routes.filter(
    (route) =>
      !documented.has(getRouteName(route)) &&
      !(getRouteName(route) in UNDOCUMENTED_ROUTES) &&
      !(route.surface in UNDOCUMENTED_SURFACES),
  )
  expect(unknown).toEqual([])
  const existing = new Set(routes.map(getRouteName))
  expect([...documented, ...Object.keys(UNDOCUMENTED_ROUTES)].filter((name) => !existing.has(name))).toEqual([])
  const surfaces = new Set(routes.map(({ surface }) => surface))
  expect(Object.keys(UNDOCUMENTED_SURFACES).filter((surface) => !surfaces.has(surface))).toEqual([])
  expect(routes.length).toBeGreaterThan(300)
})

/** Paths that both the platform and every store have. */
const SHARED_PATHS = ["/", "/robots.txt", "/sitemap.xml"]

test("the platform's own surfaces do not exist on a store's host", async () => {
  const store = await makeReadyStore()
  const token = await makeKey()
  const failures: string[] = []
  const platformSurfaces = [
    "/api/platform/v1",
    "/webhooks",
    "/api/operator/v1",
    "/api",
    "/api/downloads",
    "/mcp",
    "/console",
    "/signup",
    "/sign-in",
  ]
  for (const { surface, method, path } of await listRoutes()) {
    if (!platformSurfaces.includes(surface) || SHARED_PATHS.includes(path)) continue
    const { status } = await call(method, fillPath(path), { host: hostOfStore(store), token })
    if (![404, 405].includes(status)) failures.push(`${method} ${path}: ${status}`)
  }
  expect(failures).toEqual([])
})

test("unknown hosts and hosts that resemble the central one return 404", async () => {
  const hosts = ["unknown.localhost", "localhost.evil.example", "evil.example", "127.0.0.1", "xn--lcalhost-54a"]
  const failures: string[] = []
  for (const host of hosts) {
    for (const { method, path } of await listRoutes()) {
      if (
        path.startsWith("/docs") ||
        path.startsWith("/openapi") ||
        path === "/llms.txt" ||
        path === "/api/health-check"
      )
        continue
      const { status } = await call(method, fillPath(path), { host })
      if (status !== 404 && status !== 405) failures.push(`${host} ${method} ${path}: ${status}`)
    }
  }
  expect(failures).toEqual([])
})

test("other API versions, other spellings and common leftover files do not exist", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const paths = [
    "/api/platform/v2/stores",
    "/api/platform/v1/../v1/stores/",
    "/api/platform/stores",
    "/api/v2/posts",
    "/api/v1/admin",
    "/API/V1/posts",
    "/api/operator/v2",
    "/api/operator/v1/",
    "/api/internal",
    "/.env",
    "/.dev.vars",
    "/.git/config",
    "/wrangler.toml",
    "/migrations/central/0001.sql",
    "/openapi/operator.json",
    "/openapi/..%2fwrangler.toml",
    "/docs/..%2f..%2fREADME.md",
    "/docs/assets/__proto__",
    "/docs/constructor",
    "/debug",
    "/metrics",
    "/__scheduled",
    "/swagger.json",
    "/graphql",
  ]
  const failures: string[] = []
  for (const path of paths) {
    for (const host of ["localhost", hostOfStore(store)]) {
      const { status } = await call("GET", path, { host, token })
      if (status !== 404 && status !== 401) failures.push(`${host}${path}: ${status}`)
    }
  }
  expect(failures).toEqual([])
})
