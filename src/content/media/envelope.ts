// Response envelopes of the media API: bare arrays and objects, `{message}` for confirmations, `{message, errors}` for
// errors.
import type { Context } from "hono"
import * as z from "zod"
import { type Translations, translate } from "../../core/i18n/locale"
import { type ContentRefusal, fieldErrors, messageOf, statusOf } from "../envelope"
import { requestLocale } from "../locale"
import type { ContentEnv } from "../types"

export const MessageResponse = z.object({ message: z.string() })

/** Responds with a confirmation message. */
export const respondWithMessage = (c: Context<ContentEnv>, sentence: Translations): Response =>
  c.json({ message: translate(sentence, c.var.ctx.locale) })

/** Responds to a refusal with this API's error envelope. */
export function respondWithRefusal(c: Context<ContentEnv>, refusal: ContentRefusal): Response {
  const locale = requestLocale(c)
  const status = statusOf(refusal)
  if (refusal.code === "validation_failed") return c.json(fieldErrors(refusal, locale), status)
  return c.json({ message: messageOf(refusal, locale), errors: {} }, status)
}
