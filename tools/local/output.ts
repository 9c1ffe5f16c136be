// Filters wrangler's output down to the Worker's log lines and errors.
import { stripVTControlCharacters } from "node:util"

/** Wrangler's own messages: progress, the table of bindings, the list of requests. */
const NOISE_PATTERNS = [
  /^\[wrangler:/,
  /^⎔ /,
  /^\[custom build\] Running: /,
  /^Your Worker has access to the following bindings/,
  /^Binding\s+Resource/,
  /^env\.\S+ .*\s(local|remote|not connected)$/,
  /^Using secrets defined in /,
  /^\s*⛅️ wrangler/,
  /^─+$/,
]

/** Warnings that `npm start` handles itself or causes: the seed moves the clock past alarms. */
const EXPECTED_WARNINGS = [/^Scheduled Workers are not automatically triggered/, /^NOSENTRY SQLite alarm overdue/]

/** Warnings of the Worker that only the seed's clock causes, which jumps over hours and days. */
const CLOCK_WARNINGS = ["alert changed", "a step of a job exceeded its time budget"]

export interface OutputOptions {
  /** Shorten the Worker's JSON log lines to readable text. */
  compact: boolean
  /** For the seed: only show warnings and errors, except for those that its clock causes. */
  quiet: boolean
}

/**
 * Creates a filter for the lines of `wrangler dev`. Its state is whether the current message, which continues in
 * indented lines, is shown.
 * @returns a function that maps a line to the text to print, or null
 */
export function createOutputFilter({ compact, quiet }: OutputOptions): (line: string) => string | null {
  let block: "none" | "shown" | "hidden" = "none"
  return (raw) => {
    const line = stripVTControlCharacters(raw)
    const titleMatch = /^[▲✘] \[(?:WARNING|ERROR)\] (.*)$/.exec(line)
    if (titleMatch) {
      const title = titleMatch[1] ?? ""
      const isExpected = EXPECTED_WARNINGS.some((pattern) => pattern.test(title)) || (quiet && isClockWarning(title))
      block = isExpected ? "hidden" : "shown"
      return block === "shown" ? formatLogLine(title, compact) : null
    }
    if (line.trim() === "") return null
    if (block !== "none" && /^\s/.test(line)) return block === "shown" ? line : null
    block = "none"
    return quiet || NOISE_PATTERNS.some((pattern) => pattern.test(line)) ? null : formatLogLine(line, compact)
  }
}

/** Whether a line is a warning of the Worker that the seed's clock causes. */
function isClockWarning(line: string): boolean {
  const fields = parseLogLine(line)
  return fields?.level === "warn" && CLOCK_WARNINGS.includes(String(fields.message))
}

/** Formats a JSON log line as `LEVEL message  name=value …`; other lines stay unchanged. */
function formatLogLine(line: string, compact: boolean): string {
  const fields = compact && line.startsWith("{") ? parseLogLine(line) : null
  if (!fields) return line
  const { level, message, method, path, status, ms, surface: _, ...rest } = fields
  const title = message === "request" ? `${method} ${path} ${status} ${ms} ms` : `${message}`
  const words = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return `${level === "info" ? "" : `${level} `.toUpperCase()}${title}  ${words.join(" ")}`.trimEnd()
}

function parseLogLine(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
