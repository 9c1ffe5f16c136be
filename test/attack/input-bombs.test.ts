// A megabyte of the worst input at every field of every route, found in the routes' own validators: an answer takes no more than a
// small multiple of what plain text of that size takes, is never a fault of ours, and a refusal is never long.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type * as z from "zod"
import { plugins } from "../../src/apps/registry"
import { contentRoutes } from "../../src/content/app"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { fieldFaults } from "../../src/core/http/validation"
import { fieldMessages } from "../../src/core/i18n/field-messages"
import { licenseManager } from "../../src/license/app"
import { COMMANDS } from "../../src/operator/commands"
import { platform as platformApp } from "../../src/platform/app"
import { type Answer, type CallOptions, call, platform } from "../support/app"
import { textBomb, textBombs, VALUES } from "../support/bombs"
import { hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { type Field, fieldsOf } from "../support/fields"
import { makeServerKey } from "../support/key-factories"
import { makeLicenseKey, setLicenseSettings } from "../support/license-factories"
import { timed } from "../support/timing"

/** Bytes of a body: a little less than what every surface takes. */
const BODY = 950_000
const EXTERNAL_BODY = 250_000

/** Milliseconds that an answer may take more than one to plain text, and how many times as long. */
const SLACK = 400
const MULTIPLE = 4

const LONGEST_REFUSAL = 16_384

interface Target {
  name: string
  send(body: string): Promise<Answer>
  fields: Field[]
  bytes: number
}

const sameSize = (fields: readonly Field[], bytes: number, value: (bytes: number) => string): string =>
  `{${fields.map((field) => field.put(value(Math.floor(bytes / fields.length)))).join(",")}}`

let serial = 0
const address = () => {
  serial += 1
  return `2001:db8:${(serial >> 16).toString(16)}:${(serial & 0xffff).toString(16)}::1`
}

/** Sends bad shapes to all fields at once, and tells which of them were answered badly. The validators alone meet all shapes. */
async function attack(target: Target): Promise<string[]> {
  const { fields, bytes, name, send } = target
  if (!fields.length) return []
  const text = (fill: string) => sameSize(fields, bytes, (size) => JSON.stringify(textBomb(fill, size)))
  const plain = await timed(() => send(text("plain text")))
  const bodies = {
    "marks on a Cyrillic letter": text("marks on a Cyrillic letter"),
    "nested arrays": sameSize(fields, bytes, (size) => VALUES["nested arrays"]?.(size) ?? ""),
    "a prototype's names": sameSize(fields, bytes, (size) => VALUES["a prototype's names"]?.(size) ?? ""),
    "nothing but unknown keys": VALUES["many keys"]?.(bytes) ?? "",
    "nothing but a list": VALUES["a long list of texts"]?.(bytes) ?? "",
  }
  const found: string[] = []
  for (const [what, body] of Object.entries(bodies)) {
    found.push(...(await judged(`${name}, ${what}`, plain.ms, () => send(body))))
  }
  return found
}

async function judged(what: string, plain: number, send: () => Promise<Answer>): Promise<string[]> {
  let { ms, result } = await timed(send)
  // A machine with other work may be slow once.
  for (let again = 0; again < 2 && ms > MULTIPLE * plain + SLACK; again++) ({ ms, result } = await timed(send))
  const faults: string[] = []
  if (result.status >= 500) faults.push(`${what}: ${result.status}`)
  if (ms > MULTIPLE * plain + SLACK)
    faults.push(`${what}: ${Math.round(ms)} ms where plain text takes ${Math.round(plain)}`)
  const bytes = new TextEncoder().encode(result.text).length
  if (result.status >= 400 && bytes > LONGEST_REFUSAL) faults.push(`${what}: refused in ${bytes} bytes`)
  return faults
}

/** The path of a route with something in place of each parameter. */
const pathOf = (route: RouteInfo, param: string): string => route.path.replace(/:[^/]+/g, param)

async function attackAll(targets: Target[]): Promise<void> {
  expect(targets.some(({ fields }) => fields.length)).toBe(true)
  const found: string[] = []
  for (const target of targets) found.push(...(await attack(target)))
  expect(found).toEqual([])
}

/** A target of each route of a table. */
const targetsOf = (
  table: RouteInfo[],
  send: (method: string, path: string, options: CallOptions) => Promise<Answer>,
  given: { bytes?: number; param?: string } = {},
): Target[] =>
  table.map((route) => ({
    name: `${route.method} ${route.path}`,
    fields: route.method === "GET" ? [] : fieldsOf(bodyOf(route)),
    bytes: given.bytes ?? BODY,
    send: (body) =>
      send(route.method, pathOf(route, given.param ?? "1"), { body, headers: { "Content-Type": "application/json" } }),
  }))

const withHeaders = (options: CallOptions, headers: Record<string, string>): CallOptions => ({
  ...options,
  headers: { ...options.headers, ...headers, "CF-Connecting-IP": address() },
})

/** A store with every app on, and tokens of its staff. */
async function site() {
  const key = await makeKey()
  const store = await makeReadyStore()
  for (const { slug } of plugins) await platform("POST", `/stores/${store}/apps/${slug}/enable`, { token: key })
  const staff = await makeUser(store, { isStaff: true })
  return { store, key, host: hostOfStore(store), staff }
}

/** What a route validates of a body, whichever way it reads it. */
const bodyOf = ({ input, fields }: RouteInfo): z.ZodType | undefined => input.json ?? fields

test("every validator of every route judges a megabyte of any bad shape as fast as plain text", async () => {
  const routes = [...routeTable(await contentRoutes()), ...routeTable(platformApp), ...routeTable(licenseManager)]
  const commands = Object.values(COMMANDS).map(({ input }) => input)
  const schemas = new Set<z.ZodType>([
    ...routes.flatMap((route) => [...Object.values(route.input), ...(route.fields ? [route.fields] : [])]),
    ...commands,
  ])
  const fields = [...schemas].flatMap(fieldsOf)
  expect(fields.length).toBeGreaterThan(150)

  const judge = (some: Field[], value: unknown) => {
    let longest = 0
    for (const field of some) {
      const input = field.place(value)
      const result = field.owner.safeParse(input)
      const told = result.success ? {} : fieldMessages(fieldFaults(result.error, input), "vi")
      longest = Math.max(longest, JSON.stringify(told).length)
    }
    return longest
  }
  const found: string[] = []
  const slow = (ms: number, plain: number) => ms > MULTIPLE * plain + SLACK
  const plain = await timed(() => judge(fields, "x".repeat(BODY)))
  const shapes = [
    ...textBombs.map((name): [string, unknown] => [name, textBomb(name, BODY)]),
    ...Object.entries(VALUES).map(([name, json]): [string, unknown] => [name, JSON.parse(json(BODY))]),
  ]
  for (const [name, value] of shapes) {
    const all = await timed(() => judge(fields, value))
    if (all.result > LONGEST_REFUSAL) found.push(`${name}: ${all.result} characters`)
    if (!slow(all.ms, plain.ms)) continue
    for (const field of fields) {
      const one = await timed(() => judge([field], value))
      if (slow(one.ms, plain.ms / fields.length)) found.push(`${field.name}, ${name}: ${Math.round(one.ms)} ms`)
    }
  }
  expect(found).toEqual([])
})

describe("a megabyte of the worst input at every field", () => {
  test("of the content API and its apps", async () => {
    const { store, host, staff } = await site()
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
    const routes = routeTable(await contentRoutes()).filter(({ path }) => path !== "/api/v1/logout")
    expect(routes.length).toBeGreaterThan(60)
    await attackAll(targetsOf(routes, send))
  })

  test("with a made-up token, which is all that is said of", async () => {
    const { host } = await site()
    const token = `1|${"a".repeat(48)}`
    const routes = routeTable(await contentRoutes()).filter(({ refuses }) => refuses?.includes("unauthenticated"))
    const answers: Answer[] = []
    const send = async (method: string, path: string, options: CallOptions) => {
      const answer = await call(method, path, { ...withHeaders(options, {}), host, token })
      answers.push(answer)
      return answer
    }
    await attackAll(targetsOf(routes, send))
    expect(answers.length).toBeGreaterThan(90)
    expect(answers.filter(({ status }) => status !== 401)).toEqual([])
  })

  test("of the control plane", async () => {
    const { store } = await site()
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
    await attackAll(targetsOf(routes, send, { param: store }))
  })

  test("of the license manager, in its own words and in those of older clients", async () => {
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    const table = routeTable(licenseManager)
    expect(table.length).toBeGreaterThan(40)
    for (const type of ["external", "internal"] as const) {
      const send = (method: string, path: string, options: CallOptions) =>
        call(method, path, withHeaders(options, { "X-API-KEY": keys[type] }))
      const own = table.filter(({ path }) => path.startsWith(`/api/${type}/`) || !/^\/api\/(ex|in)ternal\//.test(path))
      await attackAll(targetsOf(own, send, { bytes: type === "external" ? EXTERNAL_BODY : BODY }))
    }
  })

  test("of the operator's commands", async () => {
    const { OPERATOR_TOKEN: token } = env
    const targets = Object.entries(COMMANDS).map(([name, command]): Target => {
      return {
        name,
        fields: fieldsOf(command.input as z.ZodType),
        bytes: BODY,
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

describe("forms of the worst kind", () => {
  const boundary = "x"
  const types = {
    multipart: `multipart/form-data; boundary=${boundary}`,
    urlencoded: "application/x-www-form-urlencoded",
  }
  /** A form of as many parts as a surface takes, each with these headers. */
  const parts = (headers: string, count: number, value = "1") =>
    `${`--${boundary}\r\n${headers}\r\n\r\n${value}\r\n`.repeat(count)}--${boundary}--\r\n`
  const header = 15_000

  const MULTIPART: Record<string, string> = {
    "long words for parameters": parts(`Content-Disposition: form-data; name="x"; ${"a".repeat(header)}`, 20),
    "many parameters": parts(`Content-Disposition: form-data; name="x"${";a=b".repeat(header / 4)}`, 20),
    "quotes that never end": parts(`Content-Disposition: form-data; name="${'\\"'.repeat(header / 2)}`, 20),
    "blanks in a header": parts(`Content-Disposition: form-data${" ".repeat(header)}; name="x"`, 20),
    "escapes in a file's name": parts(
      `Content-Disposition: form-data; name="file"; filename="${"%22".repeat(header / 3)}"`,
      20,
    ),
    "marks in a file's name": parts(
      `Content-Disposition: form-data; name="file"; filename="a${"\u0301".repeat(header / 2)}"`,
      1,
    ),
    "dots in a file's name": parts(
      `Content-Disposition: form-data; name="file"; filename="a${".".repeat(header)}b"`,
      1,
    ),
    "a prototype's names": ["__proto__", "__proto__[]", "constructor[]", "toString[]", "file"]
      .map((name) => parts(`Content-Disposition: form-data; name="${name}"`, 1).replace(`--${boundary}--\r\n`, ""))
      .join("")
      .concat(`--${boundary}--\r\n`),
    "thousands of parts": parts('Content-Disposition: form-data; name="a[]"', 12_000),
    "a field of a megabyte": parts(
      'Content-Disposition: form-data; name="changelog"',
      1,
      `a${"\u0301".repeat(400_000)}`,
    ),
  }
  const URLENCODED: Record<string, string> = {
    "a list of many items": "a[]=&".repeat(BODY / 5),
    "many names": Array.from({ length: 80_000 }, (_, at) => `k${at}=1`).join("&"),
    "a prototype's names": "__proto__[]=1&constructor[]=1&__proto__=1&toString[]=2",
    marks: `name=a${"%CC%81".repeat(BODY / 6)}`,
    "a name of a megabyte": "[".repeat(BODY),
    "broken escapes": "%".repeat(BODY),
  }

  test("are answered as fast as plain ones", async () => {
    const { host, staff, store } = await site()
    const [server, internal] = [await makeServerKey(store, "internal"), await makeLicenseKey("internal")]
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    await call("POST", "/api/internal/products", {
      headers: { "X-API-KEY": internal },
      json: { name: "A product", reference_id: "PROD" },
    })
    const to = (path: string, options: CallOptions) => (type: string, body: string) =>
      call("POST", path, { ...withHeaders(options, { "Content-Type": type }), body })
    const uploads = {
      media: to("/api/v1/media/files", { host, headers: { "X-API-KEY": server } }),
      avatar: to("/api/v1/update/avatar", { host, token: staff.token }),
      version: to("/api/internal/products/PROD/versions", { headers: { "X-API-KEY": internal } }),
      license: to("/api/internal/product-licenses", { headers: { "X-API-KEY": internal } }),
      login: to("/account/reset-password", { host }),
    }
    const found: string[] = []
    const judgeAll = async (
      name: string,
      send: (type: string, body: string) => Promise<Answer>,
      type: string,
      bodies: object,
    ) => {
      const plain = await timed(() => send(type, "x".repeat(BODY)))
      for (const [what, body] of Object.entries(bodies)) {
        found.push(...(await judged(`${name}, ${what}`, plain.ms, () => send(type, body))))
      }
    }
    for (const [name, send] of Object.entries(uploads)) {
      await judgeAll(name, send, types.multipart, MULTIPART)
      await judgeAll(name, send, types.urlencoded, URLENCODED)
    }
    expect(found).toEqual([])
  })
})
