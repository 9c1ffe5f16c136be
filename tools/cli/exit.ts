// How a command ended, for the shell that called it.
import { ApiRefusal, Unreachable } from "../lib/api.ts"
import { UserError } from "../lib/project.ts"

/** The exit codes, and when each is given. */
export const EXITS = {
  0: "done",
  1: "a fault: the platform's own, or one that nobody foresaw",
  2: "the command line cannot be understood, or something it needs is missing here",
  3: "the platform refused",
  4: "what was asked for is not there",
  5: "nobody answers at that address",
} as const

export type Exit = keyof typeof EXITS

/** The exit code for something thrown. */
export function exitOf(thrown: unknown): Exit {
  if (thrown instanceof ApiRefusal) return exitOfStatus(thrown.status)
  if (thrown instanceof Unreachable) return 5
  return thrown instanceof UserError ? 2 : 1
}

/** The exit code for an HTTP status. */
export function exitOfStatus(status: number): Exit {
  if (status < 400) return 0
  if (status === 404) return 4
  return status >= 500 ? 1 : 3
}
