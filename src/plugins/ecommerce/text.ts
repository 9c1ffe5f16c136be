// A product's texts as they are sorted and searched by.

const fold = (text: string): string => text.toWellFormed().normalize("NFC").toLowerCase()

/** What names are sorted by. */
export const nameKey = (name: string): string => fold(name)

/** What the search index holds of a product. */
export const searchText = (name: string, description: string | null): string =>
  fold(`${name}\n${description?.replace(/<[^>]*>/g, " ") ?? ""}`)

/** A search term as the index holds texts. */
export const searchTerm = (term: string): string => fold(term).replaceAll("\0", "").trim()
