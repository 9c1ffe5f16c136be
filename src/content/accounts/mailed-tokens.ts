// Tokens that prove an e-mail address by having been mailed to it. The newest of a purpose replaces those before it.
import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import { type MailedTokenPurpose, mailedTokens } from "../../db/schema/sites/tokens"
import { publicUrl } from "../../env"
import { randomBase62, sha256 } from "../../lib/hash"
import { HOUR, later } from "../../lib/time"
import type { SiteCtx } from "../site"

const LIFETIME: Record<MailedTokenPurpose, number> = { verify: 24 * HOUR, reset: HOUR }

/** The pages that the links lead to, on the site's own host. */
export const PAGES: Record<MailedTokenPurpose, string> = {
  verify: "/account/verify-email",
  reset: "/account/reset-password",
}

export interface NewToken {
  token: string
  hash: string
  purpose: MailedTokenPurpose
}

/** A token that is stored nowhere yet. */
export async function newMailedToken(purpose: MailedTokenPurpose): Promise<NewToken> {
  const token = randomBase62(48)
  return { token, hash: await sha256(token), purpose }
}

/**
 * The statement that stores a token for the user that `from` selects, if it selects one, and answers that user's id.
 * @param from a `from … where …` whose row has the user's id
 * @param userId the expression for that id
 */
export const storeMailedToken = (ctx: SiteCtx, { hash, purpose }: NewToken, userId: SQL, from: SQL) => {
  const expiresAt = later(ctx.now, LIFETIME[purpose])
  return ctx.site.db
    .insert(mailedTokens)
    .select(sql`select null, ${ctx.site.id}, ${userId}, ${purpose}, ${hash}, ${expiresAt.getTime()} ${from}`)
    .onConflictDoUpdate({
      target: [mailedTokens.siteId, mailedTokens.userId, mailedTokens.purpose],
      set: { hash, expiresAt },
    })
    .returning({ userId: mailedTokens.userId })
}

/** The condition under which a presented token is good: of this site and purpose, and not past its time. */
export const isGoodToken = (ctx: SiteCtx, purpose: MailedTokenPurpose, hash: string): SQL | undefined =>
  and(
    eq(mailedTokens.siteId, ctx.site.id),
    eq(mailedTokens.purpose, purpose),
    eq(mailedTokens.hash, hash),
    gt(mailedTokens.expiresAt, ctx.now),
  )

/** The link that a mail carries. */
export const mailedLink = ({ settings, site }: SiteCtx, { token, purpose }: NewToken, email: string): string =>
  publicUrl(settings, site.hostname, `${PAGES[purpose]}?${new URLSearchParams({ email, token })}`)
