// What every control-plane route refuses alike, read off the route table: no route can forget one.
import { describe, expect, test } from "vitest"
import type * as z from "zod"
import { routeTable } from "../../src/core/http/route"
import { platform as app } from "../../src/platform/app"
import { MESSAGES } from "../../src/platform/refusal-messages"
import { call } from "../support/app"
import { makeEndpoint, makeKey, makeStore } from "../support/factories"

const routes = routeTable(app)
const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
const unlimited = { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

/** A path with something in the place of its parameters. */
const filled = (path: string) => path.replace(/:[^/]+/g, "1")
/** The store and the endpoint that such a path means. */
const makeThem = async () => {
  await makeStore({ subdomain: "1" })
  expect((await makeEndpoint()).id).toBe(1)
}
const paths = [...new Set(routes.map((route) => route.path))]
const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
]

describe("every route", () => {
  test("refuses a caller without a key, with an unknown one, and from a store's host", async () => {
    for (const { method, path } of routes) {
      const url = filled(path)
      const unknown = { token: `tnk_aaaaaaaa_${"b".repeat(40)}`, env: unlimited }
      expect.soft(codeOf(await call(method, url, { env: unlimited })), url).toEqual([401, "unauthenticated"])
      expect.soft(codeOf(await call(method, url, unknown)), url).toEqual([401, "invalid_key"])
      expect
        .soft(codeOf(await call(method, url, { ...unknown, host: "acme.localhost" })), url)
        .toEqual([404, "not_found"])
    }
  })

  test("needs the scope of its verb", async () => {
    const [read, write] = [await makeKey({ scopes: ["read"] }), await makeKey({ scopes: ["write"] })]
    for (const { method, path } of routes) {
      const token = method === "GET" ? write : read
      const answer = await call(method, filled(path), { token, env: unlimited })
      expect.soft(codeOf(answer), `${method} ${path}`).toEqual([403, "insufficient_scope"])
    }
  })

  test("that takes a body refuses one it cannot read, of another media type, or that is no object", async () => {
    const token = await makeKey()
    await makeThem()
    const json = { "Content-Type": "application/json" }
    for (const { method, path } of routes.filter((route) => route.input.json)) {
      const send = (body: string, headers?: Record<string, string>) =>
        call(method, filled(path), { token, env: unlimited, body: new TextEncoder().encode(body), headers })
      const name = `${method} ${path}`
      expect.soft(codeOf(await send("{", json)), name).toEqual([400, "http_error"])
      expect.soft(codeOf(await send("{}", { "Content-Type": "text/xml" })), name).toEqual([415, "http_error"])
      expect.soft(codeOf(await send("[]", json)), name).toEqual([422, "validation_failed"])
      expect.soft(codeOf(await send("null", json)), name).toEqual([422, "validation_failed"])
    }
  })

  test("with page and per_page refuses what is out of their range instead of clamping it", async () => {
    const token = await makeKey()
    await makeThem()
    const bad = [
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
      for (const query of bad) {
        const answer = await call(method, `${filled(path)}?${query}`, { token, env: unlimited })
        expect.soft(codeOf(answer), `${path}?${query}`).toEqual([422, "validation_failed"])
        expect.soft(Object.keys(answer.body.errors)).toEqual([query.split("=")[0]])
      }
    }
  })

  test("about a store or an endpoint that is not there says so, whatever else is wrong", async () => {
    const token = await makeKey()
    const about = routes.filter(({ path }) => /\/(stores|webhooks)\/:id(\/|$)/.test(path))
    expect(about.length).toBeGreaterThan(20)
    for (const { method, path } of about) {
      const answer = await call(method, `${filled(path)}?per_page=0`, {
        token,
        env: unlimited,
        ...(method !== "GET" && { json: { url: 1 } }),
      })
      expect.soft(codeOf(answer), `${method} ${path}`).toEqual([404, "not_found"])
    }
  })

  test("names only codes that have words", () => {
    for (const { method, path, refuses = [] } of routes) {
      for (const code of refuses) expect.soft(code in MESSAGES, `${method} ${path}: ${code}`).toBe(true)
      expect.soft(new Set(refuses).size, `${method} ${path}`).toBe(refuses.length)
    }
  })
})

describe("every path", () => {
  test("answers OPTIONS and a wrong verb with the verbs that its routes accept", async () => {
    const token = await makeKey()
    for (const path of paths) {
      const accepted = routes.filter((route) => route.path === path).map((route) => route.method)
      const allow = [...accepted, ...(accepted.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort()
      const allowed = (headers: Headers) => headers.get("Allow")?.split(", ").sort()
      const options = await call("OPTIONS", filled(path), { token, env: unlimited })
      expect.soft([options.status, options.text, allowed(options.headers)], path).toEqual([204, "", allow])
      for (const verb of VERBS.filter((verb) => !accepted.includes(verb))) {
        const answer = await call(verb, filled(path), { token, env: unlimited })
        expect
          .soft([codeOf(answer), allowed(answer.headers)], `${verb} ${path}`)
          .toEqual([[405, "method_not_allowed"], allow])
      }
    }
  })
})
