// Schemas of the control plane's responses: one resource under `data`, or many with their `meta`.
import * as z from "zod"

/** `{data}` around one resource. */
export const one = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: schema })

/** `{data: [...], meta}` of a list without pages. */
export const list = <Schema extends z.ZodType>(schema: Schema, meta: z.ZodRawShape = { total: z.int() }) =>
  z.object({ data: z.array(schema), meta: z.object(meta) })

/** `{data: [...], meta}` of one page. */
export const paged = <Schema extends z.ZodType>(schema: Schema) =>
  list(schema, { page: z.int(), per_page: z.int(), total: z.int(), last_page: z.int() })
