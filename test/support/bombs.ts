// Generates algorithmic complexity attacks: strings and JSON structures of a given size that are expensive to process.

const encoder = new TextEncoder()

/** A prefix and the unit that is repeated after it. */
// biome-ignore format: a table reads better in columns
const TEXT_PATTERNS: Record<string, [start: string, unit: string]> = {
  "marks on a Cyrillic letter": ["я", "\u0301"],
  "marks on a Latin letter": ["a", "\u0301"],
  "marks of every class": ["a", "\u0345\u0315\u0300\u0327"],
  "letters with marks": ["", "e\u0301\u0323"],
  "letters and dots": ["", "a."],
  "dots between letters": ["a", "."],
  "commas": ["", ","],
  "items between commas": ["", "a,"],
  "blanks": ["x", " "],
  "lines": ["x", "\n "],
  "escapes": ["", "%41"],
  "broken escapes": ["", "%"],
  "backslashes": ["", "\\"],
  "quotes and backslashes": ["", '"\\'],
  "joiners": ["👨", "\u200d"],
  "half characters": ["", "\ud800"],
  "digits": ["1", "0"],
  "dates": ["2026-01-01T00:00:00.", "1"],
  "hyphens": ["a", "-"],
  "addresses": ["a@", "a."],
  "at signs": ["", "a@"],
  "sigmas": ["", "Σ'"],
  "ligatures": ["", "\ufdfa"],
  "brackets": ["", "["],
  "colons": ["", "1:"],
  "slashes": ["http:", "/"],
  "open tags": ["", "<script>"],
  "tags in tags": ["", "<a <b "],
  "references": ["", "&#1"],
}

export const TEXT_BOMBS = Object.keys(TEXT_PATTERNS)

/** Generates a string that takes about `bytes` bytes as JSON. */
export function makeTextBomb(name: string, bytes: number): string {
  const [start, unit] = TEXT_PATTERNS[name] ?? ["", "x"]
  return start + unit.repeat(Math.max(1, Math.floor((bytes - start.length) / getJsonSize(unit))))
}

const getJsonSize = (unit: string): number => encoder.encode(JSON.stringify(unit)).length - 2

/** JSON values other than strings, of about `bytes` bytes. */
export const JSON_BOMBS: Record<string, (bytes: number) => string> = {
  "nested arrays": (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "nested objects": (bytes) => `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`,
  "a long list of numbers": (bytes) => `[${"7,".repeat(bytes / 2 - 1)}7]`,
  "a long list of strings": (bytes) => `[${'"a",'.repeat(bytes / 4 - 1)}"a"]`,
  "a long list of objects": (bytes) => `[${"{},".repeat(bytes / 3 - 1)}{}]`,
  "many keys": (bytes) => `{${Array.from({ length: bytes / 12 }, (_, at) => `"k${at}":0`).join(",")}}`,
  "a prototype's names": () => '{"__proto__":{"a":[1]},"constructor":{"prototype":{"a":1}},"toString":[1]}',
  "a long number": (bytes) => "9".repeat(bytes),
}
