// Refusal, the error for requests that are understood but not granted. It carries a code and facts; every
// surface turns it into its own envelope and message.

/** Conflicts with the platform's rules. 409 in the control plane; other surfaces map some codes to another status. */
type ConflictCode =
  | "subdomain_reserved"
  | "subdomain_taken"
  | "not_provisioned"
  | "no_subscription"
  | "no_tenant"
  | "plan_unavailable"
  | "confirm_mismatch"
  | "still_provisioning"
  | "plan_upgrade_required"
  | "limit_reached"
  | "already_taken"
  | "verify_first"
  | "not_removable"
  | "not_entitled"
  | "requirement_not_entitled"
  | "still_required"
  | "theme_not_entitled"
  | "theme_requirement_not_entitled"
  | "theme_unavailable"
  | "stripe_managed"
  | "illegal_transition"
  | "same_plan"
  | "no_plan"
  | "store_unavailable"
  | "usage_unavailable"
  | "delivery_not_retryable"
  | "recovery_running"
  | "offline_disabled"
  | "order_already_open"
  | "order_not_pending"
  | "clock_behind"
  | "prefix_locked"
  | "card_disabled"
  | "invalid_signature"
  | "provider_unreachable"
  | "idempotency_in_progress"

/** The content API's business refusals; that API shows the message, never the code. */
export type ContentCode =
  | "wrong_credentials"
  | "wrong_password"
  | "email_unverified"
  | "reset_token_invalid"
  | "device_not_found"
  | "unpaid_orders"
  | "not_scheduled"

/** The console's own refusals. No API raises them; `src/console/strings.ts` has their messages. */
export type ConsoleCode = "sign_in_failed" | "code_wrong" | "passkey_refused" | "support_over"

/** Refusals about operator accounts, raised by the command line and the console. */
type AccountCode = "last_admin" | "own_account"

export type RefusalCode =
  | ConflictCode
  | ContentCode
  | ConsoleCode
  | AccountCode
  | "api_disabled"
  | "unauthenticated"
  | "invalid_key"
  | "key_revoked"
  | "key_expired"
  | "insufficient_scope"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "rate_limited"
  | "validation_failed"
  | "plan_too_small"
  | "idempotency_mismatch"
  | "cursor_expired"
  | "http_error"
  | "server_error"

/** A validation error of a field: a rule of the message catalog and the values that its message needs. */
export interface FieldError {
  rule: FieldRule
  facts?: Record<string, string | number>
}

/** The rules a field can violate; `core/i18n/field-messages.ts` has a message for each. */
export type FieldRule =
  | "required"
  | "string"
  | "integer"
  | "boolean"
  | "array"
  | "object"
  | "email"
  | "url"
  | "date"
  | "future"
  | "format"
  | "max_length"
  | "min_length"
  | "max_value"
  | "min_value"
  | "max_items"
  | "min_items"
  | "selected"
  | "duplicate"
  | "confirmed"
  | "prohibited"
  | "unsafe_url"
  | "limit_exceeded"
  | "taken"
  | "file"
  | "image"
  | "max_kilobytes"
  | "current_password"
  | "json"
  | "missing_part"
  | "private_key"
  | "token_uri"

/** Validation errors by field name, with dots for nested fields. */
export type FieldErrors = Record<string, FieldError[]>

export interface RefusalDetails {
  /** With `validation_failed` and `plan_too_small`. */
  fields?: FieldErrors
  /** With `method_not_allowed`: the methods that the path accepts. */
  allow?: string[]
  /** Seconds until a retry makes sense: with `rate_limited`, until the window ends. */
  retryAfter?: number
  /** With `rate_limited`: the `X-RateLimit-*` headers. */
  headers?: Record<string, string>
  /** With `http_error`: the HTTP status. */
  status?: number
  /** Values that the message may contain: a store, a plan, an app. */
  [name: string]: unknown
}

/**
 * A refusal, thrown by service functions and gates.
 * @param code the published code, stable for clients
 * @param facts the values that the surface needs for its message
 */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: RefusalCode
  readonly facts: RefusalDetails

  constructor(code: RefusalCode, facts: RefusalDetails = {}) {
    super(code)
    this.code = code
    this.facts = facts
  }
}

/** Creates a `validation_failed` refusal about one field. */
export const invalid = (field: string, rule: FieldRule, facts?: FieldError["facts"]): Refusal =>
  new Refusal("validation_failed", { fields: { [field]: [{ rule, facts }] } })

/** Creates a refusal for a plain HTTP error: malformed body, body too large, unsupported media type. */
export const httpError = (status: 400 | 413 | 415): Refusal => new Refusal("http_error", { status })
