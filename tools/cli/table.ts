// Data as people read it in a terminal: lists as tables, single things as `name  value` lines.
import { cutTo, pad, printable, textWidth } from "./terminal.ts"

/** Anything that JSON can say. */
export type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }

/** Columns that a table's cell keeps however narrow the terminal is. */
const NARROWEST = 8

const GAP = "  "

export interface ReadableOptions {
  /** Columns of the terminal; as many as the text takes when absent. */
  width?: number
  /** What a table's head is wrapped in. */
  head?: (text: string) => string
}

/**
 * The text of some data: a table for an array of objects, a line a field for an object.
 * @returns lines without an end of line behind the last
 */
export function readable(data: Json, options: ReadableOptions = {}): string {
  if (Array.isArray(data)) {
    if (data.every(isObject)) return tableOf(data, options)
    return data.map((item) => limit(cell(item), options.width)).join("\n")
  }
  return isObject(data) ? fieldsOf(data, options) : limit(cell(data), options.width)
}

function tableOf(rows: Record<string, Json>[], options: ReadableOptions): string {
  if (rows.length === 0) return "(none)"
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const width = options.width ?? Number.POSITIVE_INFINITY
  // A table that would be all ellipses is read better one row below the other.
  if (names.length * (NARROWEST + GAP.length) > width) return rows.map((row) => fieldsOf(row, options)).join("\n\n")
  const head = names.map((name) => printable(name).toUpperCase())
  const lines = columns([head, ...rows.map((row) => names.map((name) => cell(row[name])))], width).split("\n")
  return [(options.head ?? String)(lines[0] ?? ""), ...lines.slice(1)].join("\n")
}

const fieldsOf = (row: Record<string, Json>, { width }: ReadableOptions): string =>
  columns(
    Object.entries(row).map(([name, value]) => [printable(name), cell(value)]),
    width,
  )

/**
 * Rows whose cells stand under each other, two spaces apart; the widest columns give way where there is no room.
 * @param width columns of the terminal
 */
export function columns(rows: string[][], width = Number.POSITIVE_INFINITY): string {
  const cut = rows.map((row) => row.map((text) => limit(text, width)))
  const natural = cut.reduce<number[]>(
    (known, row) => row.map((text, i) => Math.max(known[i] ?? 0, textWidth(text))),
    [],
  )
  const widths = shrink(natural, width)
  return cut
    .map((row) =>
      row
        .map((text, i) => pad(cutTo(text, widths[i] ?? 0), widths[i] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n")
}

/** Widths that cutTo, each no wider than it was: what is missing is taken from the widest. */
function shrink(natural: number[], width: number): number[] {
  const widths = [...natural]
  const room = width - GAP.length * (widths.length - 1)
  let over = widths.reduce((sum, one) => sum + one, 0) - room
  while (over > 0 && Number.isFinite(over)) {
    const widest = Math.max(...widths)
    if (widest <= NARROWEST) break
    const next = Math.max(NARROWEST, ...widths.filter((one) => one < widest))
    const sharing = widths.filter((one) => one === widest).length
    const each = Math.min(widest - next, Math.ceil(over / sharing)) || 1
    for (const [index, one] of widths.entries()) if (one === widest) widths[index] = one - each
    over -= each * sharing
  }
  return widths
}

const limit = (text: string, width = Number.POSITIVE_INFINITY): string =>
  Number.isFinite(width) ? cutTo(text, width) : text

function cell(value: Json): string {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value) && !value.some(isObject)) return printable(value.join(", ")) || "-"
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value))
}

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
