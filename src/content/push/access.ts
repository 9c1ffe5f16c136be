// Leave to send: an assertion that the site's service account signs is traded for an access token (RFC 7523), which all runs share
// until a minute before its end.
import { and, eq } from "drizzle-orm"
import { importPKCS8, SignJWT } from "jose"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import type { SiteDatabase } from "../../db/client"
import { pushAccounts } from "../../db/schema/sites/push"
import { update } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"
import { later, MINUTE, SECOND } from "../../lib/time"
import { ask, type ProviderAnswer } from "./request"
import type { PushAccount } from "./schemas"
import { ALGORITHM } from "./service-account"
import { selectAccount } from "./settings"

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/** Seconds that an assertion is good for; the provider takes no more. */
const ASSERTION_SECONDS = 3_600

/** How long before its end a token is not used any more. */
const MARGIN = MINUTE

/** A token, or why there is none: the account is no good, or nobody answered. */
export type Grant =
  | { token: string }
  | { refused: { code: "account_refused" | "account_unreadable"; detail?: string } }
  | { unanswered: true; retryAfter: number | null }

/** The access tokens of one run. Of several requests that need one at a moment, one asks. */
export class Access {
  readonly #ctx: Ctx
  readonly #db: SiteDatabase
  #account: PushAccount
  #known: { token: string; until: number } | null = null
  #asking: Promise<Grant> | null = null

  /** @param account as the run found it */
  constructor(ctx: Ctx, db: SiteDatabase, account: PushAccount) {
    this.#ctx = ctx
    this.#db = db
    this.#account = account
  }

  /**
   * A token that is good for now.
   * @param rejected one that the provider did not take, so that it is not answered again
   */
  async grant(rejected?: string): Promise<Grant> {
    const known = this.#known
    if (known && known.token !== rejected && known.until > Date.now()) return { token: known.token }
    this.#asking ??= this.#find(rejected).finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #find(rejected: string | undefined): Promise<Grant> {
    // Another run may have asked since.
    if (rejected) this.#account = (await selectAccount(this.#db, this.#account.siteId))[0] ?? this.#account
    const stored = await this.#stored()
    if (stored && stored.token !== rejected && stored.until > Date.now()) {
      this.#known = stored
      return { token: stored.token }
    }
    return this.#ask()
  }

  async #stored(): Promise<{ token: string; until: number } | null> {
    const { accessToken, accessTokenUntil } = this.#account
    if (!accessToken || !accessTokenUntil) return null
    const token = await decrypt(this.#ctx.settings.APP_KEY, accessToken)
    return token === null ? null : { token, until: accessTokenUntil.getTime() }
  }

  async #ask(): Promise<Grant> {
    const privateKey = await decrypt(this.#ctx.settings.APP_KEY, this.#account.privateKey)
    if (privateKey === null) return { refused: { code: "account_unreadable" } }
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await assertion(this.#account, privateKey) })
    const answer = await ask(this.#account.tokenUri, { method: "POST", body })
    const { access_token: token, expires_in: seconds } = answer.body ?? {}
    if (answer.status !== 200 || typeof token !== "string" || !token) return refusal(answer)
    const lasts = typeof seconds === "number" && seconds > 0 ? Math.min(seconds, ASSERTION_SECONDS) : ASSERTION_SECONDS
    const until = later(new Date(), lasts * SECOND - MARGIN)
    this.#known = { token, until: until.getTime() }
    await this.#keep(token, until)
    return { token }
  }

  /** For the other runs; not where the account was changed meanwhile. */
  async #keep(token: string, until: Date): Promise<void> {
    const { siteId, configuredAt } = this.#account
    const accessToken = await encrypt(this.#ctx.settings.APP_KEY, token)
    await writeUnaudited({ db: this.#db }, "an access token that all runs share", [
      update(pushAccounts)
        .set({ accessToken, accessTokenUntil: until })
        .where(and(eq(pushAccounts.siteId, siteId), eq(pushAccounts.configuredAt, configuredAt))),
    ])
  }
}

const assertion = async ({ clientEmail, tokenUri }: PushAccount, privateKey: string): Promise<string> => {
  const now = Math.floor(Date.now() / SECOND)
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt(now)
    .setExpirationTime(now + ASSERTION_SECONDS)
    .sign(await importPKCS8(privateKey, ALGORITHM))
}

/** What a token endpoint means that gives none: RFC 6749, 5.2. */
function refusal({ status, body, retryAfter }: ProviderAnswer): Grant {
  if (status === null || status === 429 || status >= 500) return { unanswered: true, retryAfter }
  const words = [body?.error, body?.error_description].filter((word) => typeof word === "string").join(": ")
  return { refused: { code: "account_refused", detail: words || `status ${status}` } }
}
