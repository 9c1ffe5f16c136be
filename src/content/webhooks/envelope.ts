// Response envelopes of a store's webhooks, which are those of the control plane: `{data}`, and
// `{error: {code, message}}`.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import type { Locale } from "../../core/i18n/locale"
import { type ContentRefusal, fieldErrors, messageOf, statusOf } from "../envelope"
import { requestLocale } from "../locale"
import type { ContentEnv } from "../types"

const BASE_PATH = "/api/v1/webhooks"

/** Whether a path is one of a store's webhooks. */
export const isWebhooksPath = (path: string): boolean => path === BASE_PATH || path.startsWith(`${BASE_PATH}/`)

/** Builds the status and the body of a refusal. */
export function buildWebhooksRefusal(
  refusal: ContentRefusal,
  locale: Locale,
): { status: ContentfulStatusCode; body: object } {
  const { code } = refusal
  const status = code === "limit_reached" ? 409 : statusOf(refusal)
  if (code !== "validation_failed") return { status, body: { error: { code, message: messageOf(refusal, locale) } } }
  const { errors } = fieldErrors(refusal, locale)
  const message = Object.values(errors)[0]?.[0] ?? ""
  return { status, body: { error: { code, message, errors }, errors } }
}

/** Sends a refusal. */
export function respondWithWebhooksRefusal(c: Context<ContentEnv>, refusal: ContentRefusal): Response {
  const { status, body } = buildWebhooksRefusal(refusal, requestLocale(c))
  return c.json(body, status)
}
