// Calls a tool: turns its arguments into a request of the control plane, which authorizes, validates and executes it.
import { RPC_ERRORS, RpcError } from "./json-rpc"
import type { Tool } from "./tools"

/** Sends a request to the control plane as the client that called. */
export type SendRequest = (
  method: string,
  path: string,
  options?: { body?: string; idempotencyKey?: string },
) => Promise<Response>

/**
 * Calls a tool.
 * @returns its result; an error of the control plane is a result too, so that the model can correct its call
 * @throws RpcError for arguments that make no request
 */
export async function callTool(tool: Tool, args: Record<string, unknown>, send: SendRequest): Promise<Response> {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(tool.inputSchema.properties, name))
  if (unknown !== undefined) throw new RpcError(RPC_ERRORS.invalidParams, `${tool.name} has no argument ${unknown}`)
  const path = tool.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, args[name]))
  const query = new URLSearchParams()
  for (const name of tool.query) {
    const value = args[name]
    if (value !== undefined && value !== null) query.set(name, toQueryValue(name, value))
  }
  const fields = tool.body.filter((name) => args[name] !== undefined).map((name) => [name, args[name]])
  const key = args.idempotency_key
  if (key !== undefined && !(typeof key === "string" && /^[\x20-\x7e]+$/.test(key)))
    throw new RpcError(RPC_ERRORS.invalidParams, "idempotency_key must be a text in ASCII")
  return send(tool.method, `${path}${query.size ? `?${query}` : ""}`, {
    ...(tool.body.length > 0 && { body: JSON.stringify(Object.fromEntries(fields)) }),
    ...(typeof key === "string" && { idempotencyKey: key }),
  })
}

/** @throws RpcError for anything but a scalar or a list of scalars */
function toQueryValue(name: string, value: unknown): string {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (!values.every((one) => ["string", "number", "boolean"].includes(typeof one)))
    throw new RpcError(RPC_ERRORS.invalidParams, `The argument ${name} must be a string, a number, a boolean or a list`)
  return values.join(",")
}

/** @throws RpcError for a value that cannot name a resource, or would change the path */
function encodeSegment(name: string, value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : ""
  if (["", ".", ".."].includes(text))
    throw new RpcError(RPC_ERRORS.invalidParams, `The argument ${name} must be a string or a number that is not empty`)
  return encodeURIComponent(text.toWellFormed())
}

/** Turns a response of the control plane into the result of a tool. */
export async function toToolResult(response: Response): Promise<object> {
  const text = await response.text()
  const isError = !response.ok
  // An error keeps its body, with its code and the messages of the fields.
  const content = [{ type: "text", text: text || `Done (${response.status}).` }]
  return { content, ...(text && !isError && { structuredContent: JSON.parse(text) }), isError }
}
