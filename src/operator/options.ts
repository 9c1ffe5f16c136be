// Options that are no text: how a command line spells them, and a script sends them as they are.
import * as z from "zod"

/** An option that is no text: a command line writes it as JSON, a script sends it as it is. */
export const json = <Type extends z.ZodType>(type: Type) => z.preprocess(readJson, type)

/** Characters of an option's JSON. */
const LONGEST_OPTION = 2_000

function readJson(given: unknown): unknown {
  if (typeof given !== "string" || given.length > LONGEST_OPTION) return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

/** More than any plan names, and one more makes the list too long. */
const MOST_SLUGS = 100

/** A secret option: the command line offers to read it from standard input or a file, and warns when it is given on the line. */
export const secret = <Type extends z.ZodType>(type: Type) => type.meta({ ...type.meta(), secret: true })

/** Slugs: comma separated on a command line, a list or null in a script; `all` is null. */
export const slugs = <Type extends z.ZodType>(type: Type) =>
  z.preprocess((given) => {
    if (typeof given !== "string") return given
    return given === "all" ? null : given.split(",", MOST_SLUGS + 1).map((slug) => slug.trim())
  }, type)
