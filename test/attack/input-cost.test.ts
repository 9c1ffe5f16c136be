// Sends the worst body, query, path and headers to every route of every surface, and asserts that the response time
// grows linearly with the input. Routes come from the app, so new ones are covered.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { signInToAdmin } from "../admin/support"
import { signIn } from "../console/support"
import { type CallOptions, call, type TestResponse } from "../support/app"
import { hostOfStore, makeUser } from "../support/content-factories"
import { disableRateLimits } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { makeLicenseKey, setLicenseSettings } from "../support/license-factories"
import { fillPath, listRoutes, type SurfaceRoute } from "../support/surfaces"
import { measureTime } from "../support/timing"

/** Bytes of the bodies: below the limit of an API, of a form, and of a sign-in. */
const BODY_SIZES = [240_000, 19_000, 9_000]

/** Bytes of a query or a path segment, and of each header: Cloudflare accepts 16 KB of URL and 128 KB of headers. */
const URL_BYTES = 12_000

/** Response times below this are harmless, whatever their growth. */
const HARMLESS_MS = 250

/** Larger inputs are tried at a quarter of their size first, which may take up to TOO_LONG_MS. */
const LARGE_BYTES = 100_000
const TOO_LONG_MS = 2_000

/** The compared sizes differ by this factor: linear work takes 4 times as long, quadratic work 16 times. */
const FACTOR = 4
/** 2.5 times per doubling, plus noise from garbage collection or a busy machine. */
const MAX_GROWTH = 2.5 ** 2
const NOISE_MS = 60

const fill = (unit: string, bytes: number): string => unit.repeat(Math.max(1, Math.floor(bytes / unit.length)))

/** Numbered pairs, cached because hundreds of routes are sent the same ones. */
const pairCache = new Map<string, string>()
function buildPairs(pair: (index: number) => string, bytes: number, separator: string): string {
  const name = `${pair(0)} ${bytes}`
  const count = Math.floor(bytes / (pair(100_000).length + 1))
  const text = pairCache.get(name) ?? Array.from({ length: count }, (_, index) => pair(index)).join(separator)
  pairCache.set(name, text)
  return text
}

const buildPart = (headers: string) => `--x\r\nContent-Disposition: form-data; ${headers}\r\n\r\n1\r\n`

/** Bodies of about `bytes` bytes, by media type and kind. */
const BODIES: Record<string, Record<string, (bytes: number) => string>> = {
  "application/x-www-form-urlencoded": {
    "one name repeated": (bytes) => fill("a&", bytes),
    "distinct names": (bytes) => buildPairs((index) => `k${index}=1`, bytes, "&"),
    "999 long values": (bytes) =>
      Array(999)
        .fill(`name=${fill("%CC%81", bytes / 1_000)}`)
        .join("&"),
    "broken escapes": (bytes) => fill("%", bytes),
    "a JSON text": (bytes) => `{"a":"${fill("\\\\u0301", bytes)}"}`,
  },
  "multipart/form-data; boundary=x": {
    parts: (bytes) => `${fill(buildPart('name="a[]"'), bytes)}--x--\r\n`,
    "parameters of a part": (bytes) => `${buildPart(`name="a"${fill(";a=b", Math.min(bytes, 15_000))}`)}--x--`,
    "near-boundaries": (bytes) => `${buildPart('name="a"')}${fill("\r\n--", bytes)}`,
  },
  "application/json": {
    "nested arrays": (bytes) => `{"name":${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}}`,
    "distinct keys": (bytes) => `{${buildPairs((index) => `"k${index}":0`, bytes, ",")}}`,
    "one key repeated": (bytes) => `{${fill('"name":1,', bytes)}"name":1}`,
    "a long list": (bytes) => `{"events":[${fill('"store.created",', bytes)}"a"]}`,
  },
}

/** Builds a query with every bad shape at once, and likewise a path segment; a failing parameter is found by hand. */
const buildQuery = (bytes: number): string =>
  [
    fill("page=1&", bytes / 4),
    fill("a[]=&", bytes / 4),
    `q=a${fill("%CC%81", bytes / 8)}&search=a${fill("%CC%81", bytes / 8)}`,
    `include=${fill("a,", bytes / 8)}`,
    fill("%", bytes / 8),
  ].join("&")
const buildSegment = (bytes: number): string =>
  `a${fill("%CC%81", bytes / 3)}${fill("%25", bytes / 3)}${fill("a-", bytes / 3)}`

const buildHeaders = (bytes: number): Record<string, string> => ({
  "Accept-Language": fill("en;q=0.1,", bytes),
  "If-None-Match": fill('"a",', bytes),
  "If-Match": fill('W/"a",', bytes),
  "User-Agent": fill("(a;", bytes),
  "Idempotency-Key": fill("a", bytes),
  "X-D1-Bookmark": fill("a-", bytes),
  "X-API-URL": fill("a.", bytes),
  "X-API-IP": fill("1.", bytes),
  "X-API-LANGUAGE": fill("en-", bytes),
  "Stripe-Signature": `t=1,${fill("v1=a,", bytes)}`,
  "X-Operator": fill("a@", bytes),
  Range: `bytes=${fill("0-1,", bytes)}`,
  Referer: `https://example.com/${fill("%41", bytes)}`,
})

type Send = (input: {
  segment?: string
  query?: string
  headers?: Record<string, string>
  body?: [string, string]
}) => Promise<TestResponse>

const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" }

/** The host, credentials and path parameter of a signed-in caller of a surface. */
interface Caller {
  host: string
  headers: (path: string) => Record<string, string>
  /** Replaces the parameters of a path. */
  param: string
}

async function makeCallers(): Promise<(surface: string) => Caller> {
  const [target, shop] = [await makeReadyStore(), await makeReadyStore()]
  const [key, staff, browser] = [await makeKey(), await makeUser(shop, { isStaff: true }), await signIn()]
  await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
  const [external, internal] = [await makeLicenseKey("external"), await makeLicenseKey("internal")]
  const server = await makeServerKey(shop, "internal")
  const owner = await signInToAdmin(shop)
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
  const central = (headers: Caller["headers"]): Caller => ({ host: "localhost", headers, param: target })
  const forShop = (headers: Caller["headers"]): Caller => ({ host: hostOfStore(shop), headers, param: "1" })
  const callers: Record<string, Caller> = {
    "/api/platform/v1": central(() => bearer(key)),
    "/api/operator/v1": central(() => bearer(env.OPERATOR_TOKEN as string)),
    "/api": central((path) => ({ "X-API-KEY": /internal|_int$|_product|_license$/.test(path) ? internal : external })),
    "/console": central(() => ({ Cookie: browser.cookie, ...SAME_ORIGIN })),
    "/api/v1": forShop((path) => (path.includes("/media/") ? { "X-API-KEY": server } : bearer(staff.token))),
    "/admin": forShop(() => ({ Cookie: owner.cookie, ...SAME_ORIGIN })),
    "/billing": forShop(() => ({ Cookie: `tenancy_billing=${encodeURIComponent(staff.token)}` })),
    "/account": forShop(() => ({})),
    "/media": forShop(() => ({})),
    "": forShop(() => ({})),
  }
  return (surface) => callers[surface] ?? central(() => SAME_ORIGIN)
}

const createSender =
  (route: SurfaceRoute, { host, param, headers: credentials }: Caller): Send =>
  ({ segment, query, headers, body }) => {
    const path = fillPath(route.path, segment ?? param) + (query ? `?${query}` : "")
    const options: CallOptions = { host, headers: { ...headers, ...credentials(route.path) } }
    if (!body) return call(route.method, path, options)
    const [type, text] = body
    return call(route.method, path, { ...options, body: text, headers: { ...options.headers, "Content-Type": type } })
  }

/** Describes super-linear growth; null when there is none. */
async function measureGrowth(bytes: number, send: (bytes: number) => Promise<TestResponse>): Promise<string | null> {
  if (bytes > LARGE_BYTES) {
    // A quadratic parser would block the whole run on the large input.
    const { ms } = await measureTime(() => send(bytes / FACTOR))
    if (ms > TOO_LONG_MS) return `${Math.round(ms)} ms for ${bytes / FACTOR} bytes`
  }
  const first = await measureTime(() => send(bytes))
  if (first.result.status >= 500) return `returns ${first.result.status}`
  if (first.ms < HARMLESS_MS) return null
  const measureFastest = async (size: number) => {
    let fastest = Number.POSITIVE_INFINITY
    for (let run = 0; run < 3; run++) fastest = Math.min(fastest, (await measureTime(() => send(size))).ms)
    return fastest
  }
  const [partMs, fullMs] = [await measureFastest(bytes / FACTOR), Math.min(first.ms, await measureFastest(bytes))]
  const isLinear = fullMs < HARMLESS_MS || fullMs <= MAX_GROWTH * partMs + NOISE_MS
  return isLinear ? null : `${Math.round(partMs)} ms for ${bytes / FACTOR} bytes, ${Math.round(fullMs)} ms for ${bytes}`
}

const READS = new Set(["GET", "HEAD"])
/** Routes that end the session, which later attacks need, and the event stream, which stays open for a minute. */
const EXCLUDED_PATHS = /\/(logout|sign-out|live\/stream)$/

/** Returns the element at an index, which starts again after the last one. */
const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

/** Attacks one route with every kind of input, and describes each that takes more than linear time. */
async function attackRoute(
  route: SurfaceRoute,
  send: Send,
  bodyIndex: number,
  parts: "all" | "bodies",
): Promise<string[]> {
  const failures: string[] = []
  const measure = async (label: string, bytes: number, input: (bytes: number) => Parameters<Send>[0]) => {
    const growth = await measureGrowth(bytes, (size) => send(input(size)))
    if (growth) failures.push(`${route.method} ${route.path}, ${label}: ${growth}`)
  }
  if (parts === "all") {
    await measure("the query and the headers", URL_BYTES, (bytes) => ({
      query: buildQuery(bytes),
      headers: buildHeaders(bytes),
    }))
    if (/[:{*]/.test(route.path)) await measure("the path", URL_BYTES, (bytes) => ({ segment: buildSegment(bytes) }))
  }
  // Routes of a surface share parsers, so each route gets one kind and one size of one or two types of body, in rotation.
  const types = Object.entries(BODIES).map(([type, bodies], typeIndex) => ({ type, bodies, typeIndex }))
  const sent = [0, 1].slice(0, parts === "all" ? 2 : 1).map((offset) => pick(types, bodyIndex + offset))
  for (const { type, bodies, typeIndex } of READS.has(route.method) ? [] : sent) {
    const [kind, body] = pick(Object.entries(bodies), bodyIndex)
    const bytes = pick(BODY_SIZES, Math.floor(bodyIndex / Object.keys(bodies).length) + typeIndex)
    await measure(`a body of ${kind}`, bytes, (size) => ({ body: [type, body(size)] }))
  }
  return failures
}

beforeEach(disableRateLimits)

test("every route handles any input of a signed-in caller in linear time", async () => {
  const getCaller = await makeCallers()
  const routes = (await listRoutes()).filter(({ path }) => !EXCLUDED_PATHS.test(path))
  expect(routes.length).toBeGreaterThan(300)
  const failures: string[] = []
  for (const [index, route] of routes.entries()) {
    failures.push(...(await attackRoute(route, createSender(route, getCaller(route.surface)), index, "all")))
  }
  expect(failures).toEqual([])
}, 400_000)

test("every route handles any body of an anonymous caller in linear time", async () => {
  const getCaller = await makeCallers()
  const routes = (await listRoutes()).filter(({ method }) => !READS.has(method))
  const failures: string[] = []
  for (const [index, route] of routes.entries()) {
    const caller = { ...getCaller(route.surface), headers: () => SAME_ORIGIN }
    failures.push(...(await attackRoute(route, createSender(route, caller), index, "bodies")))
  }
  expect(failures).toEqual([])
}, 400_000)
