// How the older paths describe themselves: what is wrong with a request they say with status 200.
import * as z from "zod"
import { describe, type RouteDoc } from "../../core/http/route"
import { Done } from "../response-schemas"

/** A refusal as older clients are told of it. */
const Refused = z
  .object({
    status: z.literal(false),
    is_active: z.literal(false).optional(),
    message: z.string(),
    errors: z.record(z.string(), z.array(z.string())).optional(),
  })
  .meta({ id: "OldRefusal" })

/** Stands in front of an older route and says what it is for. */
export const old = (
  id: RouteDoc["id"],
  summary: string,
  more: { answer?: z.ZodType; fields?: z.ZodType; files?: Pick<RouteDoc, "answers" | "silent"> } = {},
) =>
  describe({
    id,
    summary: `${summary}, for older clients`,
    deprecated: true,
    fields: more.fields,
    ...(more.files ?? { answers: { status: 200, body: z.union([more.answer ?? Done, Refused]) } }),
  })
