// Sends a megabyte of the worst input to every field of every route, taken from the routes' validators. A response
// takes at most a small multiple of the time for plain text, is never a 500, and a refusal is short.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type * as z from "zod"
import { availableApps } from "../../src/apps/registry"
import { loadContentRoutes } from "../../src/content/app"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { fieldErrors } from "../../src/core/http/validation"
import { fieldMessages } from "../../src/core/i18n/field-messages"
import { licenseManager } from "../../src/license/app"
import { COMMANDS } from "../../src/operator/commands"
import { platform as platformApp } from "../../src/platform/app"
import { type CallOptions, call, platform, type TestResponse } from "../support/app"
import { JSON_BOMBS, makeTextBomb, TEXT_BOMBS } from "../support/bombs"
import { hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { type Field, listFields } from "../support/fields"
import { makeServerKey } from "../support/key-factories"
import { makeLicenseKey, setLicenseSettings } from "../support/license-factories"
import { nextAddress } from "../support/serial"
import { measureTime } from "../support/timing"

/** Bytes of a body, slightly less than the limit of every surface. */
const BODY_BYTES = 950_000
const EXTERNAL_BODY_BYTES = 250_000

/** A response may take MAX_SLOWDOWN times as long as one to plain text, plus SLACK_MS. */
const SLACK_MS = 400
const MAX_SLOWDOWN = 4

const MAX_REFUSAL_BYTES = 16_384

interface Target {
  name: string
  send(body: string): Promise<TestResponse>
  fields: Field[]
  bytes: number
}

const buildBody = (fields: readonly Field[], bytes: number, value: (bytes: number) => string): string =>
  `{${fields.map((field) => field.wrapJson(value(Math.floor(bytes / fields.length)))).join(",")}}`

/**
 * Sends bad shapes to all fields at once and returns the failures. Another test runs all shapes against the validators,
 * so each target gets two kinds, in rotation.
 * @param index the position of the target in its list
 */
async function attackTarget(target: Target, index: number): Promise<string[]> {
  const { fields, bytes, name, send } = target
  if (!fields.length) return []
  const buildTextBody = (pattern: string) =>
    buildBody(fields, bytes, (size) => JSON.stringify(makeTextBomb(pattern, size)))
  const sendPlain = () => send(buildTextBody("plain text"))
  const buildBombs = (kind: string) => buildBody(fields, bytes, (size) => JSON_BOMBS[kind]?.(size) ?? "")
  const kinds: [string, () => string][] = [
    ["marks on a Cyrillic letter", () => buildTextBody("marks on a Cyrillic letter")],
    ["nested arrays", () => buildBombs("nested arrays")],
    ["a prototype's names", () => buildBombs("a prototype's names")],
    ["only unknown keys", () => JSON_BOMBS["many keys"]?.(bytes) ?? ""],
    ["only a list", () => JSON_BOMBS["a long list of strings"]?.(bytes) ?? ""],
  ]
  const failures: string[] = []
  for (const [kind, build] of kinds.filter((_, position) => [0, 2].includes((position + index) % kinds.length))) {
    const body = build()
    failures.push(...(await findFailures(`${name}, ${kind}`, sendPlain, () => send(body))))
  }
  return failures
}

async function findFailures(
  label: string,
  sendPlain: () => Promise<TestResponse>,
  send: () => Promise<TestResponse>,
): Promise<string[]> {
  let plainMs = 0
  let { ms, result } = await measureTime(send)
  const isSlow = () => ms > MAX_SLOWDOWN * plainMs + SLACK_MS
  // Sends plain text only after a slow response, and compares both again, because a busy machine may be slow at times.
  for (let retry = 0; retry < 3 && isSlow(); retry++) {
    plainMs = (await measureTime(sendPlain)).ms
    const again = await measureTime(send)
    ms = again.ms
    result = again.result
  }
  const problems: string[] = []
  if (result.status >= 500) problems.push(`${label}: ${result.status}`)
  if (isSlow()) problems.push(`${label}: ${Math.round(ms)} ms where plain text takes ${Math.round(plainMs)}`)
  const bytes = new TextEncoder().encode(result.text).length
  if (result.status >= 400 && bytes > MAX_REFUSAL_BYTES) problems.push(`${label}: refused in ${bytes} bytes`)
  return problems
}

/** Replaces the parameters of a route's path. */
const buildPath = (route: RouteInfo, param: string): string => route.path.replace(/:[^/]+/g, param)

async function attackAll(targets: Target[]): Promise<void> {
  expect(targets.some(({ fields }) => fields.length)).toBe(true)
  const failures: string[] = []
  for (const [index, target] of targets.entries()) failures.push(...(await attackTarget(target, index)))
  expect(failures).toEqual([])
}

/** Creates a target for each route of a table. */
const createTargets = (
  table: RouteInfo[],
  send: (method: string, path: string, options: CallOptions) => Promise<TestResponse>,
  options: { bytes?: number; param?: string } = {},
): Target[] =>
  table.map((route) => ({
    name: `${route.method} ${route.path}`,
    fields: route.method === "GET" ? [] : listFields(getBodySchema(route)),
    bytes: options.bytes ?? BODY_BYTES,
    send: (body) =>
      send(route.method, buildPath(route, options.param ?? "1"), {
        body,
        headers: { "Content-Type": "application/json" },
      }),
  }))

const withHeaders = (options: CallOptions, headers: Record<string, string>): CallOptions => ({
  ...options,
  headers: { ...options.headers, ...headers, "CF-Connecting-IP": nextAddress() },
})

/** Creates a store with every app enabled and a staff user. */
async function createSite() {
  const key = await makeKey()
  const store = await makeReadyStore()
  for (const { slug } of availableApps) await platform("POST", `/stores/${store}/apps/${slug}/enable`, { token: key })
  const staff = await makeUser(store, { isStaff: true })
  return { store, key, host: hostOfStore(store), staff }
}

/** Returns the schema of a route's JSON or form body. */
const getBodySchema = ({ input, fields }: RouteInfo): z.ZodType | undefined => input.json ?? fields

test("every validator handles a megabyte of any bad shape as fast as plain text", async () => {
  const routes = [...routeTable(await loadContentRoutes()), ...routeTable(platformApp), ...routeTable(licenseManager)]
  const commands = Object.values(COMMANDS).map(({ input }) => input)
  const schemas = new Set<z.ZodType>([
    ...routes.flatMap((route) => [...Object.values(route.input), ...(route.fields ? [route.fields] : [])]),
    ...commands,
  ])
  const fields = [...schemas].flatMap(listFields)
  expect(fields.length).toBeGreaterThan(150)

  const validate = (fields: Field[], value: unknown) => {
    let longestMessage = 0
    for (const field of fields) {
      const input = field.wrapValue(value)
      const result = field.bodySchema.safeParse(input)
      const messages = result.success ? {} : fieldMessages(fieldErrors(result.error, input), "vi")
      longestMessage = Math.max(longestMessage, JSON.stringify(messages).length)
    }
    return longestMessage
  }
  const failures: string[] = []
  const isSlow = (ms: number, plainMs: number) => ms > MAX_SLOWDOWN * plainMs + SLACK_MS
  const plain = await measureTime(() => validate(fields, "x".repeat(BODY_BYTES)))
  const shapes = [
    ...TEXT_BOMBS.map((name): [string, unknown] => [name, makeTextBomb(name, BODY_BYTES)]),
    ...Object.entries(JSON_BOMBS).map(([name, json]): [string, unknown] => [name, JSON.parse(json(BODY_BYTES))]),
  ]
  for (const [name, value] of shapes) {
    const all = await measureTime(() => validate(fields, value))
    if (all.result > MAX_REFUSAL_BYTES) failures.push(`${name}: ${all.result} characters`)
    if (!isSlow(all.ms, plain.ms)) continue
    for (const field of fields) {
      const single = await measureTime(() => validate([field], value))
      if (isSlow(single.ms, plain.ms / fields.length))
        failures.push(`${field.name}, ${name}: ${Math.round(single.ms)} ms`)
    }
  }
  expect(failures).toEqual([])
})

describe("a megabyte of the worst input in every field", () => {
  test("content API routes respond as fast as to plain text", async () => {
    const { store, host, staff } = await createSite()
    let left = 0
    let serverKey = ""
    const send = async (method: string, path: string, options: CallOptions) => {
      if (path.includes("/media/") && --left <= 0) {
        serverKey = await makeServerKey(store, "internal")
        left = 100
      }
      const headers = withHeaders(options, path.includes("/media/") ? { "X-API-KEY": serverKey } : {})
      return call(method, path, { ...headers, host, token: staff.token })
    }
    const routes = routeTable(await loadContentRoutes()).filter(({ path }) => path !== "/api/v1/logout")
    expect(routes.length).toBeGreaterThan(60)
    await attackAll(createTargets(routes, send))
  })

  test("content API routes return only 401 for a forged token", async () => {
    const { host } = await createSite()
    const token = `1|${"a".repeat(48)}`
    const routes = routeTable(await loadContentRoutes()).filter(({ refuses }) => refuses?.includes("unauthenticated"))
    const responses: TestResponse[] = []
    const send = async (method: string, path: string, options: CallOptions) => {
      const response = await call(method, path, { ...withHeaders(options, {}), host, token })
      responses.push(response)
      return response
    }
    await attackAll(createTargets(routes, send))
    expect(responses.length).toBeGreaterThan(45)
    expect(responses.filter(({ status }) => status !== 401)).toEqual([])
  })

  test("control plane routes respond as fast as to plain text", async () => {
    const { store } = await createSite()
    let left = 0
    let token = ""
    const send = async (method: string, path: string, options: CallOptions) => {
      if (--left <= 0) {
        token = await makeKey()
        left = 50
      }
      return call(method, path, { ...withHeaders(options, {}), token })
    }
    const routes = routeTable(platformApp)
    expect(routes.length).toBeGreaterThan(25)
    await attackAll(createTargets(routes, send, { param: store }))
  })

  test("license manager routes and legacy paths respond as fast as to plain text", async () => {
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    const table = routeTable(licenseManager)
    expect(table.length).toBeGreaterThan(40)
    for (const type of ["external", "internal"] as const) {
      const send = (method: string, path: string, options: CallOptions) =>
        call(method, path, withHeaders(options, { "X-API-KEY": keys[type] }))
      const routes = table.filter(
        ({ path }) => path.startsWith(`/api/${type}/`) || !/^\/api\/(ex|in)ternal\//.test(path),
      )
      await attackAll(createTargets(routes, send, { bytes: type === "external" ? EXTERNAL_BODY_BYTES : BODY_BYTES }))
    }
  })

  test("operator commands respond as fast as to plain text", async () => {
    const { OPERATOR_TOKEN: token } = env
    const targets = Object.entries(COMMANDS).map(([name, command]): Target => {
      return {
        name,
        fields: listFields(command.input as z.ZodType),
        bytes: BODY_BYTES,
        send: (body) =>
          call("POST", `/api/operator/v1/${name}`, {
            token,
            ...withHeaders({ body, headers: { "Content-Type": "application/json" } }, {}),
          }),
      }
    })
    await attackAll(targets)
  })
})

describe("malicious forms", () => {
  const boundary = "x"
  const types = {
    multipart: `multipart/form-data; boundary=${boundary}`,
    urlencoded: "application/x-www-form-urlencoded",
  }
  /** Builds a form of `count` parts, each with the headers. */
  const buildParts = (headers: string, count: number, value = "1") =>
    `${`--${boundary}\r\n${headers}\r\n\r\n${value}\r\n`.repeat(count)}--${boundary}--\r\n`
  const headerBytes = 15_000

  const MULTIPART: Record<string, string> = {
    "long words for parameters": buildParts(`Content-Disposition: form-data; name="x"; ${"a".repeat(headerBytes)}`, 20),
    "many parameters": buildParts(`Content-Disposition: form-data; name="x"${";a=b".repeat(headerBytes / 4)}`, 20),
    "quotes that never end": buildParts(`Content-Disposition: form-data; name="${'\\"'.repeat(headerBytes / 2)}`, 20),
    "blanks in a header": buildParts(`Content-Disposition: form-data${" ".repeat(headerBytes)}; name="x"`, 20),
    "escapes in a file's name": buildParts(
      `Content-Disposition: form-data; name="file"; filename="${"%22".repeat(headerBytes / 3)}"`,
      20,
    ),
    "marks in a file's name": buildParts(
      `Content-Disposition: form-data; name="file"; filename="a${"\u0301".repeat(headerBytes / 2)}"`,
      1,
    ),
    "dots in a file's name": buildParts(
      `Content-Disposition: form-data; name="file"; filename="a${".".repeat(headerBytes)}b"`,
      1,
    ),
    "a prototype's names": ["__proto__", "__proto__[]", "constructor[]", "toString[]", "file"]
      .map((name) => buildParts(`Content-Disposition: form-data; name="${name}"`, 1).replace(`--${boundary}--\r\n`, ""))
      .join("")
      .concat(`--${boundary}--\r\n`),
    "thousands of parts": buildParts('Content-Disposition: form-data; name="a[]"', 12_000),
    "a field of a megabyte": buildParts(
      'Content-Disposition: form-data; name="changelog"',
      1,
      `a${"\u0301".repeat(400_000)}`,
    ),
  }
  const URLENCODED: Record<string, string> = {
    "a list of many items": "a[]=&".repeat(BODY_BYTES / 5),
    "many names": Array.from({ length: 80_000 }, (_, index) => `k${index}=1`).join("&"),
    "a prototype's names": "__proto__[]=1&constructor[]=1&__proto__=1&toString[]=2",
    marks: `name=a${"%CC%81".repeat(BODY_BYTES / 6)}`,
    "a name of a megabyte": "[".repeat(BODY_BYTES),
    "broken escapes": "%".repeat(BODY_BYTES),
  }

  test("malicious multipart and URL-encoded forms are handled as fast as plain ones", async () => {
    const { host, staff, store } = await createSite()
    const [server, internal] = [await makeServerKey(store, "internal"), await makeLicenseKey("internal")]
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    await call("POST", "/api/internal/products", {
      headers: { "X-API-KEY": internal },
      json: { name: "A product", reference_id: "PROD" },
    })
    const createUpload = (path: string, options: CallOptions) => (type: string, body: string) =>
      call("POST", path, { ...withHeaders(options, { "Content-Type": type }), body })
    const uploads = {
      media: createUpload("/api/v1/media/files", { host, headers: { "X-API-KEY": server } }),
      avatar: createUpload("/api/v1/update/avatar", { host, token: staff.token }),
      version: createUpload("/api/internal/products/PROD/versions", { headers: { "X-API-KEY": internal } }),
      license: createUpload("/api/internal/product-licenses", { headers: { "X-API-KEY": internal } }),
      login: createUpload("/account/reset-password", { host }),
    }
    const failures: string[] = []
    const sendAll = async (
      name: string,
      send: (type: string, body: string) => Promise<TestResponse>,
      type: string,
      bodies: object,
    ) => {
      const sendPlain = () => send(type, "x".repeat(BODY_BYTES))
      for (const [kind, body] of Object.entries(bodies))
        failures.push(...(await findFailures(`${name}, ${kind}`, sendPlain, () => send(type, body))))
    }
    for (const [name, send] of Object.entries(uploads)) {
      await sendAll(name, send, types.multipart, MULTIPART)
      await sendAll(name, send, types.urlencoded, URLENCODED)
    }
    expect(failures).toEqual([])
  })
})
