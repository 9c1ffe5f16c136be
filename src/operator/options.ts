// Schemas for options that are not plain strings. The CLI sends them as text; scripts can send the value itself.
import * as z from "zod"

/** An option that the CLI sends as JSON text. */
export const jsonOption = <Type extends z.ZodType>(type: Type) => z.preprocess(parseJson, type)

const MAX_JSON_LENGTH = 2_000

function parseJson(value: unknown): unknown {
  if (typeof value !== "string" || value.length > MAX_JSON_LENGTH) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Splitting stops one item past this limit, so that a longer list is invalid. */
const MAX_SLUGS = 100

/**
 * Marks an option as secret: the CLI can read it from standard input or a file, and warns when it is in the arguments.
 */
export const secretOption = <Type extends z.ZodType>(type: Type) => type.meta({ ...type.meta(), secret: true })

/** A list of slugs that the CLI sends comma-separated; `all` is null. */
export const slugListOption = <Type extends z.ZodType>(type: Type) =>
  z.preprocess((value) => {
    if (typeof value !== "string") return value
    return value === "all" ? null : value.split(",", MAX_SLUGS + 1).map((slug) => slug.trim())
  }, type)
