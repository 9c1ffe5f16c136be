// Maps results and errors to exit codes.
import { ApiError, UnreachableError } from "../lib/api.ts"
import { MissingCredentialsError, ProgramError, UserError } from "../lib/project.ts"

/** Exit codes and their meanings, as the help prints them. */
export const EXIT_CODES = {
  0: "success",
  1: "error",
  2: "invalid command or option",
  3: "refused by the platform",
  4: "not found",
  5: "platform unreachable",
  6: "token, key or login missing",
} as const

export type ExitCode = keyof typeof EXIT_CODES

/** Returns the exit code for a thrown value. */
export function getExitCode(thrown: unknown): ExitCode {
  if (thrown instanceof ApiError) return getExitCodeForStatus(thrown.status)
  if (thrown instanceof UnreachableError) return 5
  if (thrown instanceof MissingCredentialsError) return 6
  if (thrown instanceof ProgramError) return 1
  return thrown instanceof UserError ? 2 : 1
}

/** Returns the exit code for an HTTP status. */
export function getExitCodeForStatus(status: number): ExitCode {
  if (status < 400) return 0
  if (status === 404) return 4
  return status >= 500 ? 1 : 3
}
