// Fuzz tests of the blog, the pages, the media library and its URLs: responses have the envelope of their API, and no
// input causes a server error.
import fc from "fast-check"
import { expect, test } from "vitest"
import type * as z from "zod"
import { loadContentRoutes } from "../../src/content/app"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { call } from "../support/app"
import { makeCategory, makePage, makePost, makeTag } from "../support/blog-factories"
import { type MediaClient, makeMediaClient, upload } from "../support/media-factories"

const RUNS = 25
const SEED = 20_261_120

// biome-ignore format: a compact list is more readable
const hostile = fc.constantFrom(
  "1", "2", "0", "-1", "1e3", "1.5", "9007199254740993", "99999999999999999999", "null", "%00", "%", "%E0%A4%A", "..", "../..",
  "' or 1=1 --", '"', "*", "NEAR(a b)", 'x" OR site : "y', "{", "😀", "\ud800", "a".repeat(3000), "", " ", "desc", "asc,desc",
)

const text = fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 200 }))
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
const value = fc.oneof(
  { weight: 3, arbitrary: scalar },
  fc.array(scalar, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
)

const fieldsOf = (schema: z.ZodType | undefined): string[] =>
  Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

const bodies = (schema: z.ZodType | undefined): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .record(Object.fromEntries(fieldsOf(schema).map((field) => [field, value])), { requiredKeys: [] })
      .map((body) => JSON.stringify(body)),
    fc.json(),
    fc.constantFrom("", "{", "[]", "null", "[".repeat(5000)),
  )

const queries = (schema: z.ZodType | undefined): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...fieldsOf(schema), "other"), text), { maxLength: 4 })
    .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join("&"))

const routes = routeTable(await loadContentRoutes()).filter(({ path }) =>
  /^\/api\/v1\/(posts|categories|tags|pages|media)/.test(path),
)

test("returns no 5xx for generated input on any route of the blog and the media library", async () => {
  expect(routes.length).toBeGreaterThan(20)
  const media = await makeMediaClient()
  await makeCategory()
  await makeTag()
  await makePost({ content: "some words" })
  await makePage()
  await media("POST", "/folders", { json: { name: "a" } })
  await upload(media, "a.txt", "x")
  for (const route of routes) await attack(route, media)
})

async function attack({ method, path, input }: RouteInfo, media: MediaClient): Promise<void> {
  const requests = fc.record({ segment: text, query: queries(input.query), body: bodies(input.json) })
  await fc.assert(
    fc.asyncProperty(requests, async ({ segment, query, body }) => {
      const target = path.replace("/api/v1/media", "").replace(/:\w+/, encodeURIComponent(segment.toWellFormed()))
      const options = method === "GET" ? {} : { body, headers: { "Content-Type": "application/json" } }
      const isMedia = path.startsWith("/api/v1/media")
      const response = isMedia
        ? await media(method, `${target}?${query}`, options)
        : await call(method, `${target}?${query}`)
      expect(response.status, `${method} ${target} ${response.text.slice(0, 200)}`).toBeLessThan(500)
      if (response.status >= 400) expect(response.body).toHaveProperty("message", expect.any(String))
      if (response.status >= 400 && isMedia) expect(response.body).toHaveProperty("errors")
    }),
    { numRuns: RUNS, seed: SEED },
  )
}

test("returns 404 or 405 for generated paths and ranges below /media/", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 4 }), text, async (segments, range) => {
      const path = segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join("/")
      const Range = `bytes=${range.replace(/[^\x20-\x7e]/g, "")}`
      expect([404, 405]).toContain((await call("GET", `/media/${path}`, { headers: { Range } })).status)
    }),
    { numRuns: 100, seed: SEED },
  )
})

test("stores or rejects uploads with generated forms", async () => {
  const media = await makeMediaClient()
  const line = fc.oneof(
    fc.constantFrom(
      "--b",
      "--b--",
      "",
      'Content-Disposition: form-data; name="file"; filename="a.txt"',
      'Content-Disposition: form-data; name="folder_id"',
      "0",
      "some bytes",
    ),
    text,
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
      const response = await media("POST", "/files", {
        body: lines.join("\r\n"),
        headers: { "Content-Type": "multipart/form-data; boundary=b" },
      })
      expect([201, 400, 422], response.text).toContain(response.status)
    }),
    { numRuns: 150, seed: SEED },
  )
})
