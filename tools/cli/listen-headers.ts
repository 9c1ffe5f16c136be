// Parses `--header='name: value'` of `listen`.
import { UserError } from "../lib/project.ts"

/**
 * Parses headers that are sent with each event.
 * @throws UserError for an invalid name or value
 */
export function parseListenHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Headers()
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]*):(.*)$/s.exec(line) ?? []
    try {
      headers.set(name, value)
    } catch {
      throw new UserError(`--header=${line} must be name: value, e.g. "Authorization: Bearer 4f1c9a"`)
    }
  }
  return Object.fromEntries(headers)
}
