// Schemas of the license manager's answers.
import * as z from "zod"

/** `{data}` around one resource. */
export const one = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: schema })

/** `{data, links, meta}` of one page. */
export const pagedOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({
    data: z.array(schema),
    links: z.object({ first: z.string(), last: z.string(), prev: z.string().nullable(), next: z.string().nullable() }),
    meta: z.object({
      current_page: z.int(),
      from: z.int().nullable(),
      last_page: z.int(),
      per_page: z.int(),
      to: z.int().nullable(),
      total: z.int(),
      path: z.string(),
    }),
  })

/** What was done, in words. */
export const Done = z.object({ status: z.boolean(), message: z.string() })

/** Whether a license holds, or a key works, in words too. `status` and `is_active` are the same. */
export const Held = z.object({ status: z.boolean(), is_active: z.boolean(), message: z.string() })
