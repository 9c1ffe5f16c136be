// Schemas of the license manager's response envelopes.
import * as z from "zod"

/** Wraps one resource: `{data}`. */
export const dataEnvelope = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: schema })

/** Wraps a page of resources: `{data, links, meta}`. */
export const pageEnvelope = <Schema extends z.ZodType>(schema: Schema) =>
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

/** Whether the request succeeded, and a message. */
export const StatusMessage = z.object({ status: z.boolean(), message: z.string() })

/** Whether a license or key is active, and a message. `status` and `is_active` always have the same value. */
export const ActiveStatusMessage = z.object({ status: z.boolean(), is_active: z.boolean(), message: z.string() })
