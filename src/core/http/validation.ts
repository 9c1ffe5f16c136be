// Maps zod issues to field errors, and defines what input schemas share: the field types and `withLookups`.

import * as z from "zod"
import { isJsonObject } from "../../lib/json"
import { hasFourDigitYear } from "../../lib/time"
import type { FieldError, FieldErrors, FieldRule } from "./refusal"

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

/** Fields with errors that one response reports. */
const MAX_REPORTED_FIELDS = 50

/** Characters of a field name, which the caller may choose. */
const MAX_FIELD_NAME_LENGTH = 100

/**
 * Maps a zod error to field errors, for the first 50 fields.
 * @param input the validated input, to tell an absent or empty value from one of the wrong type
 */
export function fieldErrors(zodError: z.core.$ZodError, input: unknown): FieldErrors {
  // Without a prototype, because a field may be named `__proto__`.
  const errors: FieldErrors = Object.create(null)
  let named = 0
  for (const issue of zodError.issues) {
    const field = issue.path.map((part) => String(part).slice(0, MAX_FIELD_NAME_LENGTH)).join(".") || "body"
    if (!errors[field]) {
      if (named === MAX_REPORTED_FIELDS) continue
      named += 1
      errors[field] = []
    }
    const known = errors[field]
    const error =
      isAbsent(valueAt(input, issue.path)) && issue.path.length ? { rule: "required" as const } : fieldErrorOf(issue)
    const repeated = known.find(({ rule }) => rule === error.rule)
    if (!repeated) known.push(error)
    // `z.int()` reports the bounds of safe integers in addition to those of the field.
    else if (isStricter(error, repeated)) known[known.indexOf(repeated)] = error
  }
  return errors
}

function fieldErrorOf(issue: z.core.$ZodIssue): FieldError {
  // lint: zod's issue codes are open
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
      return (issue.params?.violation as FieldError | undefined) ?? { rule: "format" }
    default:
      return { rule: "format" }
  }
}

const isStricter = ({ facts = {} }: FieldError, { facts: other = {} }: FieldError): boolean =>
  Number(facts.max) < Number(other.max) || Number(facts.min) > Number(other.min)

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ""

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input)

/** Options for `refine`: the rule that a failing value violates. */
export const violates = (rule: FieldRule, facts?: FieldError["facts"]) => ({ params: { violation: { rule, facts } } })

/**
 * Options for `refine` across fields: it runs for every object, so its error is reported together with those of single
 * fields.
 */
export const betweenFields = {
  when: ({ value }: { value: unknown }) => isJsonObject(value),
}

/** Counts Unicode code points, so that an emoji outside the basic plane counts once. */
const countCharacters = (value: string): number => [...value].length

/** A name is one line; prose has several. */
type TextKind = "name" | "prose"

/** A regex character class: control characters except tab and line breaks, bidi embeddings, overrides and isolates. */
const CONTROLS = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069"

/** Also forbidden in names, which are one line: tab and line breaks. */
const BREAKS = "\\t\\n\\r"

/** Also forbidden in names, because invisible: bidi marks, zero-width characters, fillers, line separators, tags. */
const HIDDEN = `${CONTROLS}\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2028\\u2029\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}`

/** Zero-width joiner and non-joiner: required by emoji, Persian and Indic scripts, never by Latin letters. */
const JOINER = "[\\u200c\\u200d]"
const JOINED = `[^\\x00-\\x7f\\s${HIDDEN}]`

/** Tag characters after a black flag form the flags of England, Scotland and Wales (UTS #51, ED-14a). */
const FLAG = "\\u{1f3f4}"
const TAG = "[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}\\u{e007f}]"

/** Matches anything forbidden in a name, in one pass. */
const FORBIDDEN_IN_NAMES = new RegExp(
  `(?!${JOINER}|(?<=${FLAG}${TAG}{0,5})${TAG})[${BREAKS}${HIDDEN}]|(?<!${JOINED})${JOINER}|${JOINER}(?!${JOINED})`,
  "u",
)

/** Matches anything forbidden in prose, and text without a visible character. */
const FORBIDDEN_IN_PROSE = new RegExp(`[${CONTROLS}]|^[${HIDDEN}\\s]*$`, "u")

/** The characters that names and prose may contain, as documented. */
const PRINTED = { name: "[^\\x00-\\x1f\\x7f]", prose: "[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]" }
const SOLID = "[^\\s\\x00-\\x1f\\x7f]"

/**
 * The pattern for the OpenAPI documents: not blank, no control characters, and with a minimum length, no blanks at the
 * ends. The other forbidden characters are described in docs/guides only, because validators in other languages support
 * neither `\u{…}` nor lookbehind.
 */
const documentedPattern = (kind: TextKind, min: number) => ({
  pattern: min > 1 ? `^${SOLID}${PRINTED[kind]}*${SOLID}$` : `^${PRINTED[kind]}*${SOLID}${PRINTED[kind]}*$`,
})

/** Upper bound in UTF-16 units for a text of `max` characters plus blanks that will be trimmed. */
const maxUtf16Units = (max: number): number => 2 * max + 200

/** Like `violates`, but skips the remaining checks of the field, which could be slow on a long text. */
const aborting = (rule: FieldRule, facts?: FieldError["facts"]) => ({ ...violates(rule, facts), abort: true })

interface Length {
  /** In characters. */
  min?: number
  /** In characters. */
  max: number
}

const FORBIDDEN: Record<TextKind, RegExp> = { name: FORBIDDEN_IN_NAMES, prose: FORBIDDEN_IN_PROSE }

/** Checks the length first; every failing check skips the rest, including checks that a schema adds later. */
const textSchema = (kind: TextKind, { min = 0, max }: Length) =>
  z
    .string()
    .refine((value) => value.length <= maxUtf16Units(max), aborting("max_length", { max }))
    .transform((value) => value.toWellFormed().trim())
    .pipe(
      z
        .string()
        .refine((value) => value !== "", aborting("required"))
        .refine((value) => countCharacters(value) <= max, aborting("max_length", { max }))
        .refine((value) => countCharacters(value) >= min, aborting("min_length", { min }))
        .refine((value) => !FORBIDDEN[kind].test(value), aborting("format")),
    )
    .meta(documentedPattern(kind, min))

/**
 * A name, code or title in one line: trimmed, without control or invisible characters (rule `format`); lone surrogates
 * are replaced.
 */
export const text = (length: Length) => textSchema("name", length)

/** Like `text`, but allows line breaks, bidi marks, zero-width characters and line separators, which people paste. */
export const multilineText = (length: Length) => textSchema("prose", length)

/** An unmodified text of at most `max` characters; a longer one skips further checks. */
export const shortText = (max: number) =>
  z
    .string()
    .refine(
      (value) => value.length <= max || (value.length <= 2 * max && countCharacters(value) <= max),
      aborting("max_length", { max }),
    )

/**
 * An optional field that may be cleared with null or blanks, which is how forms send an empty field.
 * @param schema the schema of a value that is present
 */
export const emptyAsNull = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() === "" ? null : value), schema.nullish())

/** A password: not trimmed, at least `min` characters, and at most `max` to bound the cost of hashing. */
export const password = (min: number, max = 1024) =>
  shortText(max).refine((value) => countCharacters(value) >= min, violates("min_length", { min }))

/** The minimum length of the passwords of owners and of stores' users. */
export const MIN_PASSWORD_LENGTH = 8

/** An email address of at most `max` characters. */
export const email = (max: number) => z.string().trim().max(max).pipe(z.email())

/** A search term of at most 200 characters. */
export const searchTerm = (fold: (value: string) => string) =>
  z
    .string()
    .refine(
      (value) => value.length <= maxUtf16Units(200) && countCharacters(value) <= 200,
      aborting("max_length", { max: 200 }),
    )
    .transform(fold)

/** An array. Of one that is too long, only `max + 1` items are validated. */
export const listOf = <Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) =>
  z.preprocess(
    (value) => (Array.isArray(value) && value.length > max ? value.slice(0, max + 1) : value),
    z.array(item).min(min).max(max),
  )

/** An array, or a comma-separated text; empty items are dropped. */
export const commaList = <Item extends z.ZodType>(item: Item, bounds: { min?: number; max: number }) =>
  z.preprocess(
    (value) => {
      if (typeof value !== "string") return value
      // One item more than the maximum is enough to detect a list that is too long.
      return value
        .split(",", bounds.max + 1)
        .map((part) => part.trim())
        .filter(Boolean)
    },
    listOf(item, bounds),
  )

/** An integer in a query, from 1 to `max`: digits only. */
export const queryNumber = (max = 999_999_999) =>
  z
    .string()
    .refine((value) => /^\d{1,9}$/.test(value), { ...violates("integer"), abort: true })
    .transform(Number)
    .pipe(z.number().min(1).max(max))

/** A flag in a query: `1`, `true`, `0` or `false`. */
export const queryFlag = z.enum(["1", "0", "true", "false"]).transform((value) => value === "1" || value === "true")

/** A text in a query; empty counts as absent. */
export const queryText = z
  .string()
  .max(255)
  .transform((value) => value.trim() || undefined)
  .optional()

/** An enum in a query; empty counts as absent. */
export const queryChoice = <const Names extends readonly string[]>(names: Names) =>
  z
    .union([z.literal(""), z.enum(names)])
    .transform((value): Names[number] | undefined => value || undefined)
    .optional()

/** Whether a text is a time in ISO 8601 with an offset, and has a year of four digits in UTC too. */
export const isTimestamp = (value: string): boolean =>
  z.iso.datetime({ offset: true }).safeParse(value).success && hasFourDigitYear(new Date(value))

/** A time: ISO 8601 with an offset. */
export const timestampInput = z
  .string()
  .refine(isTimestamp, { ...violates("date"), abort: true })
  .transform((value) => new Date(value))
  .meta({ format: "date-time" })

/** A date or time in a query, in UTC unless it has an offset; empty counts as absent. */
export const queryTimestamp = z
  .string()
  .max(40)
  .transform((value, ctx) => {
    const trimmed = value.trim()
    if (!trimmed) return undefined
    const moment = new Date(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(trimmed) ? `${trimmed}Z` : trimmed)
    if (hasFourDigitYear(moment)) return moment
    ctx.addIssue({ code: "custom", ...violates("date") })
    return z.NEVER
  })
  .optional()

/** A date or time as the console and the command line send it, in UTC unless it has an offset. */
export const dateOrTime = z.coerce.date().refine(hasFourDigitYear, violates("date"))

/** A boolean as a form or the command line sends it. */
export const booleanText = z
  .union([z.boolean(), z.literal(["true", "false", "on", "off", "1", "0"])])
  .transform((value) => value === true || value === "true" || value === "on" || value === "1")

const LOOKUPS = Symbol("fields with lookups")

/** A schema whose service function looks up the named fields. */
export type WithLookups<Field extends string> = { readonly [LOOKUPS]: readonly Field[] }

/**
 * Declares which fields the service function validates by a lookup (unknown, taken, unsafe) or by the time of the
 * request.
 */
export const withLookups = <Schema extends z.ZodObject, const Field extends keyof z.output<Schema> & string>(
  schema: Schema,
  ...fields: Field[]
): Schema & WithLookups<Field> => Object.assign(schema, { [LOOKUPS]: fields })

/** Returns the fields that a schema declares to be looked up. */
export const lookupsOf = (schema: z.ZodType): readonly string[] =>
  LOOKUPS in schema ? (schema[LOOKUPS] as readonly string[]) : []
