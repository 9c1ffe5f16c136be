// The fields that blog resources share, derives slugs and search texts, and matches path segments.
import { eq, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import * as z from "zod"
import type { PartialInput } from "../../core/http/input"
import {
  commaList,
  emptyAsNull,
  isTimestamp,
  multilineText,
  shortText,
  text,
  violates,
} from "../../core/http/validation"
import { parseIdOrSlug } from "../../db/prepared-by-slug"
import { slugify } from "../../lib/slug"
import { foldCase } from "../case-folding"

export const STATUSES = ["published", "draft", "pending"] as const

const MAX_SLUG_LENGTH = 120
const MAX_CONTENT_LENGTH = 200_000

export const name = text({ max: 250 }).describe("title")
export const slug = text({ max: MAX_SLUG_LENGTH })
  .refine((value) => slugify(value, MAX_SLUG_LENGTH) === value && !/^\d+$/.test(value), violates("format"))
  .meta({ pattern: "^(?![0-9]+$)[a-z0-9]+(-[a-z0-9]+)*$" })
  .optional()
  .describe("URL slug; generated from the title if omitted")
export const description = emptyAsNull(multilineText({ max: 400 })).describe("short description")
/** A row stores the text twice, once folded for search, and D1 limits rows to 2 MB. */
export const markup = shortText(MAX_CONTENT_LENGTH).transform((value) => value.toWellFormed())
export const imageUrl = shortText(500)
  .trim()
  .regex(/^(https?:\/\/|\/)\S+$/)
export const image = emptyAsNull(imageUrl).describe("a URL, or a path such as /media/…")
export const status = z.enum(STATUSES).describe(STATUSES.join(", "))
export const timestamp = z.iso
  .datetime({ offset: true })
  .refine(isTimestamp, violates("date"))
  .transform((value) => new Date(value))
export const createdAt = timestamp.optional().describe("date of creation, ISO 8601; defaults to now")

/** An id or a slug, which never consists of digits only. */
export const idOrSlug = z.union([z.int().min(1).transform(String), shortText(MAX_SLUG_LENGTH)])

/** A list of ids or slugs, as a JSON array or comma-separated. */
export const idsOrSlugs = commaList(idOrSlug, { max: 100 }).transform((items) => [...new Set(items.filter(Boolean))])

/**
 * Returns the slug of the input, or derives it from the name; null when the name yields none. Without a valid name or
 * slug it is empty, which equals no row's.
 */
export function deriveSlug(
  input: Pick<PartialInput<{ slug?: string | undefined; name: string }, never>, "valid" | "isValid">,
): string | null {
  const { slug, name } = input.valid
  const derived = slug ?? (name === undefined || !input.isValid("slug") ? undefined : slugify(name, MAX_SLUG_LENGTH))
  if (derived === undefined) return ""
  return derived && !/^\d+$/.test(derived) ? derived : null
}

/** Converts HTML to a search text: without tags, with entities decoded, white space collapsed, and case folded. */
export const toSearchText = (html: string): string =>
  foldCase(
    stripScripts(html)
      .replace(/<[^<>]*>/g, " ")
      .replace(/&(amp|lt|gt|quot|#39|apos|nbsp);/g, (_, entity: string) => ENTITIES[entity] ?? " ")
      .replace(/\s+/g, " "),
  ).trim()

/** Removes scripts and styles. An unclosed one removes the rest of the text, as in a browser. */
function stripScripts(html: string): string {
  const opening = /<(script|style)\b/gi
  let result = ""
  let position = 0
  for (let match = opening.exec(html); match; match = opening.exec(html)) {
    result += `${html.slice(position, match.index)} `
    const end = match[1]?.toLowerCase() === "script" ? /<\/script\s*>/gi : /<\/style\s*>/gi
    end.lastIndex = opening.lastIndex
    if (!end.exec(html)) return result
    position = end.lastIndex
    opening.lastIndex = position
  }
  return result + html.slice(position)
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", apos: "'" }

/**
 * Builds the condition that a row has the id or slug in a path segment. Plain positive integers are ids.
 * @param segment any path segment; an invalid one matches no row
 */
export function hasIdOrSlug(table: { id: SQLiteColumn; slug: SQLiteColumn }, segment: string): SQL {
  const { by, name } = parseIdOrSlug(segment)
  return eq(table[by], name)
}
