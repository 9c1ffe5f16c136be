// Orders version numbers like PHP's `version_compare`.

/** Rank of a word among version parts; unlisted words sort before all others. */
const WORD_RANKS: readonly [RegExp, number][] = [
  [/^dev/, 0],
  [/^a/, 1],
  [/^b/, 2],
  [/^(rc|RC)/, 3],
  [/^p/, 5],
]
const UNKNOWN_WORD_RANK = -1
/** Rank of a number, and of a version's end, compared with words: after a release candidate, before a patch level. */
const NUMBER_RANK = 4

/**
 * Compares two versions; for use with `sort`.
 *
 * A version's parts are its runs of digits and of letters; separators and a leading `v` are ignored. Numbers compare by
 * value, words by rank, case-sensitively and by prefix: `dev` < `alpha` = `a` < `beta` = `b` < `RC` = `rc` < the
 * release itself < `pl` = `p`. All else being equal, the shorter version comes first: `1.0` < `1.0.0`. Any string is a
 * version; the empty one is lowest.
 *
 * @returns a negative number, 0 or a positive one.
 */
export function compareVersions(a: string, b: string): number {
  const left = partsOf(a)
  const right = partsOf(b)
  if (left.length === 0 || right.length === 0) return left.length - right.length

  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = compareParts(left[i], right[i])
    if (order !== 0) return order
  }
  return 0
}

/**
 * Returns a string that sorts bytewise like its version, so that the database can sort and search by an index.
 * @param version with at most 999 digits per part
 */
export function versionSortKey(version: string): string {
  const parts = partsOf(version)
  if (parts.length === 0) return ""
  return parts.map(partKey).join("") + END_KEY
}

/** A version's end sorts after pre-release words and before any further number. */
const END_KEY = "5"
const NUMBER_KEY = "6"
const PATCH_KEY = "7"

function partKey(part: string): string {
  const order = rank(part)
  if (!isNumber(part)) return order > NUMBER_RANK ? PATCH_KEY : String(order + 1)
  const digits = part.replace(/^0+/, "")
  return NUMBER_KEY + String(digits.length).padStart(3, "0") + digits
}

/** Returns the highest version; null for an empty list. */
export function newestVersion<T extends { version: string }>(versions: readonly T[]): T | null {
  return versions.toSorted((a, b) => compareVersions(b.version, a.version))[0] ?? null
}

/** Returns the lowest version above `current`; null when there is none. */
export function nextVersion<T extends { version: string }>(versions: readonly T[], current: string): T | null {
  const above = versions.filter(({ version }) => compareVersions(version, current) > 0)
  return above.sort((a, b) => compareVersions(a.version, b.version))[0] ?? null
}

const partsOf = (version: string): string[] =>
  version
    .trim()
    .replace(/^v(?=\d)/i, "")
    .match(/\d+|[a-z]+/gi) ?? []

/** Compares the parts of two versions at one position; undefined is the end of the shorter version. */
function compareParts(a: string | undefined, b: string | undefined): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b)
  if (isNumber(a) && b === undefined) return 1
  if (a === undefined && isNumber(b)) return -1
  return rank(a) - rank(b)
}

const isNumber = (part: string | undefined): part is string => part !== undefined && /^\d/.test(part)

/** Compares digit strings by value without converting them: a date with a time does not fit in a double. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")]
  return left.length - right.length || Number(left > right) - Number(left < right)
}

function rank(part: string | undefined): number {
  if (part === undefined || isNumber(part)) return NUMBER_RANK
  return WORD_RANKS.find(([word]) => word.test(part))?.[1] ?? UNKNOWN_WORD_RANK
}
