// Generated input at the users' routes of /api/v1, at a store's own host: whatever comes is answered in an envelope, and never as a
// fault of ours; without a bearer a user's route says nothing else than that.
import fc from "fast-check"
import { expect, test } from "vitest"
import type * as z from "zod"
import { contentRoutes } from "../../src/content/app"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { call } from "../support/app"
import { hostOfStore, makeToken, makeUser } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"

const RUNS = 30

// biome-ignore format: a list of texts reads better filled
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

/** A body: the fields that the route knows with any values, any JSON, or no JSON at all. */
function bodies(schema: z.ZodType | undefined): fc.Arbitrary<string> {
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

/** A query: the parameters that the route knows with any values, sometimes twice. */
function queries(schema: z.ZodType | undefined): fc.Arbitrary<string> {
  const names = Object.keys((schema as z.ZodObject | undefined)?.shape ?? { page: 1 })
  const pair = fc.tuple(fc.constantFrom(...names, "other"), fc.oneof(hostile, fc.string({ maxLength: 250 })))
  return fc.array(pair, { maxLength: 4 }).map((pairs) => {
    const query = pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join("&")
    return query && `?${query}`
  })
}

/** Blog and media have suites of their own; the apps are off at this store. */
const routes = routeTable(await contentRoutes()).filter(({ path }) =>
  /^\/api\/v1\/(register|login|logout|email|password|resend|me\b|update|settings|device|notif)/.test(path),
)

test("whatever is thrown at accounts, settings, devices and notifications, no route answers with a fault of ours", async () => {
  expect(routes.length).toBeGreaterThan(22)
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const user = await makeUser(store)
  for (const route of routes) await attack(route, host, await makeToken(user))
}, 60_000)

async function attack(route: RouteInfo, host: string, token: string): Promise<void> {
  const segments = route.path.split("/").filter((part) => part.startsWith(":"))
  const arbitrary = fc.record({
    params: fc.tuple(...segments.map(() => fc.oneof(fc.constantFrom("1", "2"), hostile.map(encodeURIComponent)))),
    query: queries(route.input.query),
    body: bodies(route.input.json),
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
      const answer = await call(route.method, path + query, {
        host,
        token: bearer,
        headers: { "CF-Connecting-IP": address, ...(type && { "Content-Type": type }) },
        ...(route.method !== "GET" && body && { body: new TextEncoder().encode(body) }),
      })
      const context = `${route.method} ${path}: ${answer.text}`
      expect(answer.status, context).toBeLessThan(500)
      if (!isOpen && !bearer) expect(answer.status, context).toBe(401)
      if (answer.status < 400) return
      expect(answer.body.message, context).toMatch(/./)
      if (answer.status === 422 && answer.body.errors) expect(answer.body.error).toBeUndefined()
      else expect(answer.body, context).toMatchObject({ error: true, data: null })
    }),
    { numRuns: RUNS, seed: 20_261_120 },
  )
}
