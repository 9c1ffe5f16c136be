// Runs the same cases with the JavaScript, Python and PHP clients: against a server that responds by a script, and
// against the platform. `clients/cases.json` has the cases; webhooks are verified with the cases below.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildBundle, MAX_BUNDLE_GZIP_KB, measureBundleSize } from "../../tools/lib/bundle"
import { readWranglerConfig, root } from "../../tools/lib/project"
import { type BundleServer, serveBundles } from "../../tools/lib/serve"
import { getScratchDirectory } from "../../tools/local/scratch"

interface Case {
  name: string
  client?: object
  call: string
  ids?: (string | number)[]
  input?: object
  options?: object
  read?: object
  responses?: ScriptedResponse[]
  requests?: { method?: string; path?: string; query?: object; headers?: object; body?: string; json?: object }[]
  hasSameIdempotencyKey?: boolean
  delays?: [number, number][]
  result?: unknown
  /** The result is a list that contains the items. */
  contains?: boolean
  /** Fields that the result has, with any value. */
  has?: string[]
  /** Saves the result for `{name.field}` in later cases. */
  save?: string
  error?: object & { type?: string; errors?: Record<string, unknown> }
  /** Clients that the case does not apply to. */
  not?: string[]
}

interface ScriptedResponse {
  is?: "cut" | "truncated" | "silent" | "trickling"
  status?: number
  headers?: Record<string, string>
  body?: object
  text?: string
}

interface Output {
  result?: unknown
  error?: { type?: string; errors?: object }
  delays: number[]
}

const { scripted, platform }: { scripted: Case[]; platform: Case[] } = JSON.parse(
  readFileSync(join(root, "clients/cases.json"), "utf8"),
)

interface Driver {
  command: string
  args: string[]
  /** Arguments with which the command succeeds if it has all that the client needs. */
  probe: string[]
}

const LANGUAGES: Record<string, Driver> = {
  javascript: { command: process.execPath, args: ["test/support/client-driver.ts"], probe: ["--version"] },
  python: { command: "python3", args: ["clients/python/tests/driver.py"], probe: ["--version"] },
  php: { command: "php", args: ["clients/php/tests/driver.php"], probe: ["-r", "curl_version();"] },
  "php-psr18": { command: "php", args: ["clients/php/tests/driver.php", "psr18"], probe: ["--version"] },
}

/** Starts a driver; the returned function sends it a command. */
function startDriver({ command, args }: Driver) {
  const child = spawn(command, args, { cwd: root, stdio: ["pipe", "pipe", "pipe"] })
  children.push(child)
  // The next read reports a driver that ended.
  child.stdin.on("error", () => {})
  let stderr = ""
  child.stderr.on("data", (text) => {
    stderr += text
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async (message: object): Promise<Output> => {
    child.stdin.write(`${JSON.stringify(message)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`The driver ended: ${stderr}`)
    return JSON.parse(value)
  }
}

const children: ChildProcess[] = []
const directory = mkdtempSync(join(getScratchDirectory(), "clients-"))
let script: { server: Server; url: string }
let server: BundleServer
let platformUrl: string
let key: string

/** What the server of the scripted cases does next, and what it received. */
let responses: ScriptedResponse[] = []
let received: { method: string; url: URL; headers: IncomingMessage["headers"]; body: string }[] = []

const OPERATOR_TOKEN = "operator-token-of-the-client-tests-0123"

beforeAll(async () => {
  const http = createServer(respond).listen(0, "127.0.0.1")
  await once(http, "listening")
  script = { server: http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
  await buildBundle("wrangler.toml", join(directory, "bundle"))
  const bundle = {
    name: "platform",
    config: "wrangler.toml",
    directory: join(directory, "bundle"),
    vars: {
      APP_KEY: "base64:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
      OPERATOR_TOKEN,
      CENTRAL_DOMAIN: "localhost",
      PUBLIC_URL: "http://{host}",
      TENANCY_API_RATE_LIMIT: "1000000",
      TENANCY_API_RATE_LIMIT_PER_IP: "0",
    },
    // The address of the webhook endpoints, by DNS over HTTPS.
    handleOutbound: async () =>
      Response.json({ Status: 0, Answer: [{ name: "hooks.example.org", type: 1, TTL: 60, data: "93.184.216.34" }] }),
  }
  server = await serveBundles([bundle], readWranglerConfig().d1_databases, join(directory, "state"))
  platformUrl = server.urls.platform ?? ""
  const created = await fetch(`${platformUrl}/api/operator/v1/keys:create`, {
    method: "POST",
    headers: { Authorization: `Bearer ${OPERATOR_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "clients", scopes: "read,write" }),
  })
  key = ((await created.json()) as { data: { key: string } }).data.key
}, 120_000)

test("the bundle that these tests run is no larger than allowed", () => {
  expect(measureBundleSize(join(directory, "bundle")).gzip / 1024).toBeLessThanOrEqual(MAX_BUNDLE_GZIP_KB)
})

afterAll(async () => {
  for (const child of children) child.kill()
  script.server.closeAllConnections()
  script.server.close()
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await request.toArray()).join("")
  received.push({
    method: request.method ?? "",
    url: new URL(request.url ?? "", script.url),
    headers: request.headers,
    body,
  })
  const next = responses.shift()
  if (!next) return void response.writeHead(418).end("more requests than expected")
  if (next.is === "silent") return
  if (next.is === "cut") return void request.socket.destroy()
  const text = next.text ?? (next.body ? JSON.stringify(next.body) : "")
  if (next.is === "truncated") {
    response.writeHead(200, { "Content-Length": 100, "Content-Type": "application/json" })
    return void response.write('{"data":', () => request.socket.destroy())
  }
  if (next.is === "trickling") {
    // lint: this response consists of delays
    const timer = setInterval(() => response.write(" "), 20)
    response.writeHead(200, { "Content-Type": "application/json" })
    return void request.socket.on("close", () => clearInterval(timer))
  }
  response.writeHead(next.status ?? 200, { "Content-Type": "application/json", ...next.headers }).end(text)
}

const getType = ({ type, ...error }: NonNullable<Case["error"]>, language: string) => ({
  ...error,
  // The JavaScript client has one class for all errors, so only wrong arguments are told apart.
  ...(type && (type === "Usage" || language !== "javascript") && { type }),
})

/** `[{}]` in the expected errors stands for one message. */
const toErrorMatcher = (error: object) =>
  JSON.parse(JSON.stringify(error), (_, value) => (JSON.stringify(value) === "[{}]" ? "ANY" : value))

function expectResult(one: Case, output: Output, language: string): void {
  if (one.error) {
    const expected = toErrorMatcher(getType(one.error, language))
    const errors = Object.fromEntries(
      Object.keys(expected.errors ?? {}).map((field) => [field, [expect.stringMatching(/\S/)]]),
    )
    expect(output.error).toMatchObject({ ...expected, ...(expected.errors && { errors }) })
    if (expected.errors)
      expect(Object.keys(output.error?.errors ?? {}).toSorted()).toEqual(Object.keys(errors).toSorted())
  } else expect(output.error).toBeUndefined()
  if (one.contains)
    expect(output.result).toEqual(
      expect.arrayContaining((one.result as object[]).map((item) => expect.objectContaining(item))),
    )
  else if (one.result === null) expect(output.result).toBeNull()
  else if (one.result !== undefined) expect(output.result).toMatchObject(one.result as object)
  for (const field of one.has ?? []) expect(output.result).toHaveProperty(field)
}

for (const [language, driver] of Object.entries(LANGUAGES)) {
  // `.ci/run` installs PHP, so that no client is untested in CI.
  const isMissing = !process.env.CI && spawnSync(driver.command, driver.probe, { stdio: "ignore" }).status !== 0
  const note = isMissing ? ` (skipped: ${driver.command} is not installed)` : ""
  // lint: the languages need not be installed
  describe.skipIf(isMissing)(`the ${language} client${note}`, () => testClient(language, driver))
}

function testClient(language: string, driver: Driver): void {
  let send: (message: object) => Promise<Output>
  beforeAll(() => {
    send = startDriver(driver)
  })

  test("handles every scripted case", async () => {
    for (const one of scripted) {
      if (one.not?.includes(language)) continue
      responses = [...(one.responses ?? [])]
      received = []
      const client = { baseUrl: script.url, key: "tnk_test", ...one.client }
      const output = await send({ ...one, client })
      const report = `${one.name}: ${JSON.stringify(output)}`
      expect(received, report).toHaveLength(one.responses?.length ?? 0)
      expectRequests(one, report)
      expectNamed(report, () => expectResult(one, output, language))
      if (one.delays) {
        expect(output.delays, report).toHaveLength(one.delays.length)
        for (const [index, [low, high]] of one.delays.entries()) {
          expect(output.delays[index], report).toBeGreaterThanOrEqual(low)
          expect(output.delays[index], report).toBeLessThanOrEqual(high)
        }
      }
    }
  }, 60_000)

  test("handles every case of the platform", async () => {
    const saved: Record<string, Record<string, unknown>> = {}
    const resolve = (one: Case): Case =>
      JSON.parse(
        JSON.stringify(one)
          .replaceAll("{language}", language)
          .replace(/\{(\w+)\.(\w+)\}/g, (_, name: string, field: string) => String(saved[name]?.[field])),
      )
    for (const one of platform.map((entry) => () => resolve(entry))) {
      const current = one()
      // Ids in paths are numbers where the API has numbers.
      const ids = current.ids?.map((id) => (/^\d+$/.test(String(id)) ? Number(id) : id))
      const output = await send({
        ...current,
        ...(ids && { ids }),
        client: { baseUrl: platformUrl, key, ...current.client },
      })
      expectNamed(`${current.name}: ${JSON.stringify(output)}`, () => expectResult(current, output, language))
      if (current.save) saved[current.save] = output.result as Record<string, unknown>
    }
  }, 60_000)

  test("accepts valid signatures of webhooks and rejects all others", async () => {
    for (const { name, verify, expected } of buildWebhookCases()) {
      const { result, error } = await send({ verify })
      expect(error ?? result, name).toMatchObject(expected)
    }
  })

  test("signs webhooks as the platform does, and verifies its own", async () => {
    const event = '{"id":"01K4YQZ0M8T3V6N9R2B5C7D1EF","type":"ping","name":"Ünïcödé"}'
    const { result } = await send({ sign: { event, secret: SECRET, timestamp: 1_788_344_100 } })
    expect(result).toEqual({ headers: sign(event, 1_788_344_100), body: event })
    const { error } = await send({ sign: { event: '{"id":1}', secret: SECRET, timestamp: 1 } })
    expect(error).toEqual({ type: "Usage" })
  })
}

function expectRequests({ requests = [], hasSameIdempotencyKey }: Case, report: string): void {
  for (const [index, expected] of requests.entries()) {
    const { method, url, headers, body } = received[index] as (typeof received)[number]
    const { json, query, path, ...rest } = expected
    expect({ method, headers, body }, report).toMatchObject(rest)
    if (path) expect(url.pathname, report).toBe(path)
    if (query) expect(Object.fromEntries(url.searchParams), report).toMatchObject(query)
    if (json) expect(JSON.parse(body), report).toEqual(json)
  }
  const keys = new Set(received.map(({ headers }) => headers["idempotency-key"]))
  if (hasSameIdempotencyKey) expect([keys.size, String([...keys][0]).length >= 16], report).toEqual([1, true])
}

/** Adds the case to the message of a failed expectation. */
function expectNamed(name: string, check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw new Error(`${name}\n${(cause as Error).message}`, { cause })
  }
}

const SECRET = `whsec_${Buffer.from("the-secret-of-these-tests").toString("base64")}`

function sign(body: string, timestamp: number, secret = SECRET) {
  const { id, type } = JSON.parse(body)
  const hmac = (secretKey: string | Buffer, text: string) => createHmac("sha256", secretKey).update(text)
  const standardKey = Buffer.from(secret.replace("whsec_", ""), "base64")
  return {
    "content-type": "application/json",
    "x-tenancy-event": type,
    "x-tenancy-delivery": id,
    "x-tenancy-signature": `t=${timestamp},v1=${hmac(secret, `${timestamp}.${body}`).digest("hex")}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${hmac(standardKey, `${id}.${timestamp}.${body}`).digest("base64")}`,
  }
}

/** Valid webhooks, and invalid ones with one defect each. */
function buildWebhookCases() {
  const body = '{"id":"01K4YQZ0M8T3V6N9R2B5C7D1EF","type":"store.ready","name":"Ünïcödé 🦀"}'
  const now = Math.floor(Date.now() / 1000)
  const other = `whsec_${Buffer.from("another-secret").toString("base64")}`
  const signed = sign(body, now)
  const [, platformHex = ""] = signed["x-tenancy-signature"].split("v1=")
  const onlyPlatform = (value: string) => ({ "X-Tenancy-Signature": value })
  const standard = (values: object) => ({
    "webhook-id": signed["webhook-id"],
    "webhook-timestamp": signed["webhook-timestamp"],
    "webhook-signature": signed["webhook-signature"],
    ...values,
  })
  const valid = { id: "01K4YQZ0M8T3V6N9R2B5C7D1EF", type: "store.ready", name: "Ünïcödé 🦀" }
  const zeros = "0".repeat(64)
  const entries: [name: string, verify: object, expected: object][] = [
    ["both schemes", { headers: signed }, valid],
    ["only the platform's", { headers: onlyPlatform(signed["x-tenancy-signature"]) }, valid],
    ["only Standard Webhooks", { headers: standard({}) }, valid],
    ["upper case", { headers: onlyPlatform(`t=${now},v1=${platformHex.toUpperCase()}`) }, valid],
    ["two signatures", { headers: onlyPlatform(`t=${now}, v1=${zeros}, v1=${platformHex}`) }, valid],
    [
      "two standard signatures",
      { headers: standard({ "webhook-signature": `v1,AAAA ${signed["webhook-signature"]}` }) },
      valid,
    ],
    ["the second secret", { headers: signed, secret: [other, SECRET] }, valid],
    ["an old one within the tolerance", { headers: sign(body, now - 3_000), tolerance: 4_000 }, valid],
    ["an old one", { headers: sign(body, now - 400) }, { code: "timestamp_outside_tolerance" }],
    ["a future one", { headers: sign(body, now + 400) }, { code: "timestamp_outside_tolerance" }],
    ["a changed time", { headers: onlyPlatform(`t=${now + 1},v1=${platformHex}`) }, { code: "signature_mismatch" }],
    ["a changed id", { headers: standard({ "webhook-id": "other" }) }, { code: "signature_mismatch" }],
    ["a changed body", { headers: signed, body: `${body} ` }, { code: "signature_mismatch" }],
    ["another secret", { headers: signed, secret: other }, { code: "signature_mismatch" }],
    ["a short signature", { headers: standard({ "webhook-signature": "v1,AAAA" }) }, { code: "signature_mismatch" }],
    ["no header", { headers: {} }, { code: "signature_missing" }],
    ["another version", { headers: onlyPlatform(`t=${now},v0=${platformHex}`) }, { code: "signature_missing" }],
    ["no signature", { headers: onlyPlatform(`t=${now}`) }, { code: "signature_missing" }],
    ["no time", { headers: onlyPlatform(`v1=${platformHex}`) }, { code: "signature_missing" }],
    ["a time with a line break", { headers: onlyPlatform(`t=${now}\n,v1=x`) }, { code: "signature_missing" }],
    [
      "a header that is too long",
      { headers: onlyPlatform(`t=${now},v1=${platformHex},${"x".repeat(5_000)}`) },
      { code: "signature_missing" },
    ],
    [
      "an event type that it does not know",
      signedBody('{"id":"a","type":"store.archived"}', now),
      { id: "a", type: "store.archived" },
    ],
    ["a body without a type", { ...signedBody('{"id":"a","type":5}', now) }, { code: "invalid_body" }],
    ["a body that is not JSON", { ...signedBody("nonsense", now) }, { code: "invalid_body" }],
    ["no secret", { headers: signed, secret: [] }, { type: "Usage" }],
    ["an empty secret", { headers: signed, secret: [""] }, { type: "Usage" }],
  ]
  return entries.map(([name, verify, expected]) => ({ name, verify: { body, secret: SECRET, ...verify }, expected }))
}

const signedBody = (body: string, now: number) => ({
  body,
  headers: {
    "x-tenancy-signature": `t=${now},v1=${createHmac("sha256", SECRET).update(`${now}.${body}`).digest("hex")}`,
  },
})
