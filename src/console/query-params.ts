// What a page's address asks for.
import type { Context } from "hono"
import * as z from "zod"
import { queryNumber } from "../core/http/validation"
import type { Slice } from "../core/list/page"
import type { ConsoleEnv } from "./types"

/** Rows of a page of a list that has no size of its own. */
export const PER_PAGE = 50

/** Which page of a list. */
export const Paged = z.object({ page: queryNumber(100_000).default(1) })

/** The rows of a page, and one more that tells whether others follow. */
export const sliceOf = ({ page }: z.output<typeof Paged>): Slice => ({
  limit: PER_PAGE + 1,
  offset: (page - 1) * PER_PAGE,
})

/**
 * The filters in a page's address. What makes no sense is left out rather than refused: an address is often typed or kept.
 * @returns the filters, and the names of those that were left out
 */
export function readQuery<Schema extends z.ZodObject>(
  c: Context<ConsoleEnv>,
  schema: Schema,
): { input: z.output<Schema>; ignored: string[] } {
  const given: Record<string, string> = c.req.query()
  const known = Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(schema.shape, name)))
  const result = schema.safeParse(known)
  if (result.success) return { input: result.data, ignored: [] }
  const ignored = [...new Set(result.error.issues.map(({ path }) => String(path[0])))]
  return {
    input: schema.parse(Object.fromEntries(Object.entries(known).filter(([name]) => !ignored.includes(name)))),
    ignored,
  }
}
