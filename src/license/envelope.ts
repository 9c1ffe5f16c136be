// The license manager's one mapper: any refusal or fault becomes `{status: false, message, errors}`. Clients rarely say what
// they accept, so the answer is always JSON.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { Refusal, type RefusalCode } from "../core/http/refusal"
import { fieldMessages } from "../core/i18n/field-messages"
import { type Language, languageOf, type MessageCode, type MessageFacts, message } from "./refusal-messages"
import { headerOf } from "./request"

/** Statuses and words of the codes this surface raises; a refusal may name better words in `facts.message`. */
const WORDS: Partial<Record<RefusalCode, [status: ContentfulStatusCode, message: MessageCode]>> = {
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

const HTTP_WORDS: Record<number, MessageCode> = { 413: "too_large", 415: "unsupported_media_type" }

/** The language a request wants its messages in. */
export const languageFor = (c: Context): Language => languageOf(headerOf(c, "language"))

/** A refusal as its body and status. */
export function worded(refusal: Refusal, language: Language) {
  const { code, facts } = refusal
  const [status, words] = WORDS[code] ?? [400, HTTP_WORDS[facts.status ?? 400] ?? "bad_request"]
  const errors = facts.fields && fieldMessages(facts.fields, language)
  const first = errors && Object.values(errors)[0]?.[0]
  const sentence = message((facts.message as MessageCode) ?? words, language, facts.words as MessageFacts)
  const body = { status: false, message: first ?? sentence }
  return {
    status: (facts.status as ContentfulStatusCode | undefined) ?? status,
    body: errors ? { ...body, errors } : body,
  }
}

/**
 * Whether what was thrown answers what somebody who was let in asked for: a product or a license that is not there, a field that is
 * wrong. Older clients read those with status 200. A path that is not there names nothing, and stays a 404.
 */
export const isAnswer = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal &&
  (thrown.code === "validation_failed" || (thrown.code === "not_found" && thrown.facts.message !== undefined))

/** The answer to a refusal. */
export function refuse(c: Context, refusal: Refusal): Response {
  const { body, status } = worded(refusal, languageFor(c))
  return c.json(body, status)
}
