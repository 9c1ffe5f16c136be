// Parses and validates a service-account file.
import { importPKCS8, SignJWT } from "jose"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { checkUrl } from "../../core/outbound/url-safety"

/** Service account of the push provider (https://cloud.google.com/iam/docs/keys-create-delete). */
export interface ServiceAccount {
  projectId: string
  clientEmail: string
  /** PEM, PKCS#8. */
  privateKey: string
  /** Token endpoint that exchanges assertions for access tokens. */
  tokenUri: string
}

const FIELD = "service_account"

/** Token endpoint of an account without a `token_uri`. */
const TOKEN_URI = "https://oauth2.googleapis.com/token"

/** Maximum length of a value, except for the private key. */
const MAX_VALUE_LENGTH = 500

/** Signature algorithm of assertions that the provider accepts (RFC 7523). */
export const ALGORITHM = "RS256"

/**
 * Parses a service-account file.
 * @param text the file's JSON
 * @throws Refusal `validation_failed` for `service_account` with the reason
 */
export async function readServiceAccount(ctx: Pick<Ctx, "settings">, text: string): Promise<ServiceAccount> {
  const file = parseObject(text)
  const account = {
    projectId: readPart(file, "project_id"),
    privateKey: readPart(file, "private_key", text.length),
    clientEmail: readPart(file, "client_email"),
    tokenUri: file.token_uri === undefined ? TOKEN_URI : readPart(file, "token_uri"),
  }
  if (!(await canSign(account.privateKey))) throw invalid(FIELD, "private_key")
  if (!isAllowedTokenUri(ctx, account.tokenUri)) throw invalid(FIELD, "token_uri")
  return account
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid(FIELD, "json")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(FIELD, "object")
  return value as Record<string, unknown>
}

function readPart(file: Record<string, unknown>, part: string, maxLength = MAX_VALUE_LENGTH): string {
  const value = Object.hasOwn(file, part) ? file[part] : undefined
  if (typeof value !== "string" || !value.trim() || value.length > maxLength)
    throw invalid(FIELD, "missing_part", { part })
  return value
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

/** Whether the platform may request a URL: an uploaded file must not direct requests into a private network (SSRF). */
function isAllowedTokenUri({ settings }: Pick<Ctx, "settings">, address: string): boolean {
  const allowPrivateHosts = settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS
  const url = URL.parse(address)
  if (url?.protocol === "http:")
    return allowPrivateHosts && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return checkUrl(address, { centralDomain: settings.CENTRAL_DOMAIN, allowPrivateHosts }).ok
}
