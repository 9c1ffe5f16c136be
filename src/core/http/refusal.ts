// Refusal, the error for requests that are understood but not granted. It carries a code and facts; every
// surface turns it into its own envelope and message.

/** Conflicts with the platform's rules. */
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
  | "account_disabled"
  | "wrong_password"
  | "email_unverified"
  | "reset_token_invalid"
  | "device_not_found"
  | "unpaid_orders"
  | "not_scheduled"
  | "invitation_invalid"
  | "last_owner"

/** The console's own refusals. No API raises them; `src/console/strings.ts` has their messages. */
export type ConsoleCode = "sign_in_failed" | "invitation_invalid" | "code_wrong" | "passkey_refused" | "support_over"

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
  | "precondition_failed"
  | "idempotency_mismatch"
  | "cursor_expired"
  | "http_error"
  | "temporarily_unavailable"
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
  | "before_or_equal"
  | "format"
  | "amount"
  | "subdomain"
  | "cursor"
  | "max_length"
  | "min_length"
  | "common_password"
  | "max_value"
  | "min_value"
  | "max_items"
  | "min_items"
  | "max_count"
  | "selected"
  | "store_scopes"
  | "has_backup"
  | "has_backup_id"
  | "has_backup_until"
  | "duplicate"
  | "confirmed"
  | "prohibited"
  | "https_url"
  | "url_without_credentials"
  | "url_port"
  | "foreign_url"
  | "public_url"
  | "host_name_url"
  | "resolvable_url"
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

/**
 * Messages that a surface has in addition to one per code; the license manager extends it.
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: extended by a surface
export interface OwnMessages {}

/** The facts of each code: the values for its headers, its status and its message. Other codes have none. */
interface RefusalFacts {
  already_taken: { record?: string; value?: string; hours?: number }
  http_error: { status: HttpErrorStatus }
  /** The required scope. */
  insufficient_scope: { scope?: string }
  /** The methods that the path accepts. */
  method_not_allowed: { allow: readonly string[] }
  /** 404 when the request reads the subscription. */
  no_subscription: { status?: 404 }
  /** `central` when only that host serves the path. */
  not_found: { message?: OwnMessages[keyof OwnMessages]; central?: string }
  not_scheduled: { status_name: string }
  plan_too_small: { fields: FieldErrors }
  /** Seconds until the window ends, and the `X-RateLimit-*` headers. */
  rate_limited: { seconds: number; headers: Record<string, string> }
  server_error: { request_id: string }
  /** Seconds until a retry makes sense. */
  temporarily_unavailable: { retryAfter: number }
  /** Seconds until a retry makes sense; set while the store is being migrated, backed up or restored. */
  store_unavailable: { retryAfter?: number }
  /** `message` without `fields` for a rule of a license; its placeholders are in `params`. */
  validation_failed: {
    fields?: FieldErrors
    message?: OwnMessages[keyof OwnMessages]
    params?: Readonly<Record<string, string>>
  }
}

/** Statuses of refusals without a specific code: malformed body, body too large, unsupported media type. */
export type HttpErrorStatus = 400 | 413 | 415

type FactsOf<Code extends RefusalCode> = Code extends keyof RefusalFacts ? RefusalFacts[Code] : Record<never, never>

/** Codes that may be raised without facts. */
type PlainCode = { [Code in RefusalCode]: Record<never, never> extends FactsOf<Code> ? Code : never }[RefusalCode]

type FactsArgument<Code extends RefusalCode> = [Code] extends [Exclude<RefusalCode, keyof RefusalFacts>]
  ? []
  : [Code] extends [PlainCode]
    ? [facts?: FactsOf<Code>]
    : [facts: FactsOf<Code>]

class RefusalError<Code extends RefusalCode> extends Error {
  override readonly name = "Refusal"
  readonly code: Code
  readonly facts: FactsOf<Code>

  constructor(code: Code, ...[facts]: FactsArgument<Code>) {
    super(code)
    this.code = code
    this.facts = (facts ?? {}) as FactsOf<Code>
  }
}

/** A refusal with one of these codes. A test of its `code` narrows its `facts`. */
export type RefusalOf<Code extends RefusalCode> = { [Each in Code]: RefusalError<Each> }[Code]

/** Any refusal. */
export type Refusal = RefusalOf<RefusalCode>

/**
 * A refusal, thrown by service functions and gates.
 * @param code the published code, stable for clients
 * @param facts the values that the surface needs to render it; the code decides which
 */
// lint: TypeScript cannot declare a class whose instance type depends on an argument
export const Refusal = RefusalError as unknown as {
  readonly prototype: Refusal
  new <Code extends RefusalCode>(code: Code, ...facts: FactsArgument<Code>): RefusalOf<Code>
}

/** Creates a `validation_failed` refusal about one field. */
export const invalid = (field: string, rule: FieldRule, facts?: FieldError["facts"]): RefusalOf<"validation_failed"> =>
  new Refusal("validation_failed", { fields: { [field]: [{ rule, facts }] } })

/**
 * Turns `not_found` into null, for a `catch`.
 * @throws any other error
 */
export function nullIfNotFound(thrown: unknown): null {
  if (thrown instanceof Refusal && thrown.code === "not_found") return null
  throw thrown
}

/** Creates a refusal for a plain HTTP error: malformed body, body too large, unsupported media type. */
export const httpError = (status: HttpErrorStatus): RefusalOf<"http_error"> => new Refusal("http_error", { status })

/** Whether the platform failed, so that no page can ask its user to correct anything. */
export const isServerFailure = ({ code }: Refusal): boolean =>
  code === "server_error" || code === "temporarily_unavailable"
