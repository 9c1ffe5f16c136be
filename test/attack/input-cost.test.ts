// Sends the worst body, query, path and headers to every route of every surface, and asserts that the time to answer grows linearly with
// the input. Routes are discovered in the app, so a new surface is covered on its first day.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { signIn } from "../console/support"
import { type Answer, type CallOptions, call } from "../support/app"
import { hostOfStore, makeUser } from "../support/content-factories"
import { withoutBudgets } from "../support/credentials"
import { makeKey, makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { makeLicenseKey, setLicenseSettings } from "../support/license-factories"
import { everyRoute, type FoundRoute, fillPath } from "../support/surfaces"
import { timed } from "../support/timing"

/** Bytes of the bodies: below the limit of an API, of a form, and of a sign-in. */
const BODY_SIZES = [240_000, 19_000, 9_000]

/** Bytes of a query or a path segment, and of each header: Cloudflare accepts 16 KB of URL and 128 KB of headers. */
const URL_BYTES = 12_000

/** Below this many milliseconds an answer harms nobody, whatever the shape of its growth. */
const HARMLESS_MS = 250

/** Inputs larger than this are tried at a quarter of their size first, which may take this long. */
const LARGE_BYTES = 100_000
const TOO_LONG_MS = 2_000

/** The sizes that are compared differ by this factor: linear work takes 4 times as long, quadratic work 16 times. */
const FACTOR = 4
/** 2.5 times for each doubling, and what garbage collection or a busy machine adds. */
const MAX_GROWTH = 2.5 ** 2
const NOISE_MS = 60

const filled = (unit: string, bytes: number): string => unit.repeat(Math.max(1, Math.floor(bytes / unit.length)))

/** Numbered pairs, generated once: hundreds of routes are sent the same ones. */
const pairs = new Map<string, string>()
function numbered(pair: (at: number) => string, bytes: number, separator: string): string {
  const name = `${pair(0)} ${bytes}`
  const count = Math.floor(bytes / (pair(100_000).length + 1))
  const known = pairs.get(name) ?? Array.from({ length: count }, (_, at) => pair(at)).join(separator)
  pairs.set(name, known)
  return known
}

const part = (headers: string) => `--x\r\nContent-Disposition: form-data; ${headers}\r\n\r\n1\r\n`

/** Bodies of about `bytes` bytes, by media type and by what is wrong with them. */
const BODIES: Record<string, Record<string, (bytes: number) => string>> = {
  "application/x-www-form-urlencoded": {
    "one name repeated": (bytes) => filled("a&", bytes),
    "distinct names": (bytes) => numbered((at) => `k${at}=1`, bytes, "&"),
    "999 long values": (bytes) =>
      Array(999)
        .fill(`name=${filled("%CC%81", bytes / 1_000)}`)
        .join("&"),
    "broken escapes": (bytes) => filled("%", bytes),
    "a JSON text": (bytes) => `{"a":"${filled("\\\\u0301", bytes)}"}`,
  },
  "multipart/form-data; boundary=x": {
    parts: (bytes) => `${filled(part('name="a[]"'), bytes)}--x--\r\n`,
    "parameters of a part": (bytes) => `${part(`name="a"${filled(";a=b", Math.min(bytes, 15_000))}`)}--x--`,
    "near-boundaries": (bytes) => `${part('name="a"')}${filled("\r\n--", bytes)}`,
  },
  "application/json": {
    "nested arrays": (bytes) => `{"name":${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}}`,
    "distinct keys": (bytes) => `{${numbered((at) => `"k${at}":0`, bytes, ",")}}`,
    "one key repeated": (bytes) => `{${filled('"name":1,', bytes)}"name":1}`,
    "a long list": (bytes) => `{"events":[${filled('"store.created",', bytes)}"a"]}`,
  },
}

/** A query of every bad shape at once, and a path segment likewise: the parameter at fault is found by hand. */
const queryOf = (bytes: number): string =>
  [
    filled("page=1&", bytes / 4),
    filled("a[]=&", bytes / 4),
    `q=a${filled("%CC%81", bytes / 8)}&search=a${filled("%CC%81", bytes / 8)}`,
    `include=${filled("a,", bytes / 8)}`,
    filled("%", bytes / 8),
  ].join("&")
const segmentOf = (bytes: number): string =>
  `a${filled("%CC%81", bytes / 3)}${filled("%25", bytes / 3)}${filled("a-", bytes / 3)}`

const headersOf = (bytes: number): Record<string, string> => ({
  "Accept-Language": filled("en;q=0.1,", bytes),
  "If-None-Match": filled('"a",', bytes),
  "If-Match": filled('W/"a",', bytes),
  "User-Agent": filled("(a;", bytes),
  "Idempotency-Key": filled("a", bytes),
  "X-D1-Bookmark": filled("a-", bytes),
  "X-API-URL": filled("a.", bytes),
  "X-API-IP": filled("1.", bytes),
  "X-API-LANGUAGE": filled("en-", bytes),
  "Stripe-Signature": `t=1,${filled("v1=a,", bytes)}`,
  "X-Operator": filled("a@", bytes),
  Range: `bytes=${filled("0-1,", bytes)}`,
  Referer: `https://example.com/${filled("%41", bytes)}`,
})

type Send = (input: {
  segment?: string
  query?: string
  headers?: Record<string, string>
  body?: [string, string]
}) => Promise<Answer>

const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" }

/** What a signed-in caller of a surface sends. */
interface Caller {
  host: string
  headers: (path: string) => Record<string, string>
  /** Stands in place of the parameters of a path. */
  param: string
}

async function makeCallers(): Promise<(surface: string) => Caller> {
  const [target, shop] = [await makeReadyStore(), await makeReadyStore()]
  const [key, staff, browser] = [await makeKey(), await makeUser(shop, { isStaff: true }), await signIn()]
  await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
  const [external, internal] = [await makeLicenseKey("external"), await makeLicenseKey("internal")]
  const server = await makeServerKey(shop, "internal")
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
  const central = (headers: Caller["headers"]): Caller => ({ host: "localhost", headers, param: target })
  const onShop = (headers: Caller["headers"]): Caller => ({ host: hostOfStore(shop), headers, param: "1" })
  const callers: Record<string, Caller> = {
    "/api/platform/v1": central(() => bearer(key)),
    "/api/operator/v1": central(() => bearer(env.OPERATOR_TOKEN as string)),
    "/api": central((path) => ({ "X-API-KEY": /internal|_int$|_product|_license$/.test(path) ? internal : external })),
    "/console": central(() => ({ Cookie: browser.cookie, ...SAME_ORIGIN })),
    "/api/v1": onShop((path) => (path.includes("/media/") ? { "X-API-KEY": server } : bearer(staff.token))),
    "/billing": onShop(() => ({ Cookie: `tenancy_billing=${encodeURIComponent(staff.token)}` })),
    "/account": onShop(() => ({})),
    "/media": onShop(() => ({})),
    "": onShop(() => ({})),
  }
  return (surface) => callers[surface] ?? central(() => SAME_ORIGIN)
}

const senderOf =
  (route: FoundRoute, { host, param, headers: credentials }: Caller): Send =>
  ({ segment, query, headers, body }) => {
    const path = fillPath(route.path, segment ?? param) + (query ? `?${query}` : "")
    const options: CallOptions = { host, headers: { ...headers, ...credentials(route.path) } }
    if (!body) return call(route.method, path, options)
    const [type, text] = body
    return call(route.method, path, { ...options, body: text, headers: { ...options.headers, "Content-Type": type } })
  }

/** Describes super-linear growth; null when there is none. */
async function measureGrowth(bytes: number, send: (bytes: number) => Promise<Answer>): Promise<string | null> {
  if (bytes > LARGE_BYTES) {
    // A quadratic parser would block the whole run on the large input.
    const { ms } = await timed(() => send(bytes / FACTOR))
    if (ms > TOO_LONG_MS) return `${Math.round(ms)} ms for ${bytes / FACTOR} bytes`
  }
  const first = await timed(() => send(bytes))
  if (first.result.status >= 500) return `answers ${first.result.status}`
  if (first.ms < HARMLESS_MS) return null
  const best = async (size: number) => {
    let least = Number.POSITIVE_INFINITY
    for (let turn = 0; turn < 3; turn++) least = Math.min(least, (await timed(() => send(size))).ms)
    return least
  }
  const [part, whole] = [await best(bytes / FACTOR), Math.min(first.ms, await best(bytes))]
  const isLinear = whole < HARMLESS_MS || whole <= MAX_GROWTH * part + NOISE_MS
  return isLinear ? null : `${Math.round(part)} ms for ${bytes / FACTOR} bytes, ${Math.round(whole)} ms for ${bytes}`
}

const READS = new Set(["GET", "HEAD"])
/** Routes that end the session the next attacks need, and the event stream, which stays open for a minute whatever it is sent. */
const LEFT_OUT = /\/(logout|sign-out|live\/stream)$/

/** Attacks one route with every kind of input, and describes each that takes more than linear time. */
async function attackRoute(route: FoundRoute, send: Send, turn: number, parts: "all" | "bodies"): Promise<string[]> {
  const found: string[] = []
  const judge = async (what: string, bytes: number, input: (bytes: number) => Parameters<Send>[0]) => {
    const growth = await measureGrowth(bytes, (size) => send(input(size)))
    if (growth) found.push(`${route.method} ${route.path}, ${what}: ${growth}`)
  }
  if (parts === "all") {
    await judge("the query and the headers", URL_BYTES, (bytes) => ({
      query: queryOf(bytes),
      headers: headersOf(bytes),
    }))
    if (/[:{*]/.test(route.path)) await judge("the path", URL_BYTES, (bytes) => ({ segment: segmentOf(bytes) }))
  }
  for (const [type, bodies] of READS.has(route.method) ? [] : Object.entries(BODIES)) {
    // Routes of a surface share its parsers, so each route is sent the next kind of body.
    const [kind, body] = Object.entries(bodies)[turn % Object.keys(bodies).length] ?? ["", filled.bind(null, "x")]
    for (const bytes of BODY_SIZES) {
      await judge(`a body of ${kind}`, bytes, (size) => ({ body: [type, body(size)] }))
    }
  }
  return found
}

beforeEach(withoutBudgets)

test("no input of a signed-in caller takes more than linear time, on any route", async () => {
  const callerOf = await makeCallers()
  const routes = (await everyRoute()).filter(({ path }) => !LEFT_OUT.test(path))
  expect(routes.length).toBeGreaterThan(300)
  const found: string[] = []
  for (const [turn, route] of routes.entries()) {
    found.push(...(await attackRoute(route, senderOf(route, callerOf(route.surface)), turn, "all")))
  }
  expect(found).toEqual([])
}, 400_000)

test("no body of an anonymous caller takes more than linear time, on any route", async () => {
  const callerOf = await makeCallers()
  const routes = (await everyRoute()).filter(({ method }) => !READS.has(method))
  const found: string[] = []
  for (const [turn, route] of routes.entries()) {
    const caller = { ...callerOf(route.surface), headers: () => SAME_ORIGIN }
    found.push(...(await attackRoute(route, senderOf(route, caller), turn, "bodies")))
  }
  expect(found).toEqual([])
}, 400_000)
