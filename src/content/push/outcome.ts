// Interprets the provider's response to a message: the outcome for the device and for the notification
// (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
import type { Stop } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"
import type { ProviderResponse } from "./request"

export type Outcome =
  | { kind: "sent" }
  | { kind: "failed"; reason: FailureReason }
  /** The provider rejected either the token or the message; its response does not say which. */
  | { kind: "refused" }
  /** Retry later. */
  | { kind: "later"; reason: "slowed_down" | "unavailable"; retryAfter: number | null }
  /** The provider rejected the access token. */
  | { kind: "unauthorized" }
  /** The error affects all devices. */
  | { kind: "stop"; stop: Stop }

const TOKEN_FIELD = "message.token"

/** Maximum length of a stored error detail. */
const MAX_DETAIL_LENGTH = 300

/** Interprets a response to `messages:send`. */
export function parseOutcome(response: ProviderResponse): Outcome {
  const { status, retryAfter } = response
  if (status === 200) return { kind: "sent" }
  if (status === null || status >= 500) return { kind: "later", reason: "unavailable", retryAfter }
  if (status === 429) return { kind: "later", reason: "slowed_down", retryAfter }
  const { codes, fields, message } = parseError(response)
  if (status === 400) return parseBadRequest(fields)
  if (status === 401) {
    return codes.includes("THIRD_PARTY_AUTH_ERROR") ? { kind: "failed", reason: "apns_key" } : { kind: "unauthorized" }
  }
  if (status === 403) {
    return codes.includes("SENDER_ID_MISMATCH")
      ? { kind: "failed", reason: "sender_mismatch" }
      : { kind: "stop", stop: { code: "project_refused", detail: message } }
  }
  // A 404 that does not come from the provider, for example from a proxy, says nothing about the device.
  const isUnknown = codes.includes("UNREGISTERED") || codes.includes("NOT_FOUND")
  return { kind: "failed", reason: status === 404 && isUnknown ? "unregistered" : "unexpected" }
}

function parseBadRequest(fields: string[]): Outcome {
  const field = fields.find((name) => name !== TOKEN_FIELD)
  return field ? { kind: "stop", stop: { code: "field_refused", detail: field } } : { kind: "refused" }
}

interface ProviderError {
  /** Error codes from the status and from the details. */
  codes: string[]
  /** Invalid fields. */
  fields: string[]
  message: string
}

/**
 * Parses `{error: {status, message, details: [{errorCode} | {fieldViolations: [{field}]}]}}`; any part may be missing.
 */
function parseError({ status, body }: ProviderResponse): ProviderError {
  const error = asObject(body?.error)
  const details = asList(error.details).map(asObject)
  const strings = (values: unknown[]) => values.filter((value) => typeof value === "string").map(truncate)
  return {
    codes: strings([error.status, ...details.map(({ errorCode }) => errorCode)]),
    fields: strings(
      details.flatMap(({ fieldViolations }) => asList(fieldViolations).map((violation) => asObject(violation).field)),
    ),
    message: strings([error.message])[0] ?? `status ${status}`,
  }
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 20) : [])

const truncate = (text: string): string => text.slice(0, MAX_DETAIL_LENGTH).toWellFormed()
