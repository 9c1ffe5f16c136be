// Slugs of things that staff make: the one they chose, or a free one made of the name.
import { slugify } from "../lib/slug"

const TRIES = 50

/**
 * The slugs that something may get, the best first.
 * @param noun what it is, for names without a letter or digit and for those that look like an id
 */
export function slugChoices(name: string, noun: string): string[] {
  const made = slugify(name, 100)
  const base = made === "" ? noun : /^\d+$/.test(made) ? `${noun}-${made}` : made
  return [base, ...Array.from({ length: TRIES - 1 }, (_, at) => `${base}-${at + 2}`)]
}
