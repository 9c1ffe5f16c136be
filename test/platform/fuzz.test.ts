// Fuzzes every control-plane route: refusals have the error envelope, no response is a 5xx, and refused requests change
// nothing.
import { env } from "cloudflare:workers"
import fc from "fast-check"
import { expect, test } from "vitest"
import type * as z from "zod"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { platform as app } from "../../src/platform/app"
import { call } from "../support/app"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "../support/factories"

const RUNS = 12

// biome-ignore format: a filled list is easier to read
const hostileText = fc.constantFrom(
  "..", "../..", "%2e%2e%2f", "%2f", "%00", "%", "%E0%A4%A", "1e3", "-1", "0", "9007199254740993", "1.5", "NaN", "null",
  "undefined", "__proto__", "constructor", "' or 1=1 --", '"', "*", "%25", "😀", "a".repeat(3000), " ", "\\", "١", "\u0000",
)

/** A path segment: an existing one, a hostile one, or any text. */
const segment = (validSegments: string[]) =>
  fc.oneof(
    fc.constantFrom(...validSegments),
    hostileText,
    fc.string({ unit: "grapheme", maxLength: 40 }).map(encodeURIComponent),
  )

const scalar = fc.oneof(
  hostileText,
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
)
const value = fc.oneof(
  { weight: 3, arbitrary: scalar },
  fc.array(scalar, { maxLength: 5 }),
  fc.jsonValue({ maxDepth: 4 }),
)

/** A body: the route's fields with arbitrary values, any JSON, or invalid JSON. */
function bodies(schema: z.ZodType | undefined): fc.Arbitrary<string> {
  const fields = Object.keys((schema as z.ZodObject | undefined)?.shape ?? { confirm: 1 })
  const shaped = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] })
  return fc.oneof(
    { weight: 4, arbitrary: shaped.map((body) => JSON.stringify(body)) },
    fc.json(),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom("", "{", "[]", "null", '"x"', "[".repeat(5000), '{"a":'.repeat(500), '{"__proto__":{"x":1}}'),
  )
}

/** A query: the route's parameters with arbitrary values, sometimes repeated. */
function queries(schema: z.ZodType | undefined): fc.Arbitrary<string> {
  const names = Object.keys((schema as z.ZodObject | undefined)?.shape ?? { page: 1 })
  const pair = fc.tuple(fc.constantFrom(...names, "other"), fc.oneof(hostileText, fc.string({ maxLength: 250 })))
  return fc.array(pair, { maxLength: 4 }).map((pairs) => {
    const query = pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join("&")
    return query && `?${query}`
  })
}

const TABLES = [
  "stores",
  "subscriptions",
  "domains",
  "audit_entries",
  "webhook_endpoints",
  "webhook_events",
  "webhook_deliveries",
]

/** Serializes everything that a refused request must not change. */
async function readState(): Promise<string> {
  const results = await env.DB.batch(TABLES.map((table) => env.DB.prepare(`select * from ${table}`)))
  return JSON.stringify(results.map((result) => result.results))
}

const routes = routeTable(app)

test("finds routes to fuzz", () => {
  expect(routes.length).toBeGreaterThan(15)
})

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  async (_, route: RouteInfo) => {
    const token = await makeKey()
    const plan = await makePlan()
    const store = await makeReadyStore({ plan: plan.slug })
    const endpoint = await makeEndpoint()
    const validSegments = [store, String(endpoint.id), plan.slug, "1", `${store}.localhost`]
    const segments = route.path.split("/").filter((part) => part.startsWith(":"))
    const arbitrary = fc.record({
      params: fc.tuple(...segments.map(() => segment(validSegments))),
      query: queries(route.input.query),
      body: bodies(route.input.json),
      type: fc.constantFrom("application/json", "application/json", "application/json", "text/plain", ""),
    })
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ params, query, body, type }) => {
        let next = 0
        const path = route.path.replace(/:[^/]+/g, () => params[next++] ?? "x")
        // Dot segments are resolved by the client and may lead to another surface.
        if (!new URL(path, "http://localhost").pathname.startsWith("/api/platform/v1/")) return
        const hasBody = route.method !== "GET"
        const before = await readState()
        const response = await call(route.method, path + query, {
          token,
          ...(hasBody &&
            body && { body: new TextEncoder().encode(body), headers: type ? { "Content-Type": type } : {} }),
          env: { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" },
        })
        expect(response.status, response.text).toBeLessThan(500)
        if (response.status < 400) return
        expect(response.body.error, response.text).toEqual(
          expect.objectContaining({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/./) }),
        )
        if (response.status === 422) expect(response.body.errors).toEqual(response.body.error.errors)
        expect(await readState()).toBe(before)
      }),
      { numRuns: RUNS, seed: 20_260_902 },
    )
  },
)
