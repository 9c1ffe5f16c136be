// What a call throws when it comes to nothing.
import type { Operation, RefusalCode } from "./types.ts"

/** What became of a call that the platform did not answer, or answered with what it never sends. */
export type TransportCode = "connection_failed" | "timeout" | "invalid_answer"

/** What `waitUntil` may end with beside the errors of its reads: the time was up, or the store went where no waiting helps. */
export type WaitCode = "wait_timeout" | "wait_failed"

/** The codes that an operation's error may carry. */
export type ErrorCode<Name extends Operation = Operation> = RefusalCode<Name> | TransportCode | WaitCode

export interface ErrorFacts<Code> {
  operation: Operation
  code: Code
  message: string
  /** HTTP status; 0 when there was no answer. */
  status: number
  requestId: string | null
  /** What is wrong with which field. */
  errors: Record<string, string[]>
  /** Seconds after which another try may succeed; null when nothing was said of it. */
  retryAfter: number | null
  cause?: unknown
}

/**
 * A refusal of the platform, or a fault on the way to it.
 *
 * Which codes are possible depends on the operation: `TenancyError.is(error, "stores.create")` tells an error of that one
 * and narrows `code` to what it may refuse with. A platform newer than this client may send further codes.
 */
export class TenancyError<Code extends string = ErrorCode> extends Error {
  override readonly name = "TenancyError"
  readonly operation: Operation
  readonly code: Code
  readonly status: number
  /** What the platform's log knows the request by; null when there was no answer. */
  readonly requestId: string | null
  readonly errors: Record<string, string[]>
  readonly retryAfter: number | null

  constructor({ message, cause, ...facts }: ErrorFacts<Code>) {
    super(message, cause === undefined ? undefined : { cause })
    this.operation = facts.operation
    this.code = facts.code
    this.status = facts.status
    this.requestId = facts.requestId
    this.errors = facts.errors
    this.retryAfter = facts.retryAfter
  }

  /** Whether something thrown is an error of this client, and of the given operation if one is given. */
  static is<Name extends Operation = Operation>(
    thrown: unknown,
    operation?: Name,
  ): thrown is TenancyError<ErrorCode<Name>> {
    return thrown instanceof TenancyError && (operation === undefined || thrown.operation === operation)
  }
}
