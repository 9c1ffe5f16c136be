// The schemas of the content API's response envelopes: one resource, or a page of resources.
import * as z from "zod"

/** Wraps a resource schema in `{error: false, data, message}`. */
export const dataEnvelope = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ error: z.literal(false), data: schema, message: z.string().nullable() })

/**
 * Wraps a resource schema in `{data: [...], meta, links}`.
 * @param meta fields of `meta` in addition to the six pagination fields
 */
export const pageEnvelope = <Schema extends z.ZodType>(schema: Schema, meta: z.ZodRawShape = {}) =>
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
