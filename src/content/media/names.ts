// Names that no neighbour has: the wished one, or the first of its numbered variants that is free. Which one is free is decided
// by the very statement that takes it, so two equal wishes at one moment end as two names.
import { type SQL, sql } from "drizzle-orm"
import { splitFileName } from "../../lib/file-name"
import { ulid } from "../../lib/ulid"
import { fold } from "../case-folding"

/** Numbered variants that are tried before a random one is taken. */
const VARIANTS = 50

/**
 * A name and its variants (`photo.png`, `photo-1.png`, …) as a JSON list of [name, key], the last of which nobody has.
 * @param name a file's, whose extension stays at the end, or a folder's
 */
export function variants(name: string, now: Date): string {
  const { stem, extension } = splitFileName(name)
  const numbered = Array.from({ length: VARIANTS }, (_, index) => `${stem}-${index + 1}${extension}`)
  const names = [name, ...numbered, `${stem}-${ulid(now).toLowerCase()}${extension}`]
  return JSON.stringify(names.map((variant) => [variant, fold(variant)]))
}

/**
 * `from` and `where` of a select that finds the first free variant; `name` and `key` are its columns.
 * @param list what `variants` answered
 * @param taken a select of what already has the key `candidate.value ->> 1`
 */
export const firstFree = (list: string, taken: SQL): SQL => sql`
  (select candidate.value ->> 0 as name, candidate.value ->> 1 as key
   from json_each(${list}) candidate where not exists (${taken}) order by candidate.key limit 1)`
