// The refusals common to all control-plane routes. The routes come from the route table, so new ones are covered.
import { describe, expect, test } from "vitest"
import type * as z from "zod"
import { routeTable } from "../../src/core/http/route"
import { platform as app } from "../../src/platform/app"
import { MESSAGES } from "../../src/platform/refusal-messages"
import { call } from "../support/app"
import { makeEndpoint, makeKey, makeStore } from "../support/factories"

const routes = routeTable(app)
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
const UNLIMITED = { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

/** Returns the path with "1" in place of its parameters. */
const fillPath = (path: string) => path.replace(/:[^/]+/g, "1")
/** Creates the store and the endpoint with id 1. */
const makeResources = async () => {
  await makeStore({ subdomain: "1" })
  expect((await makeEndpoint()).id).toBe(1)
}
const paths = [...new Set(routes.map((route) => route.path))]
const codeOf = (response: { status: number; body: { error?: { code: string } } }) => [
  response.status,
  response.body.error?.code,
]

describe("every route", () => {
  test("refuses every route without a key, with an unknown key, and on a store's host", async () => {
    for (const { method, path } of routes) {
      const url = fillPath(path)
      const unknown = { token: `tnk_aaaaaaaa_${"b".repeat(40)}`, env: UNLIMITED }
      expect.soft(codeOf(await call(method, url, { env: UNLIMITED })), url).toEqual([401, "unauthenticated"])
      expect.soft(codeOf(await call(method, url, unknown)), url).toEqual([401, "invalid_key"])
      expect
        .soft(codeOf(await call(method, url, { ...unknown, host: "acme.localhost" })), url)
        .toEqual([404, "not_found"])
    }
  })

  test("requires the read scope for every GET route, and the write scope for all others", async () => {
    const [read, write] = [await makeKey({ scopes: ["read"] }), await makeKey({ scopes: ["write"] })]
    for (const { method, path } of routes) {
      const token = method === "GET" ? write : read
      const response = await call(method, fillPath(path), { token, env: UNLIMITED })
      expect.soft(codeOf(response), `${method} ${path}`).toEqual([403, "insufficient_scope"])
    }
  })

  test("refuses unreadable bodies, other media types and non-objects on every route with a body", async () => {
    const token = await makeKey()
    await makeResources()
    const json = { "Content-Type": "application/json" }
    for (const { method, path } of routes.filter((route) => route.input.json)) {
      const send = (body: string, headers?: Record<string, string>) =>
        call(method, fillPath(path), { token, env: UNLIMITED, body: new TextEncoder().encode(body), headers })
      const name = `${method} ${path}`
      expect.soft(codeOf(await send("{", json)), name).toEqual([400, "http_error"])
      expect.soft(codeOf(await send("{}", { "Content-Type": "text/xml" })), name).toEqual([415, "http_error"])
      expect.soft(codeOf(await send("[]", json)), name).toEqual([422, "validation_failed"])
      expect.soft(codeOf(await send("null", json)), name).toEqual([422, "validation_failed"])
    }
  })

  test("refuses out-of-range page and per_page values on every paginated route instead of clamping them", async () => {
    const token = await makeKey()
    await makeResources()
    const invalid = [
      "page=0",
      "page=-1",
      "page=abc",
      "page=1.5",
      "per_page=0",
      "per_page=101",
      "per_page=abc",
      "page=1&page=2",
    ]
    const paged = routes.filter(({ input }) => "per_page" in ((input.query as z.ZodObject | undefined)?.shape ?? {}))
    expect(paged.length).toBeGreaterThan(2)
    for (const { method, path } of paged) {
      for (const query of invalid) {
        const response = await call(method, `${fillPath(path)}?${query}`, { token, env: UNLIMITED })
        expect.soft(codeOf(response), `${path}?${query}`).toEqual([422, "validation_failed"])
        expect.soft(Object.keys(response.body.errors)).toEqual([query.split("=")[0]])
      }
    }
  })

  test("returns 404 for a missing store or endpoint on every route, before any other validation", async () => {
    const token = await makeKey()
    const about = routes.filter(({ path }) => /\/(stores|webhooks)\/:id(\/|$)/.test(path))
    expect(about.length).toBeGreaterThan(20)
    for (const { method, path } of about) {
      const response = await call(method, `${fillPath(path)}?per_page=0`, {
        token,
        env: UNLIMITED,
        ...(method !== "GET" && { json: { url: 1 } }),
      })
      expect.soft(codeOf(response), `${method} ${path}`).toEqual([404, "not_found"])
    }
  })

  test("declares only error codes that have a message, each once", () => {
    for (const { method, path, refuses = [] } of routes) {
      for (const code of refuses) expect.soft(code in MESSAGES, `${method} ${path}: ${code}`).toBe(true)
      expect.soft(new Set(refuses).size, `${method} ${path}`).toBe(refuses.length)
    }
  })
})

describe("every path", () => {
  test("lists the allowed methods for OPTIONS and for a wrong method on every path", async () => {
    const token = await makeKey()
    for (const path of paths) {
      const methods = routes.filter((route) => route.path === path).map((route) => route.method)
      const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort()
      const allowed = (headers: Headers) => headers.get("Allow")?.split(", ").sort()
      const options = await call("OPTIONS", fillPath(path), { token, env: UNLIMITED })
      expect.soft([options.status, options.text, allowed(options.headers)], path).toEqual([204, "", allow])
      for (const method of METHODS.filter((method) => !methods.includes(method))) {
        const response = await call(method, fillPath(path), { token, env: UNLIMITED })
        expect
          .soft([codeOf(response), allowed(response.headers)], `${method} ${path}`)
          .toEqual([[405, "method_not_allowed"], allow])
      }
    }
  })
})
