// Access tokens for the push provider. The site's service account signs an assertion and exchanges it for an access
// token (RFC 7523). Batches share the token through the database until a minute before it expires.
import { eq } from "drizzle-orm"
import { importPKCS8, SignJWT } from "jose"
import type { Ctx } from "../../core/context"
import { dnsResolver, type OutboundUrl, safeUrl } from "../../core/outbound/fetch"
import { resolveHost } from "../../core/outbound/url-safety"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import type { SiteDatabase } from "../../db/client"
import { pushAccounts } from "../../db/schema/sites/push"
import { inSite } from "../../db/site-scope"
import { decrypt, encrypt } from "../../lib/cipher"
import { currentMs, currentTime } from "../../lib/clock"
import { addMs, MINUTE, SECOND } from "../../lib/time"
import { type ProviderResponse, requestProvider } from "./request"
import type { PushAccount } from "./schemas"
import { ALGORITHM, findTokenHost, TOKEN_URI } from "./service-account"
import { selectAccount } from "./settings"

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/** Lifetime of an assertion; the maximum that the provider accepts. */
const ASSERTION_SECONDS = 3_600

/** A token is no longer used this long before it expires. */
const EXPIRY_MARGIN = MINUTE

/** An access token, or the reason for its absence: the account was refused, or the token endpoint was unavailable. */
export type TokenResult =
  | { token: string }
  | { refused: { code: "account_refused" | "account_unreadable"; detail?: string } }
  | { isUnavailable: true; retryAfter: number | null }

/** Access tokens of one batch. Concurrent requests for a token share one request to the token endpoint. */
export class AccessTokens {
  readonly #ctx: Ctx
  readonly #db: SiteDatabase
  #account: PushAccount
  #cached: { token: string; until: number } | null = null
  #pending: Promise<TokenResult> | null = null

  /** @param account the account when the batch started */
  constructor(ctx: Ctx, db: SiteDatabase, account: PushAccount) {
    this.#ctx = ctx
    this.#db = db
    this.#account = account
  }

  /**
   * Returns a valid access token.
   * @param rejected token that the provider rejected, so that it is not returned again
   */
  async get(rejected?: string): Promise<TokenResult> {
    const cached = this.#cached
    // lint: both tokens are the platform's own
    if (cached && cached.token !== rejected && cached.until > currentMs()) return { token: cached.token }
    this.#pending ??= this.#load(rejected).finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  async #load(rejected: string | undefined): Promise<TokenResult> {
    // Another batch may have stored a new token in the meantime.
    if (rejected) this.#account = (await selectAccount(this.#db))[0] ?? this.#account
    const stored = await this.#readStored()
    // lint: both tokens are the platform's own
    if (stored && stored.token !== rejected && stored.until > currentMs()) {
      this.#cached = stored
      return { token: stored.token }
    }
    return this.#requestToken()
  }

  async #readStored(): Promise<{ token: string; until: number } | null> {
    const { accessToken, accessTokenUntil } = this.#account
    if (!accessToken || !accessTokenUntil) return null
    const token = await decrypt(this.#ctx.settings.APP_KEY, accessToken)
    return token === null ? null : { token, until: accessTokenUntil.getTime() }
  }

  async #requestToken(): Promise<TokenResult> {
    const privateKey = await decrypt(this.#ctx.settings.APP_KEY, this.#account.privateKey)
    if (privateKey === null) return { refused: { code: "account_unreadable" } }
    const body = new URLSearchParams({
      grant_type: GRANT_TYPE,
      assertion: await signAssertion(this.#account, privateKey),
    })
    const url = await vetTokenUri(this.#ctx, this.#account.tokenUri)
    if (!url) return { isUnavailable: true, retryAfter: null }
    const response = await requestProvider(url, { method: "POST", body })
    const { access_token: token, expires_in: seconds } = response.body ?? {}
    if (response.status !== 200 || typeof token !== "string" || !token) return toRefusal(response)
    const lifetime =
      typeof seconds === "number" && seconds > 0 ? Math.min(seconds, ASSERTION_SECONDS) : ASSERTION_SECONDS
    const until = addMs(currentTime(), lifetime * SECOND - EXPIRY_MARGIN)
    this.#cached = { token, until: until.getTime() }
    await this.#storeToken(token, until)
    return { token }
  }

  /** Stores the token for other batches, unless the account was changed in the meantime. */
  async #storeToken(token: string, until: Date): Promise<void> {
    const { siteId, configuredAt } = this.#account
    const accessToken = await encrypt(this.#ctx.settings.APP_KEY, token)
    const stored = inSite(siteId)
      .update(pushAccounts)
      .set({ accessToken, accessTokenUntil: until })
      .where(eq(pushAccounts.configuredAt, configuredAt))
    await retryTransient(() => writeUnaudited({ db: this.#db }, "external_state", [stored]))
  }
}

/**
 * Checks a token endpoint and the DNS records of its host before every request, because the records may have changed.
 * Google's own endpoint needs no check.
 * @returns null when the host is not public, or DNS did not respond
 */
async function vetTokenUri({ settings }: Ctx, tokenUri: string): Promise<OutboundUrl | null> {
  const host = findTokenHost({ settings }, tokenUri)
  if (host === null) return null
  if (tokenUri === TOKEN_URI || settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS) return safeUrl(tokenUri)
  return (await resolveHost(host, dnsResolver(settings))) === "public" ? safeUrl(tokenUri) : null
}

const signAssertion = async ({ clientEmail, tokenUri }: PushAccount, privateKey: string): Promise<string> => {
  const now = Math.floor(currentMs() / SECOND)
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt(now)
    .setExpirationTime(now + ASSERTION_SECONDS)
    .sign(await importPKCS8(privateKey, ALGORITHM))
}

/** Interprets an error response of the token endpoint (RFC 6749, section 5.2). */
function toRefusal({ status, body, retryAfter }: ProviderResponse): TokenResult {
  if (status === null || status === 429 || status >= 500) return { isUnavailable: true, retryAfter }
  const detail = [body?.error, body?.error_description].filter((text) => typeof text === "string").join(": ")
  return { refused: { code: "account_refused", detail: detail || `status ${status}` } }
}
