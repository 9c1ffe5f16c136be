// Fuzzes the user routes of /api/v1 on a store's host: every response has the envelope, none is a 5xx, and routes that
// require a user return 401 without a token, whatever else is wrong.
import fc from "fast-check"
import { expect, test } from "vitest"
import type * as z from "zod"
import { loadContentRoutes } from "../../src/content/app"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { call } from "../support/app"
import { hostOfStore, makeToken, makeUser } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"

const RUNS = 30

// biome-ignore format: the list reads better in filled lines
const hostile = fc.constantFrom(
  "%00", "%", "%E0%A4%A", "1e3", "-1", "0", "9007199254740993", "1.5", "null", "__proto__", "' or 1=1 --", '"', "*", "😀",
  "a".repeat(3000), " ", "١", "\u0000", "true", "1", "2026-02-30", "a@example.com",
)

const scalar = fc.oneof(
  hostile,
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Generates a body: the route's fields with any values, any JSON, or invalid JSON. */
function arbitraryBody(schema: z.ZodType | undefined): fc.Arbitrary<string> {
  const fields = Object.keys((schema as z.ZodObject | undefined)?.shape ?? { avatar: 1 })
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] })
        .map((body) => JSON.stringify(body)),
    },
    fc.json(),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom("", "{", "[]", "null", "[".repeat(5000), '{"__proto__":{"x":1}}'),
  )
}

/** Generates a query: the route's parameters with any values, sometimes repeated. */
function arbitraryQuery(schema: z.ZodType | undefined): fc.Arbitrary<string> {
  const names = Object.keys((schema as z.ZodObject | undefined)?.shape ?? { page: 1 })
  const pair = fc.tuple(fc.constantFrom(...names, "other"), fc.oneof(hostile, fc.string({ maxLength: 250 })))
  return fc.array(pair, { maxLength: 4 }).map((pairs) => {
    const query = pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join("&")
    return query && `?${query}`
  })
}

/** Blog and media have their own suites; the apps are disabled at this store. */
const routes = routeTable(await loadContentRoutes()).filter(({ path }) =>
  /^\/api\/v1\/(register|login|logout|email|password|resend|me\b|update|settings|device|notif)/.test(path),
)

test("never returns 5xx for generated input to accounts, settings, devices and notifications", async () => {
  expect(routes.length).toBeGreaterThan(22)
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const user = await makeUser(store)
  for (const route of routes) await fuzzRoute(route, host, await makeToken(user))
}, 60_000)

async function fuzzRoute(route: RouteInfo, host: string, token: string): Promise<void> {
  const segments = route.path.split("/").filter((part) => part.startsWith(":"))
  const arbitrary = fc.record({
    params: fc.tuple(...segments.map(() => fc.oneof(fc.constantFrom("1", "2"), hostile.map(encodeURIComponent)))),
    query: arbitraryQuery(route.input.query),
    body: arbitraryBody(route.input.json),
    type: fc.constantFrom("application/json", "application/json", "multipart/form-data; boundary=x", "text/plain", ""),
    address: fc.ipV4(),
    bearer: fc.constantFrom(token, token, token, undefined),
  })
  const isOpen =
    !route.refuses?.includes("unauthenticated") || `${route.method} ${route.path}` === "POST /api/v1/device-tokens"
  await fc.assert(
    fc.asyncProperty(arbitrary, async ({ params, query, body, type, address, bearer }) => {
      let next = 0
      const path = route.path.replace(/:[^/]+/g, () => params[next++] ?? "x")
      const response = await call(route.method, path + query, {
        host,
        token: bearer,
        headers: { "CF-Connecting-IP": address, ...(type && { "Content-Type": type }) },
        ...(route.method !== "GET" && body && { body: new TextEncoder().encode(body) }),
      })
      const context = `${route.method} ${path}: ${response.text}`
      expect(response.status, context).toBeLessThan(500)
      if (!isOpen && !bearer) expect(response.status, context).toBe(401)
      if (response.status < 400) return
      expect(response.body.message, context).toMatch(/./)
      if (response.status === 422 && response.body.errors) expect(response.body.error).toBeUndefined()
      else expect(response.body, context).toMatchObject({ error: true, data: null })
    }),
    { numRuns: RUNS, seed: 20_261_120 },
  )
}
