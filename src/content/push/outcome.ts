// What an answer of the provider means for a device and for the notification
// (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
import type { Stop } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"
import type { ProviderAnswer } from "./request"

export type Outcome =
  | { kind: "sent" }
  | { kind: "failed"; reason: FailureReason }
  /** It says of the token or of the message that it is no good; nobody can tell which. */
  | { kind: "refused" }
  /** Again later. */
  | { kind: "later"; reason: "slowed_down" | "unavailable"; retryAfter: number | null }
  /** The access token is not taken. */
  | { kind: "unauthorized" }
  /** No other device needs to be tried. */
  | { kind: "stop"; stop: Stop }

const TOKEN_FIELD = "message.token"

/** Characters of the provider's words that are kept. */
const LONGEST_WORDS = 300

/** What an answer to `messages:send` means. */
export function outcomeOf(answer: ProviderAnswer): Outcome {
  const { status, retryAfter } = answer
  if (status === 200) return { kind: "sent" }
  if (status === null || status >= 500) return { kind: "later", reason: "unavailable", retryAfter }
  if (status === 429) return { kind: "later", reason: "slowed_down", retryAfter }
  const { codes, fields, words } = errorOf(answer)
  if (status === 400) return ofRefused(fields)
  if (status === 401) {
    return codes.includes("THIRD_PARTY_AUTH_ERROR") ? { kind: "failed", reason: "apns_key" } : { kind: "unauthorized" }
  }
  if (status === 403) {
    return codes.includes("SENDER_ID_MISMATCH")
      ? { kind: "failed", reason: "sender_mismatch" }
      : { kind: "stop", stop: { code: "project_refused", detail: words } }
  }
  // A 404 that the provider did not write, such as a proxy's, says nothing about the device.
  const isUnknown = codes.includes("UNREGISTERED") || codes.includes("NOT_FOUND")
  return { kind: "failed", reason: status === 404 && isUnknown ? "unregistered" : "unexpected" }
}

function ofRefused(fields: string[]): Outcome {
  const field = fields.find((name) => name !== TOKEN_FIELD)
  return field ? { kind: "stop", stop: { code: "field_refused", detail: field } } : { kind: "refused" }
}

interface ProviderError {
  /** Of the status and of the details. */
  codes: string[]
  /** Fields that are no good. */
  fields: string[]
  words: string
}

/** `{error: {status, message, details: [{errorCode} | {fieldViolations: [{field}]}]}}`, of which any part may be missing. */
function errorOf({ status, body }: ProviderAnswer): ProviderError {
  const error = asObject(body?.error)
  const details = asList(error.details).map(asObject)
  const texts = (values: unknown[]) => values.filter((value) => typeof value === "string").map(short)
  return {
    codes: texts([error.status, ...details.map(({ errorCode }) => errorCode)]),
    fields: texts(details.flatMap(({ fieldViolations }) => asList(fieldViolations).map((one) => asObject(one).field))),
    words: texts([error.message])[0] ?? `status ${status}`,
  }
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 20) : [])

const short = (text: string): string => text.slice(0, LONGEST_WORDS).toWellFormed()
