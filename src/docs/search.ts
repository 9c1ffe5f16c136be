// Indexes operations, error codes, events and the sections of guides, and searches the index. Tolerates typing errors.
import { isolateState } from "../lib/isolate-state"
import { slugify } from "../lib/slug"
import type { Guide } from "./guides"
import type { Reference } from "./reference"

export interface SearchEntry {
  name: string
  href: string
  summary: string
}

interface IndexedEntry extends SearchEntry {
  /** The words of the name, of the summary, and of the text that is not shown. */
  words: [name: Set<string>, summary: Set<string>, text: Set<string>]
}

const MAX_RESULTS = 50

/** Further words of a query are ignored. */
const MAX_QUERY_WORDS = 8

const buildSearchIndex = (guides: Guide[], references: Reference[]): IndexedEntry[] => [
  ...guides.flatMap(indexGuide),
  ...references.flatMap(({ name, base, operations, codes, events }) => [
    ...operations.map(({ id, method, path, summary, description }) =>
      createEntry(id, `/docs/${name}#${id}`, `${method} ${base}${path} · ${summary}`, description),
    ),
    ...Object.entries(codes).map(([code, { status, when, next }]) =>
      createEntry(code, `/docs/codes#${code}`, `${status} · ${when}`, next),
    ),
    ...events.map(({ type, summary }) => createEntry(type, `/docs/events#${type}`, summary)),
  ]),
]

/** Indexes a guide, and each of its sections with the section's text. */
function indexGuide({ name, title, lead, text }: Guide): IndexedEntry[] {
  const [introduction = "", ...sections] = text.split(/^## /m)
  return [
    createEntry(title, `/docs/${name}`, lead, introduction),
    ...sections.map((section) => {
      const [heading = "", ...rest] = section.split("\n")
      return createEntry(heading, `/docs/${name}#${slugify(heading, 80)}`, title, rest.join(" "))
    }),
  ]
}

const createEntry = (name: string, href: string, summary: string, text = ""): IndexedEntry => ({
  name,
  href,
  summary: summary.replaceAll("`", ""),
  words: [listWords(name), listWords(summary), listWords(text)],
})

/** `stores.changePlan` is indexed as a whole and in parts. */
const listWords = (text: string): Set<string> =>
  new Set(
    (text.match(/[\p{L}\p{N}_.]+/gu) ?? []).flatMap((word) => {
      const parts = word.replace(/([a-z])([A-Z])/g, "$1 $2").split(/[\s._]+/)
      return [word, ...word.split("."), ...parts].map((part) => part.toLowerCase()).filter((part) => part !== "")
    }),
  )

/** Built once per isolate and origin, because the guides contain the origin. */
const indexes = isolateState(() => new Map<string, IndexedEntry[]>())

/** Returns the index of an origin. */
export function getSearchIndex(origin: string, guides: Guide[], references: Reference[]): IndexedEntry[] {
  const index = indexes.current.get(origin) ?? buildSearchIndex(guides, references)
  indexes.current.set(origin, index)
  return index
}

/** Returns the entries that contain every word of the query, the best first. */
export function search(index: IndexedEntry[], query: string): SearchEntry[] {
  const words =
    query
      .toLowerCase()
      .match(/[\p{L}\p{N}_.]+/gu)
      ?.slice(0, MAX_QUERY_WORDS) ?? []
  if (!words.length) return []
  return index
    .map((entry) => ({ entry, scores: words.map((word) => scoreWord(entry, word)) }))
    .filter(({ scores }) => scores.every((score) => score > 0))
    .map(({ entry, scores }) => ({ entry, score: scores.reduce((sum, score) => sum + score, 0) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry: { name, href, summary } }) => ({ name, href, summary }))
}

/** Scores of an equal word, of a word's beginning and of a similar word, in the name, the summary and the text. */
const SCORES = [
  [12, 8, 4],
  [6, 4, 2],
  [3, 2, 1],
] as const

function scoreWord({ words }: IndexedEntry, word: string): number {
  const scores = SCORES.map(([equal, beginning, similar], place) => {
    const known = words[place] ?? new Set()
    if (known.has(word)) return equal
    const all = [...known]
    if (all.some((other) => other.startsWith(word))) return beginning
    return all.some((other) => isSimilar(other, word)) ? similar : 0
  })
  return Math.max(...scores)
}

/** Whether two words differ by a typing error: one edit from four letters on, two from eight on. */
function isSimilar(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length)
  const allowed = shorter < 4 ? 0 : shorter < 8 ? 1 : 2
  return Math.abs(a.length - b.length) <= allowed && allowed > 0 && countEdits(a, b, allowed) <= allowed
}

/** Returns the edit distance of two words, with swapped neighbors as one edit; more than `limit` if it is larger. */
function countEdits(a: string, b: string, limit: number): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : replaced
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, replaced, swapped))
    }
    if (Math.min(...current) > limit) return limit + 1
    before = previous
    previous = current
  }
  return previous[b.length] ?? 0
}
