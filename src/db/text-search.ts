// Builds the queries of the full-text indexes of posts, products and pages. An index has the trigrams of a text,
// without case and accents.

/** Letters with a replacement in the indexes, because they have no accent that could be removed. */
const REPLACEMENTS: Record<string, string> = { đ: "d", ß: "ss", œ: "oe", æ: "ae" }

/** Whether an index can find a term; shorter terms are compared with every row of the site. */
export const isIndexed = (term: string): boolean => [...term].length >= 3

/**
 * Builds the `match` expression that finds the texts of a site with all words of a term, in any order. Words that are
 * too short for the index are ignored, unless all are.
 * @param term case-folded
 */
export function toSearchExpression(siteId: string, term: string): string {
  const replaced = term.replaceAll(/[đßœæ]/g, (letter) => REPLACEMENTS[letter] ?? letter)
  const words = new Set(replaced.split(/\s+/).filter(isIndexed))
  const texts = words.size ? [...words] : [replaced]
  return [`{site} : "<${siteId}>"`, ...texts.map((text) => `{text} : "${text.replaceAll('"', '""')}"`)].join(" AND ")
}
