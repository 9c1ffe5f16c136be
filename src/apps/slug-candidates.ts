// Generates slug candidates for items created by staff.
import type { PartialInput } from "../core/http/input"
import { slugify } from "../lib/slug"

const MAX_CANDIDATES = 50

/**
 * Generates the slug candidates of an item, best first. The caller uses the first one that is not taken.
 * @param name name of the item
 * @param noun kind of item; used for names without letters or digits, and as a prefix for names that look like an id
 */
function slugCandidates(name: string, noun: string): string[] {
  const slug = slugify(name, 100)
  const base = slug === "" ? noun : /^\d+$/.test(slug) ? `${noun}-${slug}` : slug
  return [base, ...Array.from({ length: MAX_CANDIDATES - 1 }, (_, index) => `${base}-${index + 2}`)]
}

/** Returns the slug of an input, or the candidates that its name yields; none while the name or the slug is invalid. */
export function slugCandidatesOf(
  input: PartialInput<{ slug?: string | null | undefined; name: string }, never>,
  fallback: string,
): string[] {
  const { slug, name } = input.valid
  if (slug) return [slug]
  return name === undefined || !input.isValid("slug") ? [] : slugCandidates(name, fallback)
}
