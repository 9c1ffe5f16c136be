// Indexes operations, error codes, events and guides, and searches the index.
import type { Guide } from "./guides"
import type { Reference } from "./reference"

export interface SearchEntry {
  name: string
  href: string
  summary: string
  /** The searched text, in lower case. */
  words: string
}

const MAX_RESULTS = 50

export const buildSearchIndex = (guides: Guide[], references: Reference[]): SearchEntry[] => [
  ...guides.map(({ name, title, lead }) => createEntry(title, `/docs/${name}`, lead)),
  ...references.flatMap(({ name, base, operations, codes, events }) => [
    ...operations.map(({ id, method, path, summary }) =>
      createEntry(id, `/docs/${name}#${id}`, `${method} ${base}${path} · ${summary}`),
    ),
    ...Object.entries(codes).map(([code, { status, when }]) =>
      createEntry(code, `/docs/codes#${code}`, `${status} · ${when}`),
    ),
    ...events.map(({ type, summary }) => createEntry(type, `/docs/events#${type}`, summary)),
  ]),
]

const createEntry = (name: string, href: string, summary: string): SearchEntry => ({
  name,
  href,
  summary: summary.replaceAll("`", ""),
  words: `${name} ${summary}`.toLowerCase(),
})

/** Returns the entries that contain every word of the query, matches in the name first. */
export function search(index: SearchEntry[], query: string): SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (!words.length) return []
  const matches = index.filter((entry) => words.every((word) => entry.words.includes(word)))
  const isNameMatch = (entry: SearchEntry) => words.every((word) => entry.name.toLowerCase().includes(word))
  return matches.toSorted((a, b) => Number(isNameMatch(b)) - Number(isNameMatch(a))).slice(0, MAX_RESULTS)
}
