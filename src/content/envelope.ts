// The content API's envelopes: one resource, a page of them, and whatever was refused.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { linkedPage, pageLinks } from "../core/http/linked-page"
import type { Refusal, RefusalCode } from "../core/http/refusal"
import { toRefusal } from "../core/http/surface"
import { fieldMessages } from "../core/i18n/field-messages"
import { acceptedLocale, type Locale, say } from "../core/i18n/locale"
import type { Page, PageRequest } from "../core/list/page"
import { publicUrl } from "../env"
import { tagged } from "./blog/caching"
import { FIELD_FAULTS_MORE, MESSAGES, statusMessage } from "./refusal-messages"
import type { ContentEnv } from "./types"
import { authed } from "./user"

/** One resource: `{error: false, data, message}`. */
export const single = (
  c: Context<ContentEnv>,
  data: unknown,
  { status = 200, message = null }: { status?: 200 | 201; message?: string | null } = {},
): Promise<Response> => good(c, { error: false, data, message }, status)

/** A good answer. */
async function good(c: Context<ContentEnv>, value: object, status: 200 | 201): Promise<Response> {
  return c.get("isKept") ? tagged(c, JSON.stringify(value)) : c.json(value, status)
}

/**
 * A page of resources with its `meta` and its links, which are absolute and keep the query's other values.
 * @param page its rows as they are to be shown
 * @param meta what stands in `meta` beside the six fields
 */
export function paginated(
  c: Context<ContentEnv>,
  { page, per_page }: PageRequest,
  { rows, total }: Page<unknown>,
  meta: Record<string, unknown> = {},
): Promise<Response> {
  const { settings, site } = c.get("ctx")
  const { pathname, search } = new URL(c.req.url)
  const link = pageLinks(publicUrl(settings, site.hostname, pathname), search)
  const shown = linkedPage({ page, per_page }, { rows, total }, link)
  return good(c, { ...shown, meta: { ...shown.meta, ...meta }, error: false, message: null }, 200)
}

/** Statuses of the codes this surface raises. */
const STATUS: Partial<Record<RefusalCode, ContentfulStatusCode>> = {
  store_unavailable: 503,
  api_disabled: 503,
  not_entitled: 403,
  invalid_key: 401,
  unauthenticated: 401,
  forbidden: 403,
  limit_reached: 403,
  not_found: 404,
  device_not_found: 404,
  method_not_allowed: 405,
  rate_limited: 429,
  validation_failed: 422,
  wrong_credentials: 422,
  reset_token_invalid: 422,
  unpaid_orders: 422,
  wrong_password: 403,
  email_unverified: 403,
  offline_disabled: 409,
  order_already_open: 409,
  order_not_pending: 409,
  stripe_managed: 409,
  card_disabled: 409,
  provider_unreachable: 502,
  server_error: 500,
}

/** A code's status on this surface; `facts.status` overrides it. */
export const statusOf = ({ code, facts }: Refusal): ContentfulStatusCode =>
  (facts.status as ContentfulStatusCode | undefined) ?? STATUS[code] ?? 400

/** What a refusal says to people. */
export function messageOf(refusal: Refusal, locale: Locale): string {
  const sentence = MESSAGES[refusal.code] ?? statusMessage(statusOf(refusal))
  return say(sentence, locale, refusal.facts)
}

/** Wrong fields: `{message, errors}`, where the message is the first one and says how many more there are. */
export function fieldErrors(refusal: Refusal, locale: Locale): { message: string; errors: Record<string, string[]> } {
  const errors = fieldMessages(refusal.facts.fields ?? {}, locale)
  const [first = "", ...rest] = Object.values(errors).flat()
  const more = rest.length && say(FIELD_FAULTS_MORE[rest.length === 1 ? "one" : "many"], locale, { count: rest.length })
  return { message: more ? `${first} ${more}` : first, errors }
}

/** The answer to a refusal in this surface's envelope. */
export function refuse(c: Context<ContentEnv>, refusal: Refusal): Response {
  const { code } = refusal
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  const status = statusOf(refusal)
  if (code === "validation_failed") return c.json(fieldErrors(refusal, locale), status)
  const message = messageOf(refusal, locale)
  if (code === "invalid_key") return c.json({ message, error: "Unauthorized" }, status)
  return c.json({ error: true, data: null, message }, status)
}

/** On a user's route nothing is said about the request before the token was found good. */
export async function afterToken(c: Context<ContentEnv>, refusal: Refusal): Promise<Refusal> {
  const ctx = c.var.userCtx
  const said = refusal.code === "server_error" || refusal.code === "unauthenticated"
  if (!ctx || ctx.caller.known || said) return refusal
  try {
    await authed(ctx)
    return refusal
  } catch (cause) {
    return toRefusal(cause, c.var.requestId)
  }
}
