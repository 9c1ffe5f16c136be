// Formats errors for people, and as JSON for programs.
import { ApiError, UnreachableError } from "../lib/api.ts"
import { MissingCredentialsError, ProgramError, UserError } from "../lib/project.ts"
import type { CommandOption } from "./commands.ts"
import { createPainter, escapeUnprintable, replaceUnprintable, supportsColor, truncateText } from "./terminal.ts"

/** Longer error messages are truncated. */
const MAX_ERROR_LENGTH = 500

/**
 * Describes an error for standard error; field errors follow on one line each.
 * @param options those of the command, whose help names them with dashes where the API has underscores
 */
export function describeError(error: unknown, options: readonly CommandOption[] = []): string {
  const paint = createPainter(supportsColor(process.stderr))
  if (!(error instanceof ApiError)) return paint("red", getMessage(error))
  const faults = Object.entries(error.fields).map(
    ([field, messages]) => `  --${findOptionName(field, options)}: ${messages.join(" ")}`,
  )
  const lines = [`${error.message} (${error.code})`, ...faults].map((line) =>
    truncateText(replaceUnprintable(line), MAX_ERROR_LENGTH),
  )
  return [paint("red", lines[0] ?? ""), ...lines.slice(1)].join("\n")
}

/** Returns the option of a field; a field within a value, such as `filter.0.op`, belongs to the option of the value. */
function findOptionName(field: string, options: readonly CommandOption[]): string {
  const toDashes = (name: string) => name.replaceAll("_", "-")
  const find = (name: string) => options.find((option) => toDashes(option.name) === toDashes(name))?.name
  return find(field) ?? find(field.split(".")[0] ?? "") ?? field
}

/** Formats an error as an API does: `{"error": {"code", "message", "errors"}}`. */
export function formatErrorJson(error: unknown): string {
  const message = getMessage(error)
  const body =
    error instanceof ApiError
      ? { code: error.code, message, status: error.status, errors: error.fields }
      : { code: getCode(error), message }
  return escapeUnprintable(JSON.stringify({ error: body }, null, 2))
}

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function getCode(error: unknown): string {
  if (error instanceof UnreachableError) return "unreachable"
  if (error instanceof MissingCredentialsError) return "missing_credentials"
  if (error instanceof ProgramError) return "error"
  return error instanceof UserError ? "invalid_usage" : "error"
}
