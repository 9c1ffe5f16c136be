// What the documentation can be searched for: operations, codes, events and guides.
import type { Guide } from "./guides"
import type { Hit } from "./pages/plain"
import type { Reference } from "./reference"

/** Everything there is to find. */
export const searchIndex = (guides: Guide[], references: Reference[]): Hit[] => [
  ...guides.map(({ name, title, lead }) => hit(title, `/docs/${name}`, lead)),
  ...references.flatMap(({ name, base, operations, codes, events }) => [
    ...operations.map(({ id, method, path, summary }) =>
      hit(id, `/docs/${name}#${id}`, `${method} ${base}${path} · ${summary}`),
    ),
    ...Object.entries(codes).map(([code, { status, when }]) => hit(code, `/docs/codes#${code}`, `${status} · ${when}`)),
    ...events.map(({ type, summary }) => hit(type, `/docs/events#${type}`, summary)),
  ]),
]

const hit = (name: string, href: string, summary: string): Hit => ({
  name,
  href,
  summary: summary.replaceAll("`", ""),
  words: `${name} ${summary}`.toLowerCase(),
})

/** Entries with all of the words, those that have them in their name first. */
export function search(index: Hit[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (!words.length) return []
  const found = index.filter((entry) => words.every((word) => entry.words.includes(word)))
  const inName = (entry: Hit) => words.every((word) => entry.name.toLowerCase().includes(word))
  return found.toSorted((a, b) => Number(inName(b)) - Number(inName(a))).slice(0, 50)
}
