// Maps every refusal and error of the license manager to `{status: false, message, errors}`. Responses are always JSON,
// because clients rarely send an Accept header.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { Refusal, type RefusalCode } from "../core/http/refusal"
import { fieldMessages } from "../core/i18n/field-messages"
import { formatMessage, type Language, type MessageCode, type MessageParams, parseLanguage } from "./refusal-messages"
import { getHeader } from "./request"

/** Default status and message per refusal code; a refusal can override both (`facts.status`, `facts.message`). */
const RESPONSE_BY_CODE: Partial<Record<RefusalCode, [status: ContentfulStatusCode, message: MessageCode]>> = {
  unauthenticated: [401, "api_key_invalid"],
  invalid_key: [401, "api_key_invalid"],
  key_revoked: [401, "api_key_invalid"],
  key_expired: [401, "api_key_expired"],
  insufficient_scope: [403, "api_key_forbidden"],
  not_found: [404, "not_found"],
  method_not_allowed: [405, "method_not_allowed"],
  validation_failed: [422, "bad_request"],
  rate_limited: [429, "rate_limited"],
  server_error: [500, "server_error"],
}

const MESSAGE_BY_STATUS: Record<number, MessageCode> = { 413: "too_large", 415: "unsupported_media_type" }

/** Returns the language that the request asks for in `X-API-LANGUAGE`. */
export const getRequestLanguage = (c: Context): Language => parseLanguage(getHeader(c, "language"))

/** Maps a refusal to a response status and body in the given language. */
export function toErrorResponse(refusal: Refusal, language: Language) {
  const { code, facts } = refusal
  const [status, defaultMessage] = RESPONSE_BY_CODE[code] ?? [
    400,
    MESSAGE_BY_STATUS[facts.status ?? 400] ?? "bad_request",
  ]
  const errors = facts.fields && fieldMessages(facts.fields, language)
  const firstError = errors && Object.values(errors)[0]?.[0]
  const sentence = formatMessage(
    (facts.message as MessageCode) ?? defaultMessage,
    language,
    facts.words as MessageParams,
  )
  const body = { status: false, message: firstError ?? sentence }
  return {
    status: (facts.status as ContentfulStatusCode | undefined) ?? status,
    body: errors ? { ...body, errors } : body,
  }
}

/**
 * Returns whether an error is about the request's content: an unknown product or license, or an invalid field. Legacy
 * clients expect those with status 200. An unknown path carries no message and stays a 404.
 */
export const isBusinessError = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal &&
  (thrown.code === "validation_failed" || (thrown.code === "not_found" && thrown.facts.message !== undefined))

/** Builds the error response for a refusal. */
export function refuse(c: Context, refusal: Refusal): Response {
  const { body, status } = toErrorResponse(refusal, getRequestLanguage(c))
  return c.json(body, status)
}
