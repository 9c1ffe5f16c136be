// Runs the operator's command line as a process against a mock platform on loopback.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text as readText } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"

// Every command line is a process, which may start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

interface ReceivedRequest {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage["headers"]
  body: string
}

const COMMANDS = [
  {
    name: "keys:list",
    summary: "List the API keys",
    options: [{ name: "scope", required: false, summary: "" }],
  },
  { name: "events:list", summary: "List events", options: [{ name: "types", required: false, summary: "" }] },
  {
    name: "trigger",
    summary: "Send a test event",
    options: [{ name: "event", required: true, summary: "", values: ["ping", "store.ready"] }],
  },
  {
    name: "operators:create",
    summary: "Create an operator",
    options: [
      { name: "name", required: true, summary: "who it is" },
      { name: "password", required: true, summary: "", secret: true },
      { name: "hint", required: false, summary: "a hint", secret: true },
      { name: "note", required: false, summary: "a note" },
    ],
  },
]

let directory: string
let server: Server
let requests: ReceivedRequest[]
let commands: { name: string; summary: string; options: object[] }[]
let response: { status: number; body: unknown }

beforeEach(async () => {
  directory = mkdtempSync(join(getScratchDirectory(), "operator-"))
  requests = []
  commands = COMMANDS
  response = { status: 200, body: { data: [] } }
  server = createServer(async (request, outgoing) => {
    const { method, url, headers } = request
    requests.push({ method, url, headers, body: await readText(request) })
    const isHelp = method === "GET" && url === "/api/operator/v1"
    outgoing.writeHead(isHelp ? 200 : response.status, { "Content-Type": "application/json" })
    if (url?.endsWith("/text")) outgoing.end("line\u001b[2J\n\u202etwo\r\n\rthree")
    else outgoing.end(JSON.stringify(isHelp ? { data: commands } : response.body))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** Runs a command line and captures its output. */
async function runOperator(
  args: string[],
  { env = {}, input = "" }: { env?: Record<string, string>; input?: string } = {},
) {
  const child = spawn(process.execPath, [join(root, "scripts/operator.ts"), ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      XDG_CONFIG_HOME: directory,
      ...(env.TENANCY_URL === undefined && { TENANCY_URL: origin() }),
      ...credentials,
      ...env,
    },
  })
  child.stdin.end(input)
  const [stdout, stderr, [exit]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, "exit") as Promise<[number]>,
  ])
  return { stdout, stderr, exit }
}

const credentials = { OPERATOR_TOKEN: "operator-token", TENANCY_KEY: "tnk_key" }
const buildErrorBody = (code: string) => ({ error: { code, message: "No." } })

describe("a command", () => {
  test("a command sends the operator from --as and prints a table or JSON", async () => {
    response.body = { data: [{ id: 1, name: "ci" }] }
    const table = await runOperator(["keys:list", "--as=ana@example.com", "--scope=read"])
    expect(table).toEqual({ stdout: "ID  NAME\n1   ci\n", stderr: "", exit: 0 })
    expect(requests.filter(({ method }) => method === "POST")).toMatchObject([
      {
        method: "POST",
        url: "/api/operator/v1/keys:list",
        headers: { authorization: "Bearer operator-token", "x-operator": "ana@example.com" },
        body: '{"scope":"read"}',
      },
    ])
    expect((await runOperator(["keys:list", "--json"])).stdout).toBe('[\n  {\n    "id": 1,\n    "name": "ci"\n  }\n]\n')
  })

  test("a command prints a result of five megabytes completely", async () => {
    response.body = { data: [{ id: 1, text: "é\u001b[2J".repeat(700_000) }] }
    expect(JSON.parse((await runOperator(["keys:list", "--json"])).stdout)).toEqual(
      (response.body as { data: unknown }).data,
    )
    expect((await runOperator(["keys:list"])).stdout.length).toBeGreaterThan(3_000_000)
  })

  test("a command removes terminal escapes from error messages", async () => {
    response = {
      status: 422,
      body: { error: { code: "x", message: "\u001b]0;title\u0007", errors: { a: ["\u001b[2J"] } } },
    }
    const { stderr } = await runOperator(["keys:list"])
    expect(stderr).not.toContain("\u001b")
  })

  test.each([
    ["a table", ["keys:list"]],
    ["JSON", ["keys:list", "--json"]],
    ["the response of api", ["api", "GET", "/stores"]],
  ])("prints %s without characters that move the cursor, or hide or reorder text", async (_, line) => {
    const name = "a\u001b[2J\u009b2J\u0085\u200b\u200e\u202e\u2066\u2028\ufeff\u{e0041}\u061cz 👩‍👩‍👧"
    response.body = { data: [{ id: 1, name }] }
    const { stdout } = await runOperator(line)
    expect(stdout.replaceAll("\n", "")).not.toMatch(
      /\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u,
    )
    expect(stdout).toContain("👩‍👩‍👧")
    if (line.length > 1) expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(name))
  })

  test("escapes control characters in a response that is not JSON", async () => {
    response.body = undefined
    const { stdout } = await runOperator(["api", "GET", "/text"])
    expect(stdout).toBe("line\\u001b[2J\n\\u202etwo\r\n\\u000dthree\n")
  })
})

describe("a secret option", () => {
  const create = (...options: string[]) => ["operators:create", "--name=Ada", ...options]
  const sent = () => JSON.parse(requests.find(({ method }) => method === "POST")?.body ?? "null")

  test("a secret option reads standard input for - and strips the trailing newline", async () => {
    const { stderr } = await runOperator(create("--password=-"), { input: " correct horse \r\n" })
    expect([sent(), stderr]).toEqual([{ name: "Ada", password: " correct horse " }, ""])
  })

  test("a secret option reads all lines of a file for @file", async () => {
    const file = join(directory, "secret")
    writeFileSync(file, '{\n  "type": "service_account"\n}\n')
    const { stderr } = await runOperator(create(`--password=@${file}`))
    expect([sent(), stderr]).toEqual([{ name: "Ada", password: '{\n  "type": "service_account"\n}' }, ""])
  })

  test("a secret on the command line causes a warning that does not repeat it", async () => {
    const { stderr, exit } = await runOperator(create("--password=hunter2"))
    expect([sent(), exit]).toEqual([{ name: "Ada", password: "hunter2" }, 0])
    expect(stderr).toContain("--password=… is visible in the process list")
    expect(stderr).not.toContain("hunter2")
  })

  test("a profile's secret on the command line causes the same warning", async () => {
    const { stderr } = await runOperator([
      "profiles:save",
      "--name=eu",
      "--url=https://eu.example.com",
      "--token=of-eu",
    ])
    expect(stderr).toContain("--token=… is visible in the process list")
  })

  test("a secret option rejects a missing file, a second - and a missing value, and sends nothing", async () => {
    for (const options of [["--password=@/no/such/file"], ["--password=-", "--hint=-"], ["--password"], []]) {
      expect((await runOperator(create(...options))).exit, JSON.stringify(options)).toBe(2)
    }
    expect(sent()).toBeNull()
  })

  test("the help explains secret options, and other options are sent unchanged", async () => {
    expect((await runOperator(["help", "operators:create"])).stdout).toMatch(
      /--password= +- reads standard input, @file reads a file\n/,
    )
    await runOperator(["operators:create", "--name=@ada", "--note=-", "--password=-"], { input: "secret" })
    expect(sent()).toEqual({ name: "@ada", note: "-", password: "secret" })
  })
})

test.each([
  ["success", 200, { data: [] }, 0],
  ["a server error", 500, buildErrorBody("server_error"), 1],
  ["a validation error", 422, buildErrorBody("validation_failed"), 3],
  ["an invalid key", 401, buildErrorBody("invalid_key"), 3],
  ["not found", 404, buildErrorBody("not_found"), 4],
])("returns the exit code for %s", async (_, status, body, exit) => {
  response = { status, body }
  expect((await runOperator(["keys:list"])).exit).toBe(exit)
  expect((await runOperator(["api", "GET", "/stores"])).exit).toBe(exit)
})

test("an invalid command line exits with 2 and sends no command", async () => {
  const lines = [
    ["keys:list", "now"],
    ["keys:list", "--scpoe=read"],
    ["operators:create", "--name=Ada"],
    ["trigger", "store.redy"],
    ["stores:get"],
    ["stores:list", "--status=redy"],
    ["api", "GET"],
    ["api", "BREW", "/tea"],
    ["api", "POST", "/stores", "--data={"],
    ["x", "--as="],
    ["-x"],
  ]
  for (const line of lines) expect((await runOperator(line)).exit, line.join(" ")).toBe(2)
  expect(requests.filter(({ url }) => url !== "/api/operator/v1")).toEqual([])
})

test("an unknown command exits with 2 and suggests one, a resource that was not found exits with 4", async () => {
  response = { status: 404, body: { error: { code: "not_found", message: "Not found." } } }
  const result = await runOperator(["key:list"])
  expect(result).toMatchObject({
    exit: 2,
    stderr: 'Unknown command "key:list". Did you mean "keys:list"?\n',
  })
  expect((await runOperator(["keys:list"])).exit).toBe(4)
})

describe("with --json, an error is JSON", () => {
  const getError = async (line: string[], env = {}) => {
    const { stdout, stderr, exit } = await runOperator([...line, "--json"], { env })
    expect(stdout).toBe("")
    return { ...JSON.parse(stderr).error, exit }
  }

  test("an error response has the platform's code, message and fields", async () => {
    response = { status: 422, body: { error: { code: "x", message: "No.\u001b", errors: { name: ["Too long."] } } } }
    const expected = { code: "x", message: "No.\u001b", status: 422, errors: { name: ["Too long."] }, exit: 3 }
    expect(await getError(["keys:list"])).toEqual(expected)
    expect(await getError(["stores:get", "acme"])).toEqual(expected)
  })

  test("a usage error and an unreachable platform have their own codes", async () => {
    expect(await getError(["keys:lst"])).toMatchObject({ code: "invalid_usage", exit: 2 })
    expect(await getError(["keys:list"], { TENANCY_URL: "http://127.0.0.1:1" })).toMatchObject({
      code: "unreachable",
      exit: 5,
    })
  })
})

describe("a command of the API", () => {
  test("lists resources with the API key, as a table, with the page", async () => {
    response.body = {
      data: [{ id: "acme", name: "Acme", status: "ready", subscription: { plan: {} } }],
      meta: { page: 1, per_page: 30, total: 31, last_page: 2 },
    }
    const { stdout, stderr, exit } = await runOperator(["stores", "list", "--status=ready"])
    expect(stdout).toMatch(/^ID +NAME +STATUS +ACCESS_STATE .*\nacme +Acme +ready +- /)
    expect([stderr, exit]).toEqual(["Page 1 of 2, 31 in total. --page=2 shows another, --all all of them.\n", 0])
    expect(requests).toMatchObject([
      { method: "GET", url: "/api/platform/v1/stores?status=ready", headers: { authorization: "Bearer tnk_key" } },
    ])
  })

  test("--all reads every page", async () => {
    response.body = { data: [{ id: "acme" }], meta: { page: 1, per_page: 100, total: 3, last_page: 3 } }
    const { stdout } = await runOperator(["stores:list", "--all", "--json"])
    expect(JSON.parse(stdout)).toHaveLength(3)
    expect(requests.map(({ url }) => url)).toEqual(
      ["", "&page=2", "&page=3"].map((page) => `/api/platform/v1/stores?per_page=100${page}`),
    )
  })

  test("sends the fields of a write as JSON, with an idempotency key, and prints the secret", async () => {
    response.body = { data: { id: 3, url: "https://a.example/" }, secret: "whsec_new" }
    const line = ["webhooks:create", "--url=https://a.example/", "--events=store.*,app.enabled", "--json"]
    const { stdout } = await runOperator([...line, "--idempotency-key=mine"])
    expect(JSON.parse(stdout)).toEqual({ id: 3, url: "https://a.example/", secret: "whsec_new" })
    expect(requests).toMatchObject([{ method: "POST", headers: { "idempotency-key": "mine" } }])
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      url: "https://a.example/",
      events: ["store.*", "app.enabled"],
    })
    await runOperator(line)
    expect(requests[1]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
  })

  test("a password is read from standard input", async () => {
    const line = ["stores:create", "--subdomain=a", "--name=A", "--owner-email=a@b.example", "--password=-"]
    await runOperator(line, { input: "correct horse\n" })
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      owner_email: "a@b.example",
      password: "correct horse",
    })
  })

  test("names the option of an invalid field as the help does", async () => {
    const errors = { owner_email: ["Too long."], "limits.orders": ["Too low."], other: ["No."] }
    response = { status: 422, body: { error: { code: "x", message: "No.", errors } } }
    const line = ["stores:create", "--subdomain=a", "--name=A", "--owner-email=a", "--password=correct-horse"]
    expect((await runOperator(line)).stderr).toContain(
      "  --owner-email: Too long.\n  --limits.orders: Too low.\n  --other: No.\n",
    )
    expect((await runOperator(["plans:update", "a", "--name=A"])).stderr).toContain("  --limits: Too low.\n")
  })

  test("prints Done for a response without a body", async () => {
    response = { status: 200, body: undefined }
    expect((await runOperator(["stores:delete", "acme", "--confirm=acme"])).stdout).toBe("Done.\n")
    expect(requests).toMatchObject([{ method: "DELETE", body: '{"confirm":"acme"}' }])
  })
})

test("events:list prints each event instead of its text", async () => {
  response.body = { data: { events: [{ id: "e", payload: '{"id":"e","type":"ping"}' }], next_cursor: "ev1_0" } }
  const { stdout } = await runOperator(["events:list", "--json"])
  expect(JSON.parse(stdout)).toEqual({ events: [{ id: "e", type: "ping" }], next_cursor: "ev1_0" })
})

describe("the local platform", () => {
  const withoutUrl = { TENANCY_URL: "", OPERATOR_TOKEN: "", TENANCY_KEY: "" }

  test("is the one that STATE_DIR's credentials name, and only it receives them", async () => {
    const credentials = { base_url: origin(), operator_token: "local-token", platform: { write_key: "tnk_local" } }
    writeFileSync(join(directory, "credentials.json"), JSON.stringify(credentials))
    const env = { ...withoutUrl, STATE_DIR: directory }
    expect((await runOperator(["keys:list"], { env })).exit).toBe(0)
    expect((await runOperator(["me:get"], { env })).exit).toBe(0)
    expect((await runOperator(["me:get"], { env: { ...env, TENANCY_URL: origin() } })).exit).toBe(0)
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer local-token",
      "Bearer local-token",
      "Bearer tnk_local",
      "Bearer tnk_local",
    ])
    for (const line of [["keys:list"], ["me:get"]]) {
      const elsewhere = await runOperator(line, { env: { ...env, TENANCY_URL: "http://127.0.0.2:1" } })
      expect(elsewhere).toMatchObject({ exit: 6 })
    }
  })
})

test("an unreachable platform exits with 5", async () => {
  const env = { TENANCY_URL: origin() }
  server.closeAllConnections()
  server.close()
  const result = await runOperator(["keys:list"], { env })
  expect(result.exit).toBe(5)
  expect(result.stderr).toContain("Cannot reach")
  expect(result.stderr).toContain("Start it with npm start.")
})

test("advice for a remote platform does not mention npm start", async () => {
  const env = { TENANCY_URL: "http://platform.invalid" }
  const unreachable = await runOperator(["keys:list"], { env })
  expect(unreachable).toMatchObject({ exit: 5 })
  expect(unreachable.stderr).toContain("Check the URL in TENANCY_URL or the profile, and your network.")
  const missing = await runOperator(["keys:list", "--json"], { env: { ...env, OPERATOR_TOKEN: "" } })
  expect(missing).toMatchObject({ exit: 6 })
  expect(JSON.parse(missing.stderr).error).toEqual({
    code: "missing_credentials",
    message: expect.stringContaining("Set it to the operator token of http://platform.invalid"),
  })
  for (const { stderr } of [unreachable, missing]) expect(stderr).not.toContain("npm start")
})

test("restore:check without a Cloudflare login exits with 6", async () => {
  writeFileSync(join(directory, "wrangler"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
  const at = new Date(Date.now() - 60_000).toISOString()
  const env = { PATH: `${directory}:${process.env.PATH}` }
  expect(await runOperator(["restore:check", `--at=${at}`], { env })).toMatchObject({
    stderr: expect.stringContaining("Not logged in to Cloudflare."),
    exit: 6,
  })
  writeFileSync(join(directory, "wrangler"), '#!/bin/sh\ntest "$1" = whoami\n', { mode: 0o755 })
  expect(await runOperator(["restore:check", `--at=${at}`], { env })).toMatchObject({
    stderr: expect.stringContaining("Could not get a bookmark of DB"),
    exit: 1,
  })
})

test("delivery:doctor prints the causes and the late endpoints as tables, and JSON unchanged", async () => {
  const causes = [{ cause: "receiver_fails", detail: "No." }]
  const report = {
    late: true,
    causes: [{ cause: "queue_backlog", detail: "Full." }],
    endpoints: [{ endpoint: 7, causes }],
  }
  commands = [...COMMANDS, { name: "delivery:doctor", summary: "", options: [] }]
  response.body = { data: report }
  const { stdout } = await runOperator(["delivery:doctor"])
  expect(stdout).toBe(
    "late  true\n\ncauses\nENDPOINT  CAUSE           DETAIL\n-         queue_backlog   Full.\n7         receiver_fails  No.\n\nendpoints\nENDPOINT\n7\n",
  )
  expect(JSON.parse((await runOperator(["delivery:doctor", "--json"])).stdout)).toEqual(report)
})

describe("api", () => {
  test("api sends the API key to any path, below the control plane by default", async () => {
    await runOperator(["api", "get", "/stores?per_page=5"])
    await runOperator(["api", "GET", "/api/v1/posts"])
    expect(requests).toMatchObject([
      { method: "GET", url: "/api/platform/v1/stores?per_page=5", headers: { authorization: "Bearer tnk_key" } },
      { method: "GET", url: "/api/v1/posts" },
    ])
  })

  test("api prints the response body, also for an error", async () => {
    response = { status: 409, body: buildErrorBody("subdomain_taken") }
    const { stdout } = await runOperator(["api", "POST", "/stores", "--data={}"])
    expect(JSON.parse(stdout)).toEqual(response.body)
  })

  test("api sends a large body from the command line, a file or standard input", async () => {
    const body = JSON.stringify({ name: "é".repeat(600_000) })
    const file = join(directory, "body.json")
    writeFileSync(file, body)
    await runOperator(["api", "POST", "/stores", `--data=@${file}`])
    await runOperator(["api", "POST", "/stores", "--data=-"], { input: body })
    await runOperator(["api", "POST", "/stores", '--data={"a":1}'])
    expect(requests.map((request) => request.body)).toEqual([body, body, '{"a":1}'])
    expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(3)
  })

  test("api sends no credential to another host", async () => {
    for (const path of ["//evil.example/", "https://evil.example/", "/api/../../x\\@evil.example"]) {
      const { exit } = await runOperator(["api", "GET", path])
      expect([0, 2]).toContain(exit)
    }
    expect(requests.every(({ headers }) => headers.host === new URL(origin()).host)).toBe(true)
  })
})

describe("profiles", () => {
  test("profiles save platforms by name in a file that only the owner can read", async () => {
    const env = { TENANCY_URL: "", OPERATOR_TOKEN: "", TENANCY_KEY: "" }
    const save = ["profiles:save", "--name=eu", `--url=${origin()}`, "--token=-", "--key=tnk_of_eu_0123456789"]
    expect((await runOperator(save, { env, input: "token-of-eu\n" })).exit).toBe(0)
    await runOperator(["profiles:save", "--name=us", "--url=https://us.example.com"], { env })
    const file = join(directory, "tenancy/profiles.json")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { stdout } = await runOperator(["profiles:list", "--json"], { env })
    expect(stdout).not.toContain("token-of-eu")
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "eu", url: origin(), token: "saved", current: true },
      { name: "us", token: null, current: false },
    ])
    await runOperator(["keys:list"], { env })
    await runOperator(["api", "GET", "/me"], { env: { ...env, TENANCY_PROFILE: "eu" } })
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-of-eu",
      "Bearer token-of-eu",
      "Bearer tnk_of_eu_0123456789",
    ])
    expect((await runOperator(["keys:list", "--profile=us"], { env })).exit).toBe(6)
    expect((await runOperator(["keys:list", "--profile=asia"], { env })).stderr).toContain('Profile "asia" not found')
    chmodSync(file, 0o644)
    expect(await runOperator(["keys:list"], { env })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("chmod 600"),
    })
  })

  test("TENANCY_URL overrides the current profile and never receives its token", async () => {
    await runOperator(["profiles:save", "--name=eu", "--url=https://eu.example.com", "--token=token-of-eu"])
    await runOperator(["keys:list"])
    expect(requests[0]?.headers.authorization).toBe("Bearer operator-token")
    await runOperator(["profiles:remove", "--name=eu"])
    expect((await runOperator(["profiles:list"])).stdout).toBe("(none)\n")
  })
})

describe("help", () => {
  test.each([[[]], [["--help"]], [["-h"]], [["help"]]])("%j lists all commands and the exit codes", async (line) => {
    const { stdout, exit } = await runOperator(line)
    for (const text of ["keys:list", "stores:list", "api", "profiles:save", "--as=", "Exit codes"])
      expect(stdout).toContain(text)
    expect(stdout).not.toContain("\u001b")
    expect(exit).toBe(0)
  })

  test("help --json describes all commands, or one", async () => {
    expect(JSON.parse((await runOperator(["help", "--json"])).stdout)).toContainEqual(COMMANDS[0])
    expect(JSON.parse((await runOperator(["help", "api", "--json"])).stdout)).toHaveLength(1)
  })

  test.each([
    [["help", "keys"], ["keys:list"]],
    [
      ["stores", "--help"],
      ["stores:list", "stores:create"],
    ],
    [["stores"], ["stores:list", "stores:create"]],
    [
      ["trigger", "--help"],
      ["Usage: trigger <event>", "ping, store.ready"],
    ],
    [
      ["stores", "create", "-h"],
      ["Usage: stores:create --subdomain=", "--owner-email="],
    ],
    [
      ["help", "webhooks:create"],
      ["Values of events", "store.ready"],
    ],
  ])("%j shows %j", async (line, texts) => {
    const { stdout, exit } = await runOperator(line)
    for (const text of texts) expect(stdout).toContain(text)
    expect(exit).toBe(0)
    expect(stdout).not.toContain("profiles:save")
  })

  test("help rejects a command that does not exist", async () => {
    expect(await runOperator(["help", "nothing"])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Unknown command"),
    })
  })

  test("help lists the other commands, and says so, when the Worker is unreachable", async () => {
    const env = { TENANCY_URL: "http://127.0.0.1:1" }
    const result = await runOperator(["help"], { env })
    expect(result).toMatchObject({ exit: 0, stderr: expect.stringContaining("Cannot reach") })
    for (const text of ["profiles:save", "stores:list", "Not listed: the platform lists these commands"])
      expect(result.stdout).toContain(text)
    const group = await runOperator(["stores"], { env })
    expect(group).toMatchObject({ exit: 0, stderr: expect.stringContaining("Cannot reach") })
    for (const text of ["stores:list", "operator commands are not listed"]) expect(group.stdout).toContain(text)
    expect((await runOperator(["help", "--json"], { env })).exit).toBe(5)
  })

  test("--version prints the version", async () => {
    expect((await runOperator(["--version"])).stdout).toMatch(/^tenancy \d+\.\d+\.\d+\n$/)
    expect(JSON.parse((await runOperator(["--version", "--json"])).stdout)).toEqual({
      version: expect.any(String),
      api_version: expect.any(String),
    })
  })
})

describe("completion", () => {
  test.each([
    ["tenancy k", "keys:list keys:get"],
    ["tenancy keys:l", "list"],
    ["tenancy profiles:save --n", "--name="],
    ["tenancy trigger st", "store.ready"],
    ["tenancy trigger p", "ping"],
    ["tenancy listen --types=store.re", "store.ready store.resumed"],
    ["tenancy webhooks:create --events=domain.v", "domain.verified"],
    ["tenancy stores:list --status=re", "ready"],
    ["tenancy events:list --types=store.re", "store.ready store.resumed"],
  ])("bash completes %s", async (line, completed) => {
    const { stdout } = await runOperator(["completion", "bash"])
    const script = `${stdout}\nCOMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; compopt() { :; }; _tenancy; echo "\${COMPREPLY[*]}"`
    const child = spawn("bash", ["--norc", "-c", script])
    expect((await readText(child.stdout)).trim()).toBe(completed)
  })

  test("completion supports zsh and fish and rejects other shells", async () => {
    expect((await runOperator(["completion", "zsh"])).stdout).toContain("compdef _tenancy tenancy")
    expect((await runOperator(["completion", "fish"])).stdout).toContain("complete -c tenancy")
    expect((await runOperator(["completion", "cmd"])).exit).toBe(2)
  })
})
