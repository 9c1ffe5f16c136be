// What a page's address asks for.
import type { Context } from "hono"
import type * as z from "zod"
import type { ConsoleEnv } from "./types"

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
