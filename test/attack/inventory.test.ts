// API9, improper inventory: every route of the app is in one of the documents, or on this list with a reason; what is in no list does
// not exist. The other attacks take their routes from the app and from the documents, so that a new one is attacked the day it is added.
import { expect, test } from "vitest"
import { call } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { operationsOf } from "../support/operations"
import { everyRoute, fillPath } from "../support/surfaces"

/** Surfaces without a document, and why. */
const PAGES: Record<string, string> = {
  "/api/operator/v1": "commands, which `GET /api/operator/v1` tells to who has the token",
  "/console": "pages",
  "/billing": "pages",
  "/account": "pages that mailed links lead to",
  "/media": "files",
  "/docs": "the documents themselves",
  "/signup": "pages",
  "": "a store's pages",
}

/** Routes alone without a document, and why. */
const ALONE: Record<string, string> = {
  "POST /webhooks/stripe": "the card provider's messages, whose document is the provider's",
  "GET /api/health-check": "for whoever watches the platform; docs/deployment.md tells it",
}

const APIS = ["platform", "content", "license"] as const
const operations = APIS.flatMap(operationsOf)
const named = ({ method, path }: { method: string; path: string }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`

test("every route is in a document or on the list, and everything on the list is there", async () => {
  const routes = await everyRoute()
  const documented = new Set(operations.map(named))
  const unknown = routes.filter(
    (route) => !documented.has(named(route)) && !(named(route) in ALONE) && !(route.surface in PAGES),
  )
  expect(unknown).toEqual([])
  const there = new Set(routes.map(named))
  expect([...documented, ...Object.keys(ALONE)].filter((name) => !there.has(name))).toEqual([])
  const surfaces = new Set(routes.map(({ surface }) => surface))
  expect(Object.keys(PAGES).filter((surface) => !surfaces.has(surface))).toEqual([])
  expect(routes.length).toBeGreaterThan(300)
})

test("what the platform's own surfaces have is on no store's host", async () => {
  const store = await makeReadyStore()
  const token = await makeKey()
  const found: string[] = []
  const ours = ["/api/platform/v1", "/webhooks", "/api/operator/v1", "/api", "/console", "/signup", "/sign-in"]
  for (const { surface, method, path } of await everyRoute()) {
    if (!ours.includes(surface) || path === "/") continue
    const answer = await call(method, fillPath(path), { host: hostOfStore(store), token })
    if (![404, 405].includes(answer.status)) found.push(`${method} ${path}: ${answer.status}`)
  }
  expect(found).toEqual([])
})

test("nobody answers for a host that is no store's, nor for one that only looks like the central one", async () => {
  const hosts = ["nobody.localhost", "localhost.evil.example", "evil.example", "127.0.0.1", "xn--lcalhost-54a"]
  const found: string[] = []
  for (const host of hosts) {
    for (const { method, path } of await everyRoute()) {
      if (
        path.startsWith("/docs") ||
        path.startsWith("/openapi") ||
        path === "/llms.txt" ||
        path === "/api/health-check"
      )
        continue
      const answer = await call(method, fillPath(path), { host })
      if (answer.status !== 404 && answer.status !== 405) found.push(`${host} ${method} ${path}: ${answer.status}`)
    }
  }
  expect(found).toEqual([])
})

test("other versions, other spellings and what programs leave lying about do not exist", async () => {
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
  const found: string[] = []
  for (const path of paths) {
    for (const host of ["localhost", hostOfStore(store)]) {
      const { status } = await call("GET", path, { host, token })
      if (status !== 404 && status !== 401) found.push(`${host}${path}: ${status}`)
    }
  }
  expect(found).toEqual([])
})
