// Renders the content API's response envelopes: one resource, a page of resources, and refusals.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { linkedPage, pageLinks } from "../core/http/linked-page"
import { isServerFailure, Refusal, type RefusalOf } from "../core/http/refusal"
import { toRefusal } from "../core/http/surface"
import { fieldMessages } from "../core/i18n/field-messages"
import { type Locale, translate } from "../core/i18n/locale"
import type { Page, PageRequest } from "../core/list/page"
import { publicUrl } from "../env"
import { sendCacheable } from "./blog/caching"
import { requestLocale } from "./locale"
import { type ContentApiCode, HTTP_ERROR_MESSAGES, MESSAGES, MORE_FIELD_ERRORS } from "./refusal-messages"
import type { ContentEnv } from "./types"
import { authenticate } from "./user"

/** Sends one resource: `{error: false, data, message}`. */
export const sendData = (
  c: Context<ContentEnv>,
  data: unknown,
  { status = 200, message = null }: { status?: 200 | 201; message?: string | null } = {},
): Promise<Response> => sendJson(c, { error: false, data, message }, status)

/** Sends a successful response, with cache headers where the route allows caching. */
async function sendJson(c: Context<ContentEnv>, value: object, status: 200 | 201): Promise<Response> {
  return c.get("isCacheable") ? sendCacheable(c, JSON.stringify(value)) : c.json(value, status)
}

/**
 * Sends a page of resources with its `meta` and `links`. The links are absolute and repeat the other query parameters.
 * @param page the rows as resources, and the total
 * @param meta fields of `meta` in addition to the six pagination fields
 */
export function sendPage(
  c: Context<ContentEnv>,
  { page, per_page }: PageRequest,
  { rows, total }: Page<unknown>,
  meta: Record<string, unknown> = {},
): Promise<Response> {
  const { settings, site } = c.get("ctx")
  const { pathname, search } = new URL(c.req.url)
  const link = pageLinks(publicUrl(settings, site.hostname, pathname), search)
  const body = linkedPage({ page, per_page }, { rows, total }, link)
  return sendJson(c, { ...body, meta: { ...body.meta, ...meta }, error: false, message: null }, 200)
}

/** HTTP statuses by code; `http_error` has its status in its facts. */
export const STATUS_BY_CODE: Record<ContentApiCode, ContentfulStatusCode> = {
  http_error: 400,
  invalid_key: 401,
  unauthenticated: 401,
  not_entitled: 403,
  forbidden: 403,
  limit_reached: 403,
  wrong_password: 403,
  account_disabled: 403,
  email_unverified: 403,
  not_found: 404,
  device_not_found: 404,
  method_not_allowed: 405,
  offline_disabled: 409,
  order_already_open: 409,
  order_not_pending: 409,
  no_subscription: 409,
  illegal_transition: 409,
  stripe_managed: 409,
  plan_too_small: 409,
  usage_unavailable: 409,
  card_disabled: 409,
  last_owner: 409,
  delivery_not_retryable: 409,
  precondition_failed: 412,
  validation_failed: 422,
  wrong_credentials: 422,
  reset_token_invalid: 422,
  invitation_invalid: 422,
  unpaid_orders: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  server_error: 500,
  provider_unreachable: 502,
  store_unavailable: 503,
  temporarily_unavailable: 503,
  api_disabled: 503,
}

export type { ContentApiCode }

export type ContentRefusal = RefusalOf<ContentApiCode>

/** Whether an error is a refusal that has a message here. */
export const isContentRefusal = (thrown: unknown): thrown is ContentRefusal =>
  thrown instanceof Refusal && Object.hasOwn(STATUS_BY_CODE, thrown.code)

/** Returns the HTTP status of a refusal on this surface. */
export const statusOf = (refusal: ContentRefusal): ContentfulStatusCode =>
  refusal.code === "http_error" ? refusal.facts.status : STATUS_BY_CODE[refusal.code]

/** Returns the localized message of a refusal. */
export const messageOf = (refusal: ContentRefusal, locale: Locale): string =>
  refusal.code === "http_error"
    ? translate(HTTP_ERROR_MESSAGES[refusal.facts.status], locale)
    : translate(MESSAGES[refusal.code], locale, refusal.facts)

/** Builds the body of a 422: `{message, errors}`. The message is the first error plus the number of further errors. */
export function fieldErrors(
  { facts }: RefusalOf<"validation_failed">,
  locale: Locale,
): { message: string; errors: Record<string, string[]> } {
  const errors = fieldMessages(facts.fields ?? {}, locale)
  const [first = "", ...rest] = Object.values(errors).flat()
  const more =
    rest.length && translate(MORE_FIELD_ERRORS[rest.length === 1 ? "one" : "many"], locale, { count: rest.length })
  return { message: more ? `${first} ${more}` : first, errors }
}

/** Sends a refusal in this surface's envelope. */
export function refuse(c: Context<ContentEnv>, refusal: ContentRefusal): Response {
  const locale = requestLocale(c)
  const status = statusOf(refusal)
  if (refusal.code === "validation_failed") return c.json(fieldErrors(refusal, locale), status)
  const message = messageOf(refusal, locale)
  if (refusal.code === "invalid_key") return c.json({ message, error: "Unauthorized" }, status)
  const code = refusal.code === "precondition_failed" ? { code: refusal.code } : {}
  return c.json({ error: true, data: null, message, ...code }, status)
}

/** On a route that needs a user, returns `unauthenticated` in place of any other refusal while the token is invalid. */
export async function authenticateBeforeRefusal(c: Context<ContentEnv>, refusal: Refusal): Promise<Refusal> {
  const ctx = c.var.userCtx
  const isFinal = isServerFailure(refusal) || refusal.code === "unauthenticated"
  if (!ctx || ctx.caller.isVerified || isFinal) return refusal
  try {
    await authenticate(ctx)
    return refusal
  } catch (cause) {
    return toRefusal(cause, c.var.requestId)
  }
}
