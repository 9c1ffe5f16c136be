// Messages of JSON-RPC 2.0, as the Model Context Protocol uses them.
import { isJsonObject } from "../lib/json"

/** Codes of errors (JSON-RPC 2.0, section 5.1). */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const

type RequestId = string | number

/** A request of a client; without an id it is a notification. */
export interface RpcMessage {
  id: RequestId | undefined
  method: string
  params: Record<string, unknown>
}

/** A request that is refused. */
export class RpcError extends Error {
  readonly code: number
  readonly id: RequestId | null

  constructor(code: number, message: string, id: RequestId | null = null) {
    super(message)
    this.code = code
    this.id = id
  }
}

const isRequestId = (value: unknown): value is RequestId =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value))

/**
 * Parses a message.
 * @returns null for the response to a request of a server, which this server never sends
 * @throws RpcError for anything but one request or notification; the protocol has no batches
 */
export function parseMessage(value: unknown): RpcMessage | null {
  if (!isJsonObject(value) || value.jsonrpc !== "2.0")
    throw new RpcError(RPC_ERRORS.invalidRequest, "The body must be one JSON-RPC 2.0 message")
  const id = isRequestId(value.id) ? value.id : undefined
  if (value.method === undefined && ("result" in value || "error" in value)) return null
  if (typeof value.method !== "string" || (value.id !== undefined && id === undefined))
    throw new RpcError(RPC_ERRORS.invalidRequest, "A request needs a method, and an id that is a string or a number")
  if (value.params !== undefined && !isJsonObject(value.params))
    throw new RpcError(RPC_ERRORS.invalidParams, "params must be an object", id ?? null)
  return { id, method: value.method, params: (value.params as Record<string, unknown> | undefined) ?? {} }
}

export const buildResult = (id: RequestId, result: object) => ({ jsonrpc: "2.0", id, result })

export const buildError = ({ code, message, id }: { code: number; message: string; id: RequestId | null }) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
})
