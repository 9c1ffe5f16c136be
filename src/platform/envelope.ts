// Maps every refusal of the control plane to `{error: {code, message}}` with its published status.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { Refusal, type RefusalOf } from "../core/http/refusal"
import { fieldMessages } from "../core/i18n/field-messages"
import { acceptedLocale, type Locale, translate } from "../core/i18n/locale"
import {
  HTTP_ERROR_MESSAGES,
  MESSAGES,
  type PlatformCode,
  TAKEN_UNVERIFIED,
  TAKEN_VERIFIED,
  WRONG_HOST,
} from "./refusal-messages"

/** HTTP statuses by code. `http_error` has its status in its facts; `no_subscription` may have another one there. */
export const STATUS_BY_CODE: Record<PlatformCode, ContentfulStatusCode> = {
  http_error: 400,
  invalid_signature: 400,
  unauthenticated: 401,
  invalid_key: 401,
  key_revoked: 401,
  key_expired: 401,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  subdomain_reserved: 409,
  subdomain_taken: 409,
  not_provisioned: 409,
  no_subscription: 409,
  no_tenant: 409,
  plan_unavailable: 409,
  confirm_mismatch: 409,
  still_provisioning: 409,
  plan_upgrade_required: 409,
  limit_reached: 409,
  already_taken: 409,
  verify_first: 409,
  not_removable: 409,
  not_entitled: 409,
  requirement_not_entitled: 409,
  still_required: 409,
  theme_not_entitled: 409,
  theme_requirement_not_entitled: 409,
  theme_unavailable: 409,
  stripe_managed: 409,
  illegal_transition: 409,
  same_plan: 409,
  no_plan: 409,
  store_unavailable: 409,
  usage_unavailable: 409,
  delivery_not_retryable: 409,
  recovery_running: 409,
  offline_disabled: 409,
  order_already_open: 409,
  order_not_pending: 409,
  clock_behind: 409,
  prefix_locked: 409,
  card_disabled: 409,
  idempotency_in_progress: 409,
  not_scheduled: 409,
  last_admin: 409,
  own_account: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  validation_failed: 422,
  plan_too_small: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  server_error: 500,
  temporarily_unavailable: 503,
  provider_unreachable: 502,
  api_disabled: 503,
}

export type { PlatformCode }

type PlatformRefusal = RefusalOf<PlatformCode>

/** Whether an error is a refusal that has a message here. */
export const isPlatformRefusal = (thrown: unknown): thrown is PlatformRefusal =>
  thrown instanceof Refusal && Object.hasOwn(STATUS_BY_CODE, thrown.code)

/** Returns the localized message of a refusal; for invalid fields, the message of the first one. */
export function getMessage(refusal: PlatformRefusal, locale: Locale): string {
  // lint: MESSAGES has an entry for every other code
  switch (refusal.code) {
    case "http_error":
      return translate(HTTP_ERROR_MESSAGES[refusal.facts.status], locale)
    case "validation_failed":
      return (
        Object.values(fieldMessages(refusal.facts.fields ?? {}, locale))[0]?.[0] ??
        translate(HTTP_ERROR_MESSAGES[400], locale)
      )
    case "already_taken": {
      const { facts } = refusal
      const taken = facts.hours === undefined ? TAKEN_UNVERIFIED : TAKEN_VERIFIED
      return translate(facts.record === undefined ? MESSAGES.already_taken : taken, locale, facts)
    }
    case "not_found": {
      const { central } = refusal.facts
      return central === undefined ? translate(MESSAGES.not_found, locale) : translate(WRONG_HOST, locale, { central })
    }
    default:
      return translate(MESSAGES[refusal.code], locale, refusal.facts)
  }
}

/** Returns the HTTP status of a refusal. */
export function getStatus(refusal: PlatformRefusal): ContentfulStatusCode {
  const isOwn = refusal.code === "http_error" || refusal.code === "no_subscription"
  return (isOwn ? refusal.facts.status : undefined) ?? STATUS_BY_CODE[refusal.code]
}

/** Builds the error response of a refusal. */
export function refuse(c: Context, refusal: PlatformRefusal): Response {
  const { code } = refusal
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  const fields = code === "validation_failed" || code === "plan_too_small" ? refusal.facts.fields : undefined
  const errors = fields && fieldMessages(fields, locale)
  const message = getMessage(refusal, locale)
  const body = errors ? { error: { code, message, errors }, errors } : { error: { code, message } }
  return c.json(body, getStatus(refusal))
}
