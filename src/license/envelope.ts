// Maps every refusal and error of the license manager to `{status: false, message, errors}`. Responses are always JSON,
// because clients rarely send an Accept header.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { type HttpErrorStatus, Refusal, type RefusalOf } from "../core/http/refusal"
import { fieldMessages } from "../core/i18n/field-messages"
import { formatMessage, type Language, type MessageCode, parseLanguage } from "./refusal-messages"
import { getHeader } from "./request"

/** The codes that the license manager renders. */
export type LicenseCode =
  | "http_error"
  | "insufficient_scope"
  | "invalid_key"
  | "key_expired"
  | "method_not_allowed"
  | "not_found"
  | "rate_limited"
  | "server_error"
  | "temporarily_unavailable"
  | "validation_failed"

type LicenseRefusal = RefusalOf<LicenseCode>

/** Status and default message by code. */
export const RESPONSE_BY_CODE: Record<LicenseCode, [status: ContentfulStatusCode, message: MessageCode]> = {
  http_error: [400, "bad_request"],
  invalid_key: [401, "api_key_invalid"],
  key_expired: [401, "api_key_expired"],
  insufficient_scope: [403, "api_key_forbidden"],
  not_found: [404, "not_found"],
  method_not_allowed: [405, "method_not_allowed"],
  validation_failed: [422, "bad_request"],
  rate_limited: [429, "rate_limited"],
  server_error: [500, "server_error"],
  temporarily_unavailable: [503, "temporarily_unavailable"],
}

const HTTP_ERROR_MESSAGES: Record<HttpErrorStatus, MessageCode> = {
  400: "bad_request",
  413: "too_large",
  415: "unsupported_media_type",
}

/** Returns the status and the message of a refusal. */
function describeRefusal(refusal: LicenseRefusal): [status: ContentfulStatusCode, message: MessageCode] {
  const [status, message] = RESPONSE_BY_CODE[refusal.code]
  // lint: RESPONSE_BY_CODE has an entry for every other code
  switch (refusal.code) {
    case "http_error":
      return [refusal.facts.status, HTTP_ERROR_MESSAGES[refusal.facts.status]]
    case "not_found":
    case "validation_failed":
      return [status, refusal.facts.message ?? message]
    default:
      return [status, message]
  }
}

/** Returns the language that the request asks for in `X-API-LANGUAGE`. */
export const getRequestLanguage = (c: Context): Language => parseLanguage(getHeader(c, "language"))

/** Maps a refusal to a response status and body in the given language. */
export function toErrorResponse(refusal: LicenseRefusal, language: Language) {
  const [status, messageCode] = describeRefusal(refusal)
  const { fields, params } = refusal.code === "validation_failed" ? refusal.facts : {}
  const errors = fields && fieldMessages(fields, language)
  const firstError = errors && Object.values(errors)[0]?.[0]
  const body = { status: false, message: firstError ?? formatMessage(messageCode, language, params) }
  return { status, body: errors ? { ...body, errors } : body }
}

/**
 * Returns whether an error is about the request's content: an unknown product or license, or an invalid field. Legacy
 * clients expect those with status 200. An unknown path carries no message and stays a 404.
 */
export const isBusinessError = (thrown: unknown): thrown is RefusalOf<"validation_failed" | "not_found"> =>
  thrown instanceof Refusal &&
  (thrown.code === "validation_failed" || (thrown.code === "not_found" && thrown.facts.message !== undefined))

/** Builds the error response for a refusal. */
export function refuse(c: Context, refusal: LicenseRefusal): Response {
  const { body, status } = toErrorResponse(refusal, getRequestLanguage(c))
  return c.json(body, status)
}
