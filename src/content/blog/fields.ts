// What the things of the blog have in common: fields, the folding of names, and the ways to name one.
import { eq, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import * as z from "zod"
import { invalid } from "../../core/http/refusal"
import { commaList, emptiable, fault, prose, shortText, text } from "../../core/http/validation"
import { nameIn } from "../../db/prepared-by-slug"
import { slugify } from "../../lib/slug"
import { fold } from "../case-folding"

export const STATUSES = ["published", "draft", "pending"] as const

const MAX_SLUG = 120
const MAX_CONTENT = 200_000

/** Fields of an input, as an operator's command takes them. */
export const name = text({ max: 250 }).describe("its title")
export const slug = text({ max: MAX_SLUG })
  .refine((value) => slugify(value, MAX_SLUG) === value && !/^\d+$/.test(value), fault("format"))
  .meta({ pattern: "^(?![0-9]+$)[a-z0-9]+(-[a-z0-9]+)*$" })
  .optional()
  .describe("its name in paths; made of the title unless given")
export const description = emptiable(prose({ max: 400 })).describe("a sentence or two about it")
/** A column holds a text twice, as it is and folded for search, and a row of D1 at most 2 MB. */
export const markup = shortText(MAX_CONTENT).transform((value) => value.toWellFormed())
export const imageUrl = shortText(500)
  .trim()
  .regex(/^(https?:\/\/|\/)\S+$/)
export const image = emptiable(imageUrl).describe("a URL, or a path such as /media/…")
export const status = z.enum(STATUSES).default("published").describe(STATUSES.join(", "))
export const createdAt = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .optional()
  .describe("ISO 8601; when it is dated, now unless given")

/** A list of slugs, as JSON or between commas. */
export const slugs = commaList(shortText(MAX_SLUG), { max: 100 })
  .transform((items) => [...new Set(items.filter(Boolean))])
  .default([])

/** The slug of something that is about to be saved; null when none is given and the name makes none. */
export function madeSlug(input: { slug?: string | undefined; name: string }): string | null {
  const made = input.slug ?? slugify(input.name, MAX_SLUG)
  return made && !/^\d+$/.test(made) ? made : null
}

/**
 * The same where it is all that can be wrong.
 * @throws Refusal `validation_failed`
 */
export function slugOf(input: { slug?: string | undefined; name: string }): string {
  const slug = madeSlug(input)
  if (slug === null) throw invalid("slug", "required")
  return slug
}

/** A text as it is looked for: markup, entities and runs of white space taken out, folded. */
export const searchable = (html: string): string =>
  fold(
    withoutCode(html)
      .replace(/<[^<>]*>/g, " ")
      .replace(/&(amp|lt|gt|quot|#39|apos|nbsp);/g, (_, entity: string) => ENTITIES[entity] ?? " ")
      .replace(/\s+/g, " "),
  ).trim()

/** Without scripts and styles; one that has no end goes with all that follows it, as in a browser. */
function withoutCode(html: string): string {
  const begin = /<(script|style)\b/gi
  let kept = ""
  let at = 0
  for (let found = begin.exec(html); found; found = begin.exec(html)) {
    kept += `${html.slice(at, found.index)} `
    const end = found[1]?.toLowerCase() === "script" ? /<\/script\s*>/gi : /<\/style\s*>/gi
    end.lastIndex = begin.lastIndex
    if (!end.exec(html)) return kept
    at = end.lastIndex
    begin.lastIndex = at
  }
  return kept + html.slice(at)
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", apos: "'" }

/**
 * The condition that a path segment stands for: an id when it spells one as ids are written, else a slug.
 * @param segment a path segment of any form; one that names nothing makes a condition that nothing meets
 */
export function named(table: { id: SQLiteColumn; slug: SQLiteColumn }, segment: string): SQL {
  const { by, name } = nameIn(segment)
  return eq(table[by], name)
}
