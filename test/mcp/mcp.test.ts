// The Model Context Protocol at /mcp: initialization, tools by scope, calls, and hostile messages.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { API_VERSION } from "../../src/core/write/events"
import { call } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { listOperations } from "../support/operations"
import { rows } from "../support/rows"

const post = (token: string | undefined, json: unknown, headers: Record<string, string> = {}) =>
  call("POST", "/mcp", { token, json, headers: { Accept: "application/json, text/event-stream", ...headers } })

const request = (token: string, method: string, params?: object) =>
  post(token, { jsonrpc: "2.0", id: 7, method, ...(params && { params }) })

const callTool = async (token: string, name: string, args?: object) =>
  (await request(token, "tools/call", { name, ...(args && { arguments: args }) })).body

const listTools = async (token: string): Promise<Tool[]> => (await request(token, "tools/list")).body.result.tools

interface Tool {
  name: string
  description: string
  inputSchema: { properties: Record<string, object>; required: string[] }
  annotations: { readOnlyHint: boolean; destructiveHint: boolean }
}

test("a client initializes, pings and lists a tool for every operation of the control plane", async () => {
  const token = await makeKey()
  const initialized = await request(token, "initialize", { protocolVersion: "2025-06-18", capabilities: {} })
  expect([initialized.status, initialized.body]).toMatchObject([
    200,
    {
      jsonrpc: "2.0",
      id: 7,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "tenancy", version: API_VERSION },
      },
    },
  ])
  const other = await request(token, "initialize", { protocolVersion: "1999-01-01" })
  expect(other.body.result.protocolVersion).toBe("2025-11-25")
  const notified = await post(token, { jsonrpc: "2.0", method: "notifications/initialized" })
  expect([notified.status, notified.text]).toEqual([202, ""])
  expect((await request(token, "ping")).body).toEqual({ jsonrpc: "2.0", id: 7, result: {} })

  const tools = await listTools(token)
  const operations = listOperations("platform")
  expect(tools).toHaveLength(operations.length)
  for (const { name, description, inputSchema } of tools) {
    expect(name).toMatch(/^[a-z_]{3,64}$/)
    expect(description).toMatch(/\S/)
    expect(JSON.stringify(inputSchema), name).not.toContain("$ref")
    for (const required of inputSchema.required) expect(inputSchema.properties, name).toHaveProperty(required)
  }
  // No field of a body has the name of a parameter.
  expect(tools.find(({ name }) => name === "domains_create")).toMatchObject({
    inputSchema: {
      properties: { id: { type: "string" }, domain: { type: "string" }, idempotency_key: {} },
      required: ["id", "domain"],
    },
    annotations: { readOnlyHint: false },
  })
  expect(tools.find(({ name }) => name === "stores_delete")?.annotations.destructiveHint).toBe(true)
})

test("offers and calls only the tools that the key's scopes allow", async () => {
  const reader = await makeKey({ scopes: ["read"] })
  const tools = await listTools(reader)
  expect(tools.length).toBeGreaterThan(15)
  expect(tools.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([])
  expect((await callTool(reader, "stores_suspend", { id: "acme" })).error).toMatchObject({ code: -32602 })
  const events = await makeKey({ scopes: ["read"] })
  await env.DB.exec("update api_keys set scopes = json_array('events:read') where id = (select max(id) from api_keys)")
  expect((await listTools(events)).map(({ name }) => name)).toEqual([
    "platform_get",
    "me_get",
    "events_list",
    "events_get",
  ])
})

test("calls make the requests of the control plane, with its audit log, idempotency keys and errors", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const read = await callTool(token, "stores_get", { id: store })
  expect(read.result).toMatchObject({ isError: false, structuredContent: { data: { id: store } } })
  expect(JSON.parse(read.result.content[0].text)).toEqual(read.result.structuredContent)
  const listed = await callTool(token, "stores_list", { per_page: 1, q: store })
  expect(listed.result.structuredContent.meta).toMatchObject({ per_page: 1, total: 1 })
  const feed = await callTool(token, "events_list", { types: ["store.*", "app.enabled"], limit: 1 })
  expect(feed.result.isError).toBe(false)

  const update = { id: store, name: "Ünïcödé 🦀", idempotency_key: "rename-1" }
  for (let count = 0; count < 2; count++)
    expect((await callTool(token, "stores_update", update)).result.structuredContent.data.name).toBe(update.name)
  const entries = await rows("select type from audit_entries where store_id = ? and actor_type = 'api_key'", store)
  expect(entries).toHaveLength(1)

  const invalid = await callTool(token, "stores_update", { id: store, name: "" })
  expect(invalid.result.isError).toBe(true)
  expect(JSON.parse(invalid.result.content[0].text).error).toMatchObject({ code: "validation_failed" })
  const missing = await callTool(token, "stores_get", { id: "a/../b?c" })
  expect(JSON.parse(missing.result.content[0].text).error.code).toBe("not_found")
  const deleted = await callTool(token, "stores_delete", { id: store, confirm: store })
  expect(deleted.result).toEqual({ content: [{ type: "text", text: "Done (204)." }], isError: false })
})

test("refuses invalid credentials before it reads the body, and tells clients when to return", async () => {
  const garbage = { method: "POST", body: "not json" }
  for (const [token, status] of [
    [undefined, 401],
    ["tnk_unknown", 401],
  ] as const) {
    const response = await call("POST", "/mcp", { token, body: garbage.body })
    expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([status, "Bearer"])
    expect(response.body).toMatchObject({ jsonrpc: "2.0", id: null, error: { message: expect.stringMatching(/\S/) } })
  }
  const token = await makeKey()
  const off = await call("POST", "/mcp", { token, json: {}, env: { TENANCY_API_ENABLED: "false" } })
  expect(off.status).toBe(503)
  const limited = { token, json: { jsonrpc: "2.0", id: 1, method: "ping" }, env: { TENANCY_API_RATE_LIMIT: "1" } }
  const allowed = await call("POST", "/mcp", limited)
  const refused = await call("POST", "/mcp", limited)
  expect([allowed.status, refused.status]).toEqual([200, 429])
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0)
  const names = ["Limit", "Remaining", "Reset"].map((name) => `X-RateLimit-${name}`)
  const listLimits = ({ headers }: typeof allowed) => names.map((name) => headers.get(name))
  expect(listLimits(allowed)).toEqual(["1", "0", null])
  expect(listLimits(refused)).toEqual(["1", "0", expect.stringMatching(/^\d{10}$/)])
})

test("a call that exceeds the rate limit has the headers of a 429, and those of the last request below it", async () => {
  const limited = (method: string, params: object) => {
    const json = { jsonrpc: "2.0", id: 1, method, params }
    return call("POST", "/mcp", { token, json, env: { TENANCY_API_RATE_LIMIT: "3" } })
  }
  const token = await makeKey()
  const listed = await limited("tools/call", { name: "stores_list" })
  expect([listed.body.result.isError, listed.headers.get("X-RateLimit-Remaining")]).toEqual([false, "1"])
  const refused = await limited("tools/call", { name: "stores_list" })
  expect([refused.status, refused.body.result.isError]).toEqual([200, true])
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0)
})

test("answers hostile messages with protocol errors", async () => {
  const token = await makeKey()
  const invalid: [unknown, number, number][] = [
    [[], 400, -32600],
    [[{ jsonrpc: "2.0", id: 1, method: "ping" }], 400, -32600],
    ["ping", 400, -32600],
    [{ id: 1, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1 }, 400, -32600],
    [{ jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, method: 5 }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 200, -32602],
    [{ jsonrpc: "2.0", id: 1, method: "constructor" }, 200, -32601],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call" }, 200, -32602],
  ]
  for (const [message, status, code] of invalid) {
    const response = await post(token, message)
    expect([response.status, response.body.error.code], JSON.stringify(message)).toEqual([status, code])
  }
  const calls: [string, unknown][] = [
    ["__proto__", {}],
    ["stores_get", {}],
    ["stores_get", { id: ".." }],
    ["stores_get", { id: "" }],
    ["stores_get", { id: { toString: "x" } }],
    ["stores_get", { id: "acme", "X-Evil": "1" }],
    ["stores_get", { id: "acme", constructor: 1 }],
    ["stores_get", [1]],
    ["stores_list", { q: { toString: 1, valueOf: 1 } }],
    ["stores_list", { q: [{ toString: null }] }],
  ]
  for (const [name, args] of calls)
    expect((await callTool(token, name, args as object)).error?.code, JSON.stringify([name, args])).toBe(-32602)
  const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
  const deep = await call("POST", "/mcp", {
    token,
    headers: { "Content-Type": "application/json" },
    body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stores_list","arguments":{"q":${nested}}}}`,
  })
  expect([deep.body.id, deep.body.error?.code]).toEqual([7, -32602])
  const headerBreak = await callTool(token, "stores_suspend", { id: "acme", idempotency_key: "a\r\nX-Evil: 1" })
  expect(headerBreak.error?.code).toBe(-32602)
  const notJson = await call("POST", "/mcp", {
    token,
    body: '{"jsonrpc":',
    headers: { "Content-Type": "application/json" },
  })
  expect([notJson.status, notJson.body.error.code]).toEqual([400, -32700])
  // The response to a request that this server never sends.
  expect((await post(token, { jsonrpc: "2.0", id: 1, result: {} })).status).toBe(202)
  expect((await post(token, { jsonrpc: "2.0", id: 1, method: "ping" }, { "MCP-Protocol-Version": "1.0" })).status).toBe(
    400,
  )
  expect(
    (await post(token, { jsonrpc: "2.0", id: 1, method: "ping" }, { Origin: "https://evil.example" })).status,
  ).toBe(403)
  for (const method of ["GET", "DELETE"]) {
    const response = await call(method, "/mcp", { token })
    expect([response.status, response.headers.get("Allow")]).toEqual([405, expect.stringContaining("POST")])
  }
  const store = await makeReadyStore()
  expect((await call("POST", "/mcp", { token, json: {}, host: hostOfStore(store) })).status).toBe(404)
})
