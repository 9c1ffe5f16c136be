// The order of version numbers, as PHP's `version_compare` has it.

/** Where a word stands among the parts of a version; words not listed come before all that are. */
const WORDS: readonly [RegExp, number][] = [
  [/^dev/, 0],
  [/^a/, 1],
  [/^b/, 2],
  [/^(rc|RC)/, 3],
  [/^p/, 5],
]
const UNKNOWN_WORD = -1
/** A number, and the end of a version, when compared with a word: after a release candidate, before a patch level. */
const NUMBER = 4

/**
 * Compares two versions; for use with `sort`.
 *
 * A version is its runs of digits and of letters; what separates them does not matter, nor does a leading `v`. Numbers
 * compare by value, words by rank and with regard to case: `dev` < `alpha` = `a` < `beta` = `b` < `RC` = `rc` < the release
 * itself < `pl` = `p`, of which each stands for every word it begins. All else being equal the shorter version comes first,
 * so `1.0` < `1.0.0`. Any text is a version, the empty one being the least.
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
 * A text that orders as its version does, byte by byte, so that a database can sort by it and look it up in an index.
 * @param version of at most 999 digits a part
 */
export function versionKey(version: string): string {
  const parts = partsOf(version)
  if (parts.length === 0) return ""
  return parts.map(partKey).join("") + END_KEY
}

/** The end of a version comes after what is not released yet and before any further number. */
const END_KEY = "5"
const NUMBER_KEY = "6"
const PATCH_KEY = "7"

function partKey(part: string): string {
  const order = rank(part)
  if (!isNumber(part)) return order > NUMBER ? PATCH_KEY : String(order + 1)
  const digits = part.replace(/^0+/, "")
  return NUMBER_KEY + String(digits.length).padStart(3, "0") + digits
}

/** The newest of some versions, or null of none. */
export function newestVersion<T extends { version: string }>(versions: readonly T[]): T | null {
  return versions.toSorted((a, b) => compareVersions(b.version, a.version))[0] ?? null
}

/** The lowest of the versions above `current`, or null when there is none above. */
export function nextVersion<T extends { version: string }>(versions: readonly T[], current: string): T | null {
  const above = versions.filter(({ version }) => compareVersions(version, current) > 0)
  return above.sort((a, b) => compareVersions(a.version, b.version))[0] ?? null
}

const partsOf = (version: string): string[] =>
  version
    .trim()
    .replace(/^v(?=\d)/i, "")
    .match(/\d+|[a-z]+/gi) ?? []

/** Compares what stands at one place of two versions; undefined is the end of the shorter one. */
function compareParts(a: string | undefined, b: string | undefined): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b)
  if (isNumber(a) && b === undefined) return 1
  if (a === undefined && isNumber(b)) return -1
  return rank(a) - rank(b)
}

const isNumber = (part: string | undefined): part is string => part !== undefined && /^\d/.test(part)

/** Compares digits by value however many there are: a date with a time no longer fits a double. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")]
  return left.length - right.length || Number(left > right) - Number(left < right)
}

function rank(part: string | undefined): number {
  if (part === undefined || isNumber(part)) return NUMBER
  return WORDS.find(([word]) => word.test(part))?.[1] ?? UNKNOWN_WORD
}
