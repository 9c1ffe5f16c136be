// What a visitor asks for, read from the address alone.

/** A place of the storefront that an address spells; whether anything is there is another question. */
export type Wanted =
  | { kind: "home" }
  | { kind: "list"; part: string; page: number }
  | { kind: "single"; part: string; slug: string }

/**
 * Reads an address as `paths` writes it.
 * @returns null when no page can have it
 */
export function wantedAt({ pathname, searchParams }: URL): Wanted | null {
  if (pathname === "/") return { kind: "home" }
  const [, part = "", slug, ...rest] = pathname.split("/")
  if (rest.length) return null
  if (slug === undefined) {
    const page = pageNumber(searchParams.get("page"))
    return page ? { kind: "list", part, page } : null
  }
  const name = decoded(slug)
  return name ? { kind: "single", part, slug: name } : null
}

/** A page of a list, from 1; null for a text that is none. */
function pageNumber(text: string | null): number | null {
  if (text === null) return 1
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
