// Generates slug candidates for items created by staff.
import { slugify } from "../lib/slug"

const MAX_CANDIDATES = 50

/**
 * Generates the slug candidates of an item, best first. The caller uses the first one that is not taken.
 * @param name name of the item
 * @param noun kind of item; used for names without letters or digits, and as a prefix for names that look like an id
 */
export function slugCandidates(name: string, noun: string): string[] {
  const slug = slugify(name, 100)
  const base = slug === "" ? noun : /^\d+$/.test(slug) ? `${noun}-${slug}` : slug
  return [base, ...Array.from({ length: MAX_CANDIDATES - 1 }, (_, index) => `${base}-${index + 2}`)]
}
