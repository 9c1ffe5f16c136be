// Stores JSON texts compressed, as `1` and the base64 of the compressed text, followed by a JSON array of the values
// that only the database knows. The text contains a NUL, which JSON has to escape, in the place of each value. Texts
// that were stored before begin with `{` and are read unchanged.
//
// Base64 instead of a BLOB: D1 transfers a BLOB as a JSON array of numbers, about 3.6 bytes each.
import { type SQL, sql } from "drizzle-orm"
import { customType } from "drizzle-orm/sqlite-core"
import { deflateText, inflateText } from "../lib/deflate"
import { RESOURCES_1 } from "./dictionary"

/** The first character names the dictionary; a new one gets the next digit. */
const VERSION = "1"

/** A placeholder of a value that the database inserts. */
const PLACEHOLDER = "\0"

/** A text column whose values are compressed. In SQL, read it through `mapWith`, and never search it. */
export const compressedText = customType<{ data: string; driverData: string }>({
  dataType: () => "text",
  toDriver: compressText,
  fromDriver: decompressText,
})

/** Compresses a JSON text as it is stored. */
export function compressText(text: string): string {
  return VERSION + deflateText(text, RESOURCES_1).toBase64()
}

/**
 * Restores a stored text.
 * @throws Error when it is damaged
 */
export function decompressText(stored: string): string {
  if (!stored.startsWith(VERSION)) return stored
  const end = stored.indexOf("[")
  const data = Uint8Array.fromBase64(end < 0 ? stored.slice(1) : stored.slice(1, end))
  const text = inflateText(data, RESOURCES_1)
  if (end < 0) return text
  const values = JSON.parse(stored.slice(end)) as unknown[]
  const parts = text.split(PLACEHOLDER)
  return parts.map((part, index) => (index ? JSON.stringify(values[index - 1]) + part : part)).join("")
}

/**
 * Builds the expression that stores a JSON value some of whose texts, numbers or nulls only the database knows.
 * @param value has no other reference to the objects that contain the paths
 * @param late the path of each value, such as `$.data.order.number`, and its expression
 * @param nonce a text that the value contains nowhere as part of a longer one that begins with `late:`
 */
export function compressedJson(value: object, late: Record<`$.${string}`, SQL>, nonce: string): SQL | string {
  const expressions = Object.values(late)
  if (!expressions.length) return JSON.stringify(value)
  for (const [index, path] of Object.keys(late).entries()) {
    setAt(value, path.split(".").slice(1), `late:${nonce}:${index}`)
  }
  const inOrder: SQL[] = []
  const text = JSON.stringify(value).replace(new RegExp(`"late:${nonce}:(\\d+)"`, "g"), (_, index: string) => {
    inOrder.push(expressions[Number(index)] as SQL)
    return PLACEHOLDER
  })
  return sql`${compressText(text)} || json_array(${sql.join(inOrder, sql`, `)})`
}

function setAt(target: object, [key = "", ...rest]: string[], value: string): void {
  const record = target as Record<string, unknown>
  if (rest.length) setAt(record[key] as object, rest, value)
  else record[key] = value
}
