// Parses the query parameters of lists.
import * as z from "zod"
import { queryNumber } from "../core/http/validation"
import type { Slice } from "../core/list/page"

/** Rows per page, for lists without their own page size. */
export const PAGE_SIZE = 50

/** Query parameters of a paged list. */
export const PageQuery = z.object({ page: queryNumber(100_000).default(1) })

/** The rows of a page, plus one that tells whether another page follows. */
export const toSlice = ({ page }: z.output<typeof PageQuery>): Slice => ({
  limit: PAGE_SIZE + 1,
  offset: (page - 1) * PAGE_SIZE,
})

/**
 * Parses the known parameters of a query, and ignores invalid ones, because URLs are typed by hand and bookmarked.
 * @returns the parameters, and the names of those that were ignored
 */
export function pickQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Record<string, string>,
): { input: z.output<Schema>; ignored: string[] } {
  const known = Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(schema.shape, name)))
  const result = schema.safeParse(known)
  if (result.success) return { input: result.data, ignored: [] }
  const ignored = [...new Set(result.error.issues.map(({ path }) => String(path[0])))]
  return {
    input: schema.parse(Object.fromEntries(Object.entries(known).filter(([name]) => !ignored.includes(name)))),
    ignored,
  }
}
