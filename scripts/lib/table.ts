// Data as people read it in a terminal: lists as tables, single things as `name  value` lines.

/** Anything that JSON can say. */
type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }

/**
 * The text of some data: a table for an array of objects, a line a field for an object.
 * @returns lines without an end of line behind the last
 */
export function readable(data: Json): string {
  if (Array.isArray(data)) return data.every(isObject) ? tableOf(data) : data.map(cell).join("\n")
  return isObject(data) ? columns(Object.entries(data).map(([name, value]) => [name, cell(value)])) : cell(data)
}

function tableOf(rows: Record<string, Json>[]): string {
  if (rows.length === 0) return "(none)"
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return columns([names.map((name) => name.toUpperCase()), ...rows.map((row) => names.map((name) => cell(row[name])))])
}

/** Rows whose cells stand under each other, two spaces apart. */
export function columns(rows: string[][]): string {
  const widths = rows.reduce<number[]>((known, row) => row.map((text, i) => Math.max(known[i] ?? 0, text.length)), [])
  return rows
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

function cell(value: Json): string {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value) && !value.some(isObject)) return value.join(", ") || "-"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
