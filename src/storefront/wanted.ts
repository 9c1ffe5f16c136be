// What a visitor asks for, read from the address alone.

/** A page of the shop that has an address; whether it exists is another question. */
export type Wanted =
  | { kind: "home" }
  | { kind: "products" | "galleries" | "posts"; page: number }
  | { kind: "product" | "gallery" | "post" | "page"; slug: string }

const LISTS = { products: "products", galleries: "galleries", blog: "posts" } as const
const SINGLES = { products: "product", galleries: "gallery", blog: "post", pages: "page" } as const

/**
 * Reads an address as `paths` writes it.
 * @returns null when no page has it
 */
export function wantedAt({ pathname, searchParams }: URL): Wanted | null {
  if (pathname === "/") return { kind: "home" }
  const [, section = "", slug, ...rest] = pathname.split("/")
  if (rest.length) return null
  if (slug === undefined) {
    const page = pageNumber(searchParams.get("page"))
    return isKey(LISTS, section) && page ? { kind: LISTS[section], page } : null
  }
  const name = decoded(slug)
  return isKey(SINGLES, section) && name ? { kind: SINGLES[section], slug: name } : null
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

const isKey = <Table extends object>(table: Table, key: string): key is keyof Table & string =>
  Object.hasOwn(table, key)
