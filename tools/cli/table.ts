// Formats data for a terminal: lists as tables, single objects as `name  value` lines followed by their lists. Amounts
// are shown in units of their currency, and nested objects by their name or identifier.
import { formatAmounts, getCurrency } from "./amounts.ts"
import { getTextWidth, padText, replaceUnprintable, truncateText } from "./terminal.ts"

/** Any JSON value. */
export type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }

/** Table columns never shrink below this width. */
const MIN_COLUMN_WIDTH = 8

const COLUMN_GAP = "  "

export interface FormatOptions {
  /** Columns of the terminal; unlimited by default. */
  width?: number
  /** Styles the header of a table. */
  head?: (text: string) => string
}

/**
 * Formats data: an array of objects as a table, an object as one line per field.
 * @returns lines without a trailing newline
 */
export function formatData(data: Json, options: FormatOptions = {}): string {
  if (Array.isArray(data)) {
    if (data.every(isObject)) return formatTable(data, options)
    return data.map((item) => truncateToWidth(formatCell(item), options.width)).join("\n")
  }
  return isObject(data) ? formatFields(data, options) : truncateToWidth(formatCell(data), options.width)
}

function formatTable(records: Record<string, Json>[], options: FormatOptions): string {
  if (records.length === 0) return "(none)"
  const rows = records.map((record) => formatAmounts(record))
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const width = options.width ?? Number.POSITIVE_INFINITY
  // A table that consisted of ellipses would be useless, so each row becomes a block of fields.
  if (names.length * (MIN_COLUMN_WIDTH + COLUMN_GAP.length) > width)
    return rows.map((row) => formatCells(row, options)).join("\n\n")
  const formatHeader = names.map((name) => replaceUnprintable(name).toUpperCase())
  const lines = alignColumns(
    [formatHeader, ...rows.map((row) => names.map((name) => formatCell(row[name])))],
    width,
  ).split("\n")
  return [(options.head ?? String)(lines[0] ?? ""), ...lines.slice(1)].join("\n")
}

const formatCells = (row: Record<string, Json>, { width }: FormatOptions): string =>
  alignColumns(
    Object.entries(row).map(([name, value]) => [replaceUnprintable(name), formatCell(value)]),
    width,
  )

/** Lists an object's fields; those of a nested object follow as `plan.name`. */
function listFields(row: Record<string, Json>, currency?: string): [name: string, value: Json][] {
  return Object.entries(formatAmounts(row, currency)).flatMap(([name, value]): [string, Json][] => {
    if (!isObject(value) || !Object.keys(value).length) return [[name, value]]
    return listFields(value, getCurrency(row) ?? currency).map(([field, one]) => [`${name}.${field}`, one])
  })
}

/** A PEM block, which is only valid with its line breaks. */
const PEM = /^-----BEGIN [A-Z ]+-----\n(?:[A-Za-z0-9+/=]+\n)+-----END [A-Z ]+-----\n?$/

/**
 * Formats an object as one line per field. Lists of objects follow as tables, and PEM blocks unindented and complete,
 * so that they can be copied.
 */
function formatFields(row: Record<string, Json>, options: FormatOptions): string {
  const lines: string[][] = []
  const blocks: string[] = []
  for (const [name, value] of listFields(row)) {
    const title = replaceUnprintable(name)
    if (typeof value === "string" && PEM.test(value)) blocks.push(`${title}\n${value.trimEnd()}`)
    else if (isTable(value)) blocks.push(`\n${title}\n${formatTable(value, options)}`)
    else lines.push([title, formatCell(value)])
  }
  return [...(lines.length ? [alignColumns(lines, options.width)] : []), ...blocks].join("\n")
}

/**
 * Aligns rows in columns, two spaces apart. The widest columns are truncated to fit.
 * @param width columns of the terminal
 */
export function alignColumns(rows: string[][], width = Number.POSITIVE_INFINITY): string {
  const cut = rows.map((row) => row.map((text) => truncateToWidth(text, width)))
  const natural = cut.reduce<number[]>(
    (known, row) => row.map((text, i) => Math.max(known[i] ?? 0, getTextWidth(text))),
    [],
  )
  const widths = shrinkWidths(natural, width)
  return cut
    .map((row) =>
      row
        .map((text, i) => padText(truncateText(text, widths[i] ?? 0), widths[i] ?? 0))
        .join(COLUMN_GAP)
        .trimEnd(),
    )
    .join("\n")
}

/** Shrinks the widest columns until all of them fit. */
function shrinkWidths(natural: number[], width: number): number[] {
  const widths = [...natural]
  const room = width - COLUMN_GAP.length * (widths.length - 1)
  let over = widths.reduce((sum, one) => sum + one, 0) - room
  while (over > 0 && Number.isFinite(over)) {
    const widest = Math.max(...widths)
    if (widest <= MIN_COLUMN_WIDTH) break
    const next = Math.max(MIN_COLUMN_WIDTH, ...widths.filter((one) => one < widest))
    const sharing = widths.filter((one) => one === widest).length
    const each = Math.min(widest - next, Math.ceil(over / sharing)) || 1
    for (const [index, one] of widths.entries()) if (one === widest) widths[index] = one - each
    over -= each * sharing
  }
  return widths
}

const truncateToWidth = (text: string, width = Number.POSITIVE_INFINITY): string =>
  Number.isFinite(width) ? truncateText(text, width) : text

const formatCell = (value: Json): string => replaceUnprintable(getText(value)) || "-"

/** Fields that identify an object to a person, in order of preference. */
const LABELS = ["name", "slug", "number", "code", "email", "host", "url", "type", "id"]

const getLabel = (value: Record<string, Json>) =>
  LABELS.map((name) => value[name]).find((one) => typeof one === "string" || typeof one === "number")

/** Returns the text of a value: of an object its label, or else its fields. */
function getText(value: Json): string {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value)) return value.map(getText).join(", ")
  if (typeof value !== "object") return String(value)
  const label = getLabel(value)
  if (label !== undefined) return String(label)
  return Object.entries(formatAmounts(value))
    .map(([name, one]) =>
      isObject(one) && getLabel(one) === undefined ? `${name} (${getText(one)})` : `${name}: ${getText(one)}`,
    )
    .join(", ")
}

const isTable = (value: Json): value is Record<string, Json>[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject)

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
