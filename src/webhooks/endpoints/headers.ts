// The additional request headers of an endpoint: their schema, and their encryption. Responses show masked values.
import * as z from "zod"
import { violates } from "../../core/http/validation"
import { type ApplicationKey, decrypt, encrypt } from "../../lib/cipher"

const MAX_HEADERS = 10

const MAX_VALUE_LENGTH = 1_000

/** Shown instead of every value. */
const MASKED_VALUE = "********"

/** A field name: a token of RFC 9110, section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

/** A field value of RFC 9110, section 5.5, in ASCII: printable, without blanks at the ends. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/** Headers that the platform sets, that only concern one connection, or that contain a browser's state. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  "connection",
  "cookie",
  "cookie2",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
])

const FORBIDDEN_PREFIXES = ["cf-", "content-", "proxy-", "webhook-", "x-tenancy-"]

const isAllowedName = (name: string): boolean => {
  const lowerCase = name.toLowerCase()
  return !FORBIDDEN_NAMES.has(lowerCase) && !FORBIDDEN_PREFIXES.some((prefix) => lowerCase.startsWith(prefix))
}

/** Drops what is beyond one header too many, so that a body of a megabyte costs no more than a short one. */
function limitHeaders(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const entries: [string, unknown][] = []
  for (const name in value) {
    if (Object.hasOwn(value, name)) entries.push([name, (value as Record<string, unknown>)[name]])
    if (entries.length > MAX_HEADERS) break
  }
  return Object.fromEntries(entries)
}

const limitedHeaders = z
  .record(z.string(), z.string())
  .superRefine((values, ctx) => {
    const names = Object.keys(values)
    if (names.length > MAX_HEADERS)
      return ctx.addIssue({ code: "custom", ...violates("max_items", { max: MAX_HEADERS }) })
    const seen = new Set<string>()
    for (const [name, value] of Object.entries(values)) {
      const refuse = (...rule: Parameters<typeof violates>) =>
        ctx.addIssue({ code: "custom", path: [name], ...violates(...rule) })
      if (!NAME.test(name)) refuse("format")
      else if (!isAllowedName(name)) refuse("prohibited")
      else if (seen.has(name.toLowerCase())) refuse("duplicate")
      else if (value === "") refuse("required")
      else if (value.length > MAX_VALUE_LENGTH) refuse("max_length", { max: MAX_VALUE_LENGTH })
      // A masked value, as read from a response, is not a value.
      else if (!VALUE.test(value) || value === MASKED_VALUE) refuse("format")
      seen.add(name.toLowerCase())
    }
  })
  .transform((values) => (Object.keys(values).length ? values : null))
  .nullish()

/** A map from names to values; an empty one is stored as null. */
export const headers = z.preprocess(limitHeaders, limitedHeaders)

/** Encrypts the values of headers. */
export async function encryptHeaders(
  key: ApplicationKey,
  values: Record<string, string>,
): Promise<Record<string, string>> {
  const encrypted = Object.entries(values).map(async ([name, value]) => [name, await encrypt(key, value)] as const)
  return Object.fromEntries(await Promise.all(encrypted))
}

/** Decrypts the values of headers; null if one was encrypted under another key. */
export async function decryptHeaders(
  key: ApplicationKey,
  stored: Record<string, string>,
): Promise<Record<string, string> | null> {
  const entries = Object.entries(stored).map(async ([name, value]) => [name, await decrypt(key, value)] as const)
  const decrypted = await Promise.all(entries)
  return decrypted.some(([, value]) => value === null)
    ? null
    : Object.fromEntries(decrypted.map(([name, value]) => [name, value ?? ""]))
}

/** Returns headers as responses and the audit log show them. */
export const maskHeaders = (stored: Record<string, string> | null): Record<string, string> | null =>
  stored && Object.fromEntries(Object.keys(stored).map((name) => [name, MASKED_VALUE]))
