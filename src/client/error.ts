// The error that every failed call throws.
import type { Operation, RefusalCode } from "./types.ts"

/** Codes of calls without a valid response. */
export type TransportCode = "connection_failed" | "timeout" | "invalid_answer"

/** Additional codes of `waitUntil`: it timed out, or the store failed. */
export type WaitCode = "wait_timeout" | "wait_failed"

/** All error codes of an operation. */
export type ErrorCode<Name extends Operation = Operation> = RefusalCode<Name> | TransportCode | WaitCode

export interface TenancyErrorInit<Code> {
  operation: string
  code: Code
  message: string
  /** HTTP status; 0 without a response. */
  status: number
  requestId: string | null
  /** Field to error messages. */
  errors: Record<string, string[]>
  /** Seconds to wait before a retry; null if the response has none. */
  retryAfter: number | null
  cause?: unknown
}

/**
 * An error response of the platform, or a connection error.
 *
 * The possible codes depend on the operation: `TenancyError.is(error, "stores.create")` checks for an error of that one
 * and narrows `code`. A platform newer than this client may send additional codes.
 */
export class TenancyError<Code extends string = ErrorCode> extends Error {
  override readonly name = "TenancyError"
  /** Name of the operation, such as `stores.create`. */
  readonly operation: string
  readonly code: Code
  readonly status: number
  /** Identifies the request in the platform's log; null without a response. */
  readonly requestId: string | null
  readonly errors: Record<string, string[]>
  readonly retryAfter: number | null

  constructor({ message, cause, ...init }: TenancyErrorInit<Code>) {
    super(message, cause === undefined ? undefined : { cause })
    this.operation = init.operation
    this.code = init.code
    this.status = init.status
    this.requestId = init.requestId
    this.errors = init.errors
    this.retryAfter = init.retryAfter
  }

  /** Narrows `error instanceof TenancyError` to the known codes; a generic class would be narrowed to any code. */
  static override [Symbol.hasInstance](thrown: unknown): thrown is TenancyError {
    return Function.prototype[Symbol.hasInstance].call(TenancyError, thrown)
  }

  /** Checks whether a thrown value is a TenancyError, optionally of one operation. */
  static is<Name extends Operation = Operation>(
    thrown: unknown,
    operation?: Name,
  ): thrown is TenancyError<ErrorCode<Name>> {
    return thrown instanceof TenancyError && (operation === undefined || thrown.operation === operation)
  }
}
