// Parses the query parameters of console pages.
import type { Context } from "hono"
import type * as z from "zod"
import { pickQuery } from "../page-kit/query"
import { toUtc } from "./forms"
import type { ConsoleEnv } from "./types"

/**
 * Parses the filters in a page's URL. Invalid ones are ignored rather than refused, because URLs are typed by hand and
 * bookmarked.
 * @returns the filters, and the names of those that were ignored
 */
export function parseQuery<Schema extends z.ZodObject>(
  c: Context<ConsoleEnv>,
  schema: Schema,
): { input: z.output<Schema>; ignored: string[] } {
  const query = Object.entries(c.req.query()).map(([name, value]) => [name, toUtc(c, name, value)])
  return pickQuery(schema, Object.fromEntries(query))
}
