// Validation: zod's findings as facts of ours, and the few kinds of field that every input is made of.
import * as z from "zod"
import type { FieldFault, FieldFaults, FieldRule } from "./refusal"

const TYPES: Record<string, FieldRule> = {
  string: "string",
  number: "integer",
  int: "integer",
  boolean: "boolean",
  array: "array",
  object: "object",
  record: "object",
  file: "required",
}
const FORMATS: Record<string, FieldRule> = { email: "email", url: "url", date: "date", datetime: "date" }
const TOO_BIG: Record<string, FieldRule> = { string: "max_length", array: "max_items" }
const TOO_SMALL: Record<string, FieldRule> = { string: "min_length", array: "min_items" }

/** Fields that one answer names: who sends more wrong ones than these mends them first. */
const MOST_FIELDS = 50

/** Characters of a name that the caller chose. */
const LONGEST_NAME = 100

/**
 * What is wrong, field by field, of the first 50 fields.
 * @param input what was validated, so that an absent or empty value is told from one of the wrong kind
 */
export function fieldFaults(error: z.core.$ZodError, input: unknown): FieldFaults {
  // Without a prototype: a caller may call a field `__proto__`.
  const faults: FieldFaults = Object.create(null)
  let named = 0
  for (const issue of error.issues) {
    const field = issue.path.map((part) => String(part).slice(0, LONGEST_NAME)).join(".") || "body"
    if (!faults[field]) {
      if (named === MOST_FIELDS) continue
      named += 1
      faults[field] = []
    }
    const found = faults[field]
    const fault = isAbsent(at(input, issue.path)) && issue.path.length ? { rule: "required" as const } : faultOf(issue)
    if (!found.some((known) => known.rule === fault.rule)) found.push(fault)
  }
  return faults
}

function faultOf(issue: z.core.$ZodIssue): FieldFault {
  switch (issue.code) {
    case "invalid_type":
      return { rule: TYPES[issue.expected] ?? "format" }
    case "too_big":
      return { rule: TOO_BIG[issue.origin] ?? "max_value", facts: { max: Number(issue.maximum) } }
    case "too_small":
      return { rule: TOO_SMALL[issue.origin] ?? "min_value", facts: { min: Number(issue.minimum) } }
    case "invalid_format":
      return { rule: FORMATS[issue.format] ?? "format" }
    case "unrecognized_keys":
      return { rule: "prohibited" }
    case "invalid_value":
    case "invalid_union":
      return { rule: "selected" }
    case "custom":
      return (issue.params?.fault as FieldFault | undefined) ?? { rule: "format" }
    default:
      return { rule: "format" }
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ""

const at = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input)

/** Options for `refine` that name one of our rules. */
export const fault = (rule: FieldRule, facts?: FieldFault["facts"]) => ({ params: { fault: { rule, facts } } })

/** Options for `refine` of a rule between fields: it is asked of any object, so that its fault is told beside those of the fields. */
export const betweenFields = {
  when: ({ value }: { value: unknown }) => typeof value === "object" && value !== null && !Array.isArray(value),
}

/** Characters as people count them: an emoji outside the basic plane is one. */
const characters = (value: string): number => [...value].length

/** In the syntax of a regular expression's class: control characters except tab and line breaks, bidi embeddings, overrides and isolates. */
const CONTROLS = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069"

/** What a name may not contain besides, because it is invisible: bidi marks, zero-width characters, fillers, line separators, tags. */
const HIDDEN = `${CONTROLS}\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2028\\u2029\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}`

/** Zero-width joiner and non-joiner: emoji, Persian and Indic scripts need them, Latin letters never do. */
const JOINER = "[\\u200c\\u200d]"
const JOINED = `[^\\x00-\\x7f\\s${HIDDEN}]`

/** Tags after a black flag, which make it the flag of England, Scotland or Wales (UTS #51, ED-14a). */
const FLAG = "\\u{1f3f4}"
const TAG = "[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}\\u{e007f}]"

/** Finds in one pass over a long text what a name may not contain. */
const FORBIDDEN_IN_NAMES = new RegExp(
  `(?!${JOINER}|(?<=${FLAG}${TAG}{0,5})${TAG})[${HIDDEN}]|(?<!${JOINED})${JOINER}|${JOINER}(?!${JOINED})`,
  "u",
)

/** The same of sentences, which also need something visible. */
const FORBIDDEN_IN_PROSE = new RegExp(`[${CONTROLS}]|^[${HIDDEN}\\s]*$`, "u")

const PRINTED = "[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]"
const SOLID = "[^\\s\\x00-\\x1f\\x7f]"

/**
 * What API documents say of a text: not blank and without control characters, and where it has a least length, without blanks at its ends.
 * The other forbidden characters are left to prose (docs/guides), since validators in other languages read neither `\u{…}` nor lookbehind.
 */
const documented = (min: number) => ({
  pattern: min > 1 ? `^${SOLID}${PRINTED}*${SOLID}$` : `^${PRINTED}*${SOLID}${PRINTED}*$`,
})

/** UTF-16 units of a text of `max` characters, with room for blanks around it that will be trimmed. */
const units = (max: number): number => 2 * max + 200

/** A fault that ends a field's checks: those behind it are spared a text that they may take long over. */
const last = (rule: FieldRule, facts?: FieldFault["facts"]) => ({ ...fault(rule, facts), abort: true })

interface Length {
  /** In characters. */
  min?: number
  /** In characters. */
  max: number
}

/** Its length is asked first, and each check ends the rest, those that a schema adds behind it included. */
const textOf = (forbidden: RegExp, { min = 0, max }: Length) =>
  z
    .string()
    .refine((value) => value.length <= units(max), last("max_length", { max }))
    .transform((value) => value.toWellFormed().trim())
    .pipe(
      z
        .string()
        .refine((value) => value !== "", last("required"))
        .refine((value) => characters(value) <= max, last("max_length", { max }))
        .refine((value) => characters(value) >= min, last("min_length", { min }))
        .refine((value) => !forbidden.test(value), last("format")),
    )
    .meta(documented(min))

/** A name, a code or a title: trimmed, without control or hidden characters (rule `format`), lone surrogates mended. */
export const text = (length: Length) => textOf(FORBIDDEN_IN_NAMES, length)

/** Sentences: as `text`, except that bidi marks, zero-width characters and line separators are allowed, which people paste. */
export const prose = (length: Length) => textOf(FORBIDDEN_IN_PROSE, length)

/** A text as it came, of at most `max` characters; a longer one meets no further check. */
export const shortText = (max: number) =>
  z
    .string()
    .refine(
      (value) => value.length <= max || (value.length <= 2 * max && characters(value) <= max),
      last("max_length", { max }),
    )

/**
 * A field that may be left out, or emptied: with null, or with nothing but blanks, as a form sends what nobody filled in.
 * @param schema what it is when it is there
 */
export const emptiable = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() === "" ? null : value), schema.nullish())

/** A password as it is typed: nothing trimmed, at least `min` characters, and no longer than it is sane to hash. */
export const password = (min: number, max = 1024) =>
  shortText(max).refine((value) => characters(value) >= min, fault("min_length", { min }))

/** An e-mail address of at most `max` characters. */
export const email = (max: number) => z.string().trim().max(max).pipe(z.email())

/** A term that a list is searched for, in at most 200 characters. */
export const searchTerm = (fold: (value: string) => string) =>
  z
    .string()
    .refine((value) => value.length <= units(200) && characters(value) <= 200, last("max_length", { max: 200 }))
    .transform(fold)

/** A list: of one that is too long no more items are looked at than it takes to say so. */
export const listOf = <Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) =>
  z.preprocess(
    (value) => (Array.isArray(value) && value.length > max ? value.slice(0, max + 1) : value),
    z.array(item).min(min).max(max),
  )

/** A list as an array, or as one text with commas; empty items count for nothing. */
export const commaList = <Item extends z.ZodType>(item: Item, bounds: { min?: number; max: number }) =>
  z.preprocess(
    (value) => {
      if (typeof value !== "string") return value
      // Split no further than it takes to see that there are too many.
      return value
        .split(",", bounds.max + 1)
        .map((part) => part.trim())
        .filter(Boolean)
    },
    listOf(item, bounds),
  )

/** A whole number in a query, from 1 to `max`: digits and nothing else. */
export const queryNumber = (max = 999_999_999) =>
  z
    .string()
    .refine((value) => /^\d{1,9}$/.test(value), { ...fault("integer"), abort: true })
    .transform(Number)
    .pipe(z.number().min(1).max(max))

/** A flag in a query: `1`, `true`, `0` or `false`. */
export const queryFlag = z.enum(["1", "0", "true", "false"]).transform((value) => value === "1" || value === "true")

/** A text in a query that may be left empty, which asks for nothing. */
export const queryText = z
  .string()
  .max(255)
  .transform((value) => value.trim() || undefined)
  .optional()

/** One of several in a query; an empty one asks for nothing. */
export const queryChoice = <const Names extends readonly string[]>(names: Names) =>
  z
    .union([z.literal(""), z.enum(names)])
    .transform((value): Names[number] | undefined => value || undefined)
    .optional()

/** A day or a moment in a query, in UTC unless it says otherwise; one left empty asks for nothing. */
export const queryMoment = z
  .string()
  .max(40)
  .transform((value, ctx) => {
    const given = value.trim()
    if (!given) return undefined
    const moment = new Date(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(given) ? `${given}Z` : given)
    if (!Number.isNaN(moment.getTime())) return moment
    ctx.addIssue({ code: "custom", ...fault("date") })
    return z.NEVER
  })
  .optional()
