// Makes names unique within a folder: the requested name, or its first numbered variant that is available. The
// statement that stores the name also chooses it, so concurrent requests for the same name get different ones.
import { type SQL, sql } from "drizzle-orm"
import { splitFileName } from "../../lib/file-name"
import { ulid } from "../../lib/ulid"
import { foldCase } from "../case-folding"

/** Numbered variants to try before a name with a random suffix. */
const MAX_NUMBERED_NAMES = 50

/**
 * Lists a name and its variants (`photo.png`, `photo-1.png`, …) as JSON pairs of [name, key]. The last one is unique.
 * @param name name of a folder, or of a file, whose extension stays at the end
 */
export function nameCandidates(name: string, now: Date): string {
  const { stem, extension } = splitFileName(name)
  const numbered = Array.from({ length: MAX_NUMBERED_NAMES }, (_, index) => `${stem}-${index + 1}${extension}`)
  const names = [name, ...numbered, `${stem}-${ulid(now).toLowerCase()}${extension}`]
  return JSON.stringify(names.map((variant) => [variant, foldCase(variant)]))
}

/**
 * Subquery for the first available name, with the columns `name` and `key`.
 * @param list result of `nameCandidates`
 * @param taken query for the item that already has the key `candidate.value ->> 1`
 */
export const firstAvailableName = (list: string, taken: SQL): SQL => sql`
  (select candidate.value ->> 0 as name, candidate.value ->> 1 as key
   from json_each(${list}) candidate where not exists (${taken}) order by candidate.key limit 1)`
