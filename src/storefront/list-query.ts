// The order and the filters of a list page, as its query names them: `?sort=price_asc&min=10&max=49.90&in_stock=1`.

export const SORTS = ["newest", "price_asc", "price_desc"] as const

export type Sort = (typeof SORTS)[number]

export interface ListQuery {
  sort: Sort
  /** The limits of the price, as they were typed. */
  min: string
  max: string
  inStock: boolean
}

/** The whole list, newest first. */
export const WHOLE_LIST: ListQuery = { sort: "newest", min: "", max: "", inStock: false }

/** Digits of a price with its separator. */
const MAX_LENGTH = 13

/** Parses the query of a list page. An unknown order counts as absent. */
export function parseListQuery(params: URLSearchParams): ListQuery {
  const text = (name: string) => (params.get(name) ?? "").trim().slice(0, MAX_LENGTH)
  const sort = SORTS.find((name) => name === params.get("sort")) ?? "newest"
  return { sort, min: text("min"), max: text("max"), inStock: params.get("in_stock") === "1" }
}

/** Formats the query, the reverse of `parseListQuery`; empty for the whole list. */
export function formatListQuery({ sort, min, max, inStock }: ListQuery): string {
  const entries = Object.entries({ sort: sort === "newest" ? "" : sort, min, max, in_stock: inStock ? "1" : "" })
  return new URLSearchParams(entries.filter(([, value]) => value)).toString()
}

/** Whether only a part of the list is shown. */
export const isFiltered = ({ min, max, inStock }: ListQuery): boolean => Boolean(min || max || inStock)

/** Whether the list is shown in another order than the usual one, or only a part of it. */
export const isChanged = (query: ListQuery): boolean => query.sort !== "newest" || isFiltered(query)

/**
 * Parses a price in units of its currency.
 * @returns null for no limit; undefined for text that is not a price
 */
export function parseUnits(text: string): number | null | undefined {
  if (!text) return null
  return /^\d{1,9}([.,]\d{1,3})?$/.test(text) ? Number(text.replace(",", ".")) : undefined
}
