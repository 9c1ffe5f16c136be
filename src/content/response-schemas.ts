// Schemas of the content API's answers: one resource, or a page of them.
import * as z from "zod"

/** `{error: false, data, message}` around one resource. */
export const singleOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ error: z.literal(false), data: schema, message: z.string().nullable() })

/**
 * `{data: [...], meta, links}` of one page.
 * @param meta what stands in `meta` beside the six fields
 */
export const pagedOf = <Schema extends z.ZodType>(schema: Schema, meta: z.ZodRawShape = {}) =>
  z.object({
    data: z.array(schema),
    meta: z.object({
      current_page: z.int(),
      from: z.int().nullable(),
      last_page: z.int(),
      per_page: z.int(),
      to: z.int().nullable(),
      total: z.int(),
      ...meta,
    }),
    links: z.object({ first: z.string(), last: z.string(), prev: z.string().nullable(), next: z.string().nullable() }),
    error: z.literal(false),
    message: z.string().nullable(),
  })
