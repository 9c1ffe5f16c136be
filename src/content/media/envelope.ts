// The media API's envelopes: bare arrays and objects, `{message}` for what was done, `{message, errors}` for what was refused.
import type { Context } from "hono"
import * as z from "zod"
import type { Refusal } from "../../core/http/refusal"
import { acceptedLocale, type Sentence, say } from "../../core/i18n/locale"
import { fieldErrors, messageOf, statusOf } from "../envelope"
import type { ContentEnv } from "../types"

export const Done = z.object({ message: z.string() })

/** What was done, in words. */
export const done = (c: Context<ContentEnv>, sentence: Sentence): Response =>
  c.json({ message: say(sentence, c.var.ctx.locale) })

/** The answer to a refusal in this API's envelope. */
export function refuseMedia(c: Context<ContentEnv>, refusal: Refusal): Response {
  const { code } = refusal
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  const status = statusOf(refusal)
  if (code === "validation_failed") return c.json(fieldErrors(refusal, locale), status)
  return c.json({ message: messageOf(refusal, locale), errors: {} }, status)
}
