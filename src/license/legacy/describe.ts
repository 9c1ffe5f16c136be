// Describes legacy routes for the OpenAPI document: deprecated, and with status 200 for refusals.
import * as z from "zod"
import { describe, type RouteDoc } from "../../core/http/route"
import { StatusMessage } from "../response-schemas"

/** The body of a refusal, which legacy routes send with status 200. */
const LegacyRefusal = z
  .object({
    status: z.literal(false),
    is_active: z.literal(false).optional(),
    message: z.string(),
    errors: z.record(z.string(), z.array(z.string())).optional(),
  })
  .meta({ id: "OldRefusal" })

/** Describes a legacy route. */
export const describeLegacy = (
  id: RouteDoc["id"],
  summary: string,
  options: { body?: z.ZodType; fields?: z.ZodType; files?: Pick<RouteDoc, "responses" | "silent"> } = {},
) =>
  describe({
    id,
    summary: `${summary} (legacy)`,
    deprecated: true,
    fields: options.fields,
    ...(options.files ?? { responses: { status: 200, body: z.union([options.body ?? StatusMessage, LegacyRefusal]) } }),
  })
