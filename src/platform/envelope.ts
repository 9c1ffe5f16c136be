// Maps every Refusal and error of the control plane to `{error: {code, message}}` with its published status.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import type { Refusal, RefusalCode } from "../core/http/refusal"
import { fieldMessages } from "../core/i18n/field-messages"
import { acceptedLocale, type Locale, translate } from "../core/i18n/locale"
import { HTTP_ERROR_MESSAGES, MESSAGES, TAKEN_UNVERIFIED, TAKEN_VERIFIED } from "./refusal-messages"

/** HTTP statuses by code; every other code is a 409. */
const STATUS_BY_CODE: Partial<Record<RefusalCode, ContentfulStatusCode>> = {
  api_disabled: 503,
  unauthenticated: 401,
  invalid_key: 401,
  key_revoked: 401,
  key_expired: 401,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  cursor_expired: 410,
  rate_limited: 429,
  validation_failed: 422,
  plan_too_small: 422,
  idempotency_mismatch: 422,
  server_error: 500,
}

/** Returns the status of a code; a refusal's `facts.status` overrides it. */
export const getStatus = (code: RefusalCode): ContentfulStatusCode => STATUS_BY_CODE[code] ?? 409

/** Returns the localized message of a refusal; for invalid fields, the message of the first one. */
export function getMessage({ code, facts }: Refusal, locale: Locale): string {
  const errors = facts.fields && fieldMessages(facts.fields, locale)
  const taken = facts.hours ? TAKEN_VERIFIED : TAKEN_UNVERIFIED
  const sentence = code === "already_taken" && facts.record ? taken : MESSAGES[code]
  return (
    (code === "validation_failed" && errors && Object.values(errors)[0]?.[0]) ||
    (sentence && translate(sentence, locale, facts)) ||
    translate(HTTP_ERROR_MESSAGES[facts.status ?? 400] ?? MESSAGES.forbidden, locale)
  )
}

/**
 * Builds the error response of a refusal.
 * @param refusal its facts select the message; `facts.status` overrides the status of its code
 */
export function refuse(c: Context, refusal: Refusal): Response {
  const { code, facts } = refusal
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  const errors = facts.fields && fieldMessages(facts.fields, locale)
  const message = getMessage(refusal, locale)
  const body = errors ? { error: { code, message, errors }, errors } : { error: { code, message } }
  return c.json(body, (facts.status as ContentfulStatusCode | undefined) ?? getStatus(code))
}
