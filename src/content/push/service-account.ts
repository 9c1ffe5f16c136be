// A service-account file: what of it is needed, and what is wrong with it.
import { importPKCS8, SignJWT } from "jose"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { checkUrl } from "../../core/outbound/addresses"

/** What a service account is known by, and what it signs with (https://cloud.google.com/iam/docs/keys-create-delete). */
export interface ServiceAccount {
  projectId: string
  clientEmail: string
  /** PEM, PKCS#8. */
  privateKey: string
  /** Where its assertions are traded for access tokens. */
  tokenUri: string
}

const FIELD = "service_account"

/** Where an account without a `token_uri` gets its access tokens. */
const TOKEN_URI = "https://oauth2.googleapis.com/token"

/** Characters of a value that is no key. */
const LONGEST_VALUE = 500

/** The algorithm that the provider takes assertions in (RFC 7523). */
export const ALGORITHM = "RS256"

/**
 * Reads a service-account file.
 * @param text its JSON
 * @throws Refusal `validation_failed` about `service_account`, with what is wrong
 */
export async function readServiceAccount(ctx: Pick<Ctx, "settings">, text: string): Promise<ServiceAccount> {
  const file = objectIn(text)
  const account = {
    projectId: partOf(file, "project_id"),
    privateKey: partOf(file, "private_key", text.length),
    clientEmail: partOf(file, "client_email"),
    tokenUri: file.token_uri === undefined ? TOKEN_URI : partOf(file, "token_uri"),
  }
  if (!(await signs(account.privateKey))) throw invalid(FIELD, "private_key")
  if (!mayAsk(ctx, account.tokenUri)) throw invalid(FIELD, "token_uri")
  return account
}

function objectIn(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid(FIELD, "json")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(FIELD, "object")
  return value as Record<string, unknown>
}

function partOf(file: Record<string, unknown>, part: string, longest = LONGEST_VALUE): string {
  const value = Object.hasOwn(file, part) ? file[part] : undefined
  if (typeof value !== "string" || !value.trim() || value.length > longest)
    throw invalid(FIELD, "missing_part", { part })
  return value
}

/** Whether a key can sign assertions: one that is too short or of another kind shows only when it is used. */
async function signs(pem: string): Promise<boolean> {
  try {
    await new SignJWT().setProtectedHeader({ alg: ALGORITHM }).sign(await importPKCS8(pem, ALGORITHM))
    return true
  } catch {
    return false
  }
}

/** Whether the platform may call that address: a file from anywhere must not lead it into a private network. */
function mayAsk({ settings }: Pick<Ctx, "settings">, address: string): boolean {
  const allowPrivateHosts = settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS
  const url = URL.parse(address)
  if (url?.protocol === "http:")
    return allowPrivateHosts && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return checkUrl(address, { centralDomain: settings.CENTRAL_DOMAIN, allowPrivateHosts }).ok
}
