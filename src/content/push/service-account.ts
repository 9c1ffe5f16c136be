// Parses and validates a service-account file.
import { importPKCS8, SignJWT } from "jose"
import type { Ctx } from "../../core/context"
import type { FieldError } from "../../core/http/refusal"
import { checkUrl } from "../../core/outbound/url-safety"
import { isJsonObject, tryParseJson } from "../../lib/json"

/** Service account of the push provider (https://cloud.google.com/iam/docs/keys-create-delete). */
export interface ServiceAccount {
  projectId: string
  clientEmail: string
  /** PEM, PKCS#8. */
  privateKey: string
  /** Token endpoint that exchanges assertions for access tokens. */
  tokenUri: string
}

/** Token endpoint of an account without a `token_uri`. */
export const TOKEN_URI = "https://oauth2.googleapis.com/token"

/** Maximum length of a value, except for the private key. */
const MAX_VALUE_LENGTH = 500

/** Signature algorithm of assertions that the provider accepts (RFC 7523). */
export const ALGORITHM = "RS256"

/**
 * Parses a service-account file.
 * @param text the file's JSON
 * @returns the account, or the rule that the file violates
 */
export async function readServiceAccount(
  ctx: Pick<Ctx, "settings">,
  text: string,
): Promise<ServiceAccount | FieldError> {
  const file = tryParseJson(text)
  if (file === undefined) return { rule: "json" }
  if (!isJsonObject(file)) return { rule: "object" }
  const parts = { token_uri: TOKEN_URI, ...file }
  const missing = PARTS.find((part) => !isPart(parts, part, text.length))
  if (missing) return { rule: "missing_part", facts: { part: missing } }
  const { project_id: projectId, private_key: privateKey, client_email, token_uri } = parts as Record<Part, string>
  if (!(await canSign(privateKey))) return { rule: "private_key" }
  if (!findTokenHost(ctx, token_uri)) return { rule: "token_uri" }
  return { projectId, privateKey, clientEmail: client_email, tokenUri: token_uri }
}

/** The parts that a file must have, in the order in which a missing one is reported. */
const PARTS = ["project_id", "private_key", "client_email", "token_uri"] as const

type Part = (typeof PARTS)[number]

function isPart(file: Partial<Record<Part, unknown>>, part: Part, fileLength: number): boolean {
  const value = Object.hasOwn(file, part) ? file[part] : undefined
  const maxLength = part === "private_key" ? fileLength : MAX_VALUE_LENGTH
  return typeof value === "string" && value.trim() !== "" && value.length <= maxLength
}

/** Whether a key can sign assertions. A key that is too short or of another type only fails when it is used. */
async function canSign(pem: string): Promise<boolean> {
  try {
    await new SignJWT().setProtectedHeader({ alg: ALGORITHM }).sign(await importPKCS8(pem, ALGORITHM))
    return true
  } catch {
    return false
  }
}

/**
 * Checks a token endpoint by its text: an uploaded file must not direct requests into a private network (SSRF).
 * @returns its host; null when the platform may not send requests there
 */
export function findTokenHost({ settings }: Pick<Ctx, "settings">, address: string): string | null {
  const allowPrivateHosts = settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS
  const url = URL.parse(address)
  if (url?.protocol === "http:") {
    const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
    return allowPrivateHosts && isLoopback ? url.hostname : null
  }
  const checked = checkUrl(address, { centralDomain: settings.CENTRAL_DOMAIN, allowPrivateHosts })
  return checked.ok ? checked.host : null
}
