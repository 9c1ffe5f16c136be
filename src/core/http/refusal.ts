// A request that is understood and not granted. It is made of facts and knows no transport: each surface turns it into its
// own envelope and words.

/** The control plane's conflicts: a well-formed request against the platform's rules (spec "409 conflict codes"). */
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

/** The content API's business refusals; that API shows their words, never the code. */
export type ContentCode =
  | "wrong_credentials"
  | "wrong_password"
  | "email_unverified"
  | "reset_token_invalid"
  | "device_not_found"
  | "unpaid_orders"
  | "not_scheduled"

/** The console's own refusals; no API can raise them, and `src/console/strings.ts` has their words. */
export type ConsoleCode = "sign_in_failed" | "code_wrong" | "passkey_refused" | "support_over"

/** Refusals about the operators' accounts, which their command line and their console raise. */
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

/** One thing wrong with one field: a rule of the message catalogue and what its sentence needs. */
export interface FieldFault {
  rule: FieldRule
  facts?: Record<string, string | number>
}

/** The rules a field can break; `core/messages.ts` has a sentence for each. */
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

/** Field name (dots for nested ones) to what is wrong with it. */
export type FieldFaults = Record<string, FieldFault[]>

export interface RefusalFacts {
  /** With `validation_failed` and `plan_too_small`. */
  fields?: FieldFaults
  /** With `method_not_allowed`: the verbs the path accepts. */
  allow?: string[]
  /** With `rate_limited`: seconds until the window ends. */
  retryAfter?: number
  /** With `rate_limited`: the headers that tell the budget. */
  headers?: Record<string, string>
  /** With `http_error`: the status it stands for. */
  status?: number
  /** What a message may name: a store, a plan, an app. */
  [name: string]: unknown
}

/**
 * A refusal, thrown by verbs and gates.
 * @param code the published code, stable for clients
 * @param facts what the surface needs to word it
 */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: RefusalCode
  readonly facts: RefusalFacts

  constructor(code: RefusalCode, facts: RefusalFacts = {}) {
    super(code)
    this.code = code
    this.facts = facts
  }
}

/** A `validation_failed` about one field. */
export const invalid = (field: string, rule: FieldRule, facts?: FieldFault["facts"]): Refusal =>
  new Refusal("validation_failed", { fields: { [field]: [{ rule, facts }] } })

/** A refusal that stands for a bare HTTP fault: unreadable JSON, an unsupported media type, a body too large. */
export const httpFault = (status: 400 | 413 | 415): Refusal => new Refusal("http_error", { status })
