// What of wrangler's output is worth showing: the Worker's own log lines and errors, without wrangler's decoration.
import { stripVTControlCharacters } from "node:util"

/** Wrangler speaking of itself: its progress, its table of bindings, its list of requests. */
const chatter = [
  /^\[wrangler:/,
  /^⎔ /,
  /^Your Worker has access to the following bindings/,
  /^Binding\s+Resource/,
  /^env\.\S+ .*\s(local|remote|not connected)$/,
  /^Using secrets defined in /,
  /^\s*⛅️ wrangler/,
  /^─+$/,
]

/** Warnings about what `npm start` takes care of itself, or causes: the seed moves the clock under alarms that were set. */
const expectedWarnings = [/^Scheduled Workers are not automatically triggered/, /^NOSENTRY SQLite alarm overdue/]

export interface OutputOptions {
  /** Make the Worker's JSON lines short lines for people; otherwise they stay as they are. */
  compact: boolean
  /** Show warnings and errors only. */
  quiet: boolean
}

/**
 * A filter over the lines of `wrangler dev`. It remembers one thing from line to line: whether the message that goes on in
 * the indented lines below its title is shown.
 * @returns a function that answers the text to show for a line, or null for nothing
 */
export function outputFilter({ compact, quiet }: OutputOptions): (line: string) => string | null {
  let block: "none" | "shown" | "hidden" = "none"
  return (raw) => {
    const line = stripVTControlCharacters(raw)
    const titled = /^[▲✘] \[(?:WARNING|ERROR)\] (.*)$/.exec(line)
    if (titled) {
      const title = titled[1] ?? ""
      block = expectedWarnings.some((pattern) => pattern.test(title)) ? "hidden" : "shown"
      return block === "shown" ? logLine(title, compact) : null
    }
    if (line.trim() === "") return null
    if (block !== "none" && /^\s/.test(line)) return block === "shown" ? line : null
    block = "none"
    return quiet || chatter.some((pattern) => pattern.test(line)) ? null : logLine(line, compact)
  }
}

/** A structured line of the Worker as `LEVEL message  name=value …`; anything else as it is. */
function logLine(line: string, compact: boolean): string {
  const facts = compact && line.startsWith("{") ? parse(line) : null
  if (!facts) return line
  const { level, message, method, path, status, ms, surface: _, ...rest } = facts
  const title = message === "request" ? `${method} ${path} ${status} ${ms} ms` : `${message}`
  const words = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return `${level === "info" ? "" : `${level} `.toUpperCase()}${title}  ${words.join(" ")}`.trimEnd()
}

function parse(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
