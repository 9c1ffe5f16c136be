// The Model Context Protocol at /mcp: the control plane's operations as tools for language models. It is stateless
// (streamable HTTP without sessions or streams). Every message is authorized by the control plane itself: a call is a
// request to it with the client's credential, and all others read the key.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { readJson } from "../core/http/body"
import { hostOf } from "../core/http/host"
import { Refusal, type RefusalOf } from "../core/http/refusal"
import { createSurface, type SurfaceEnv } from "../core/http/surface"
import { API_VERSION } from "../core/write/events"
import { type Bindings, publicUrl, settingsOf } from "../env"
import { platform } from "../platform/app"
import { callTool, type SendRequest, toToolResult } from "./call"
import { buildError, buildResult, parseMessage, RPC_ERRORS, RpcError, type RpcMessage } from "./json-rpc"
import { listAllowedTools, loadTools, type Scopes, toToolResource } from "./tools"

/** Versions of the protocol, newest first. */
const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"]

const MAX_BODY = 1_000_000

const INSTRUCTIONS =
  "Manages the stores of a multi-store platform: stores, subscriptions, domains, apps, plans, keys and webhooks. " +
  "Creating a store takes a few seconds: poll stores_get until its status is ready. Lists have pages."

const ERRORS = {
  http_error: [400, RPC_ERRORS.parse, "The body is not JSON."],
  forbidden: [403, RPC_ERRORS.invalidRequest, "Requests from this origin are not allowed."],
  not_found: [404, RPC_ERRORS.invalidRequest, "Not found."],
  method_not_allowed: [405, RPC_ERRORS.invalidRequest, "Send messages with POST."],
  temporarily_unavailable: [503, RPC_ERRORS.internal, "Temporarily unavailable. Try again in a few seconds."],
  server_error: [500, RPC_ERRORS.internal, "Something went wrong."],
} as const

type Code = keyof typeof ERRORS

const getStatus = (refusal: RefusalOf<Code>) =>
  refusal.code === "http_error" ? refusal.facts.status : ERRORS[refusal.code][0]

export const mcp = createSurface<SurfaceEnv, Code>({
  name: "mcp",
  base: "/mcp",
  gate: [
    async (c, next) => {
      const settings = settingsOf(c.env)
      if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
      // A page of another site that a browser shows must not reach the server.
      const origin = c.req.header("Origin")
      if (origin !== undefined && origin !== publicUrl(settings, settings.CENTRAL_DOMAIN))
        throw new Refusal("forbidden")
      await next()
    },
  ],
  maxBody: MAX_BODY,
  codes: ERRORS,
  refuse: (c, refusal) => {
    const [, code, message] = ERRORS[refusal.code]
    return c.json(buildError({ code, message, id: null }), getStatus(refusal))
  },
})

mcp.post("/", async (c) => {
  const send = createSender(c)
  // The credential is checked before anything of the body is parsed.
  const me = await send("GET", "/me")
  if (!me.ok) return respondUnauthorized(c, me)
  const { scopes } = ((await me.json()) as { data: { scopes: Scopes } }).data
  let message: RpcMessage | null = null
  try {
    const version = c.req.header("MCP-Protocol-Version")
    if (version !== undefined && !PROTOCOL_VERSIONS.includes(version))
      throw new RpcError(
        RPC_ERRORS.invalidRequest,
        `Supported versions of the protocol: ${PROTOCOL_VERSIONS.join(", ")}`,
      )
    message = parseMessage(await readJson(c))
    // Notifications and responses get no response.
    if (message?.id === undefined) return c.body(null, 202)
    return c.json(buildResult(message.id, await handle(c.env, message, scopes, send)))
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause
    const id = message?.id ?? cause.id
    const isTransportError = cause.code === RPC_ERRORS.invalidRequest
    return c.json(buildError({ code: cause.code, message: cause.message, id }), isTransportError ? 400 : 200)
  }
})

/** @throws RpcError for an unknown method or tool, and for invalid parameters */
async function handle(
  env: Bindings,
  { method, params }: RpcMessage,
  scopes: Scopes,
  send: SendRequest,
): Promise<object> {
  // lint: the methods of the protocol are open
  switch (method) {
    case "initialize":
      return {
        protocolVersion:
          PROTOCOL_VERSIONS.find((version) => version === params.protocolVersion) ?? PROTOCOL_VERSIONS[0],
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: "tenancy", title: "Tenancy", version: API_VERSION },
        instructions: INSTRUCTIONS,
      }
    case "ping":
      return {}
    case "tools/list":
      return { tools: listAllowedTools(await loadTools(env), scopes).map(toToolResource) }
    case "tools/call": {
      const tool = listAllowedTools(await loadTools(env), scopes).find(({ name }) => name === params.name)
      if (!tool) throw new RpcError(RPC_ERRORS.invalidParams, "Unknown tool, or the API key lacks its scope")
      const args = params.arguments ?? {}
      if (typeof args !== "object" || Array.isArray(args))
        throw new RpcError(RPC_ERRORS.invalidParams, "arguments must be an object")
      return toToolResult(await callTool(tool, args as Record<string, unknown>, send))
    }
    default:
      throw new RpcError(RPC_ERRORS.methodNotFound, "The method does not exist")
  }
}

/** Headers that a request to the control plane takes over: the credential, the language, and the client's address. */
const FORWARDED_HEADERS = ["Authorization", "X-API-KEY", "Accept-Language", "CF-Connecting-IP", "CF-Worker"]

/** Headers that the response takes over from the control plane's last response. */
const RETURNED_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"]

function createSender(c: Context<SurfaceEnv>): SendRequest {
  return async (method, path, { body, idempotencyKey } = {}) => {
    const headers = new Headers({ Accept: "application/json" })
    for (const name of FORWARDED_HEADERS) {
      const value = c.req.header(name)
      if (value !== undefined) headers.set(name, value)
    }
    if (body !== undefined) headers.set("Content-Type", "application/json")
    if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey)
    const url = new URL(`/api/platform/v1${path}`, c.req.url)
    const request = new Request(url, { method, headers, body })
    const response = await platform.fetch(request, c.env, c.executionCtx as ExecutionContext)
    for (const name of RETURNED_HEADERS) c.header(name, response.headers.get(name) ?? undefined)
    return response
  }
}

/** Responds to a client whose credential the control plane refused, with its status and message. */
async function respondUnauthorized(c: Context<SurfaceEnv>, refused: Response): Promise<Response> {
  const { error } = (await refused.json()) as { error: { message: string } }
  c.header("Cache-Control", "no-store")
  if (refused.status === 401) c.header("WWW-Authenticate", "Bearer")
  const body = buildError({ code: RPC_ERRORS.invalidRequest, message: error.message, id: null })
  return c.json(body, refused.status as ContentfulStatusCode)
}
