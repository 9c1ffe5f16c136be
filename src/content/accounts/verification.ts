// Confirming an e-mail address, where the site asks for it.
import { and, eq, inArray, isNull, sql } from "drizzle-orm"
import { afterRateLimit } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { mailedTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { update } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { sendCountedMail } from "../mails/account"
import { countMailRequest, countMailTo } from "../rate-limits"
import type { SiteCtx } from "../site"
import { isGoodToken, newMailedToken, storeVerifyToken } from "./mailed-tokens"
import { hasEmail, selectByEmail } from "./queries"

/**
 * Mails another link to an address that waits to be confirmed; nothing tells the caller whether there is one. A mail beyond what the
 * mailbox may get leaves the link that was mailed before.
 * @throws Refusal `rate_limited`, `not_found` where addresses are not verified
 */
export async function resendVerification(ctx: SiteCtx, input: { email: string }): Promise<void> {
  const [user] = await afterRateLimit(countMailRequest(ctx, "verify"), selectByEmail(ctx, input.email))
  if (!ctx.site.api.emailVerification) throw new Refusal("not_found")
  const isUnconfirmed = user !== undefined && !user.emailVerifiedAt
  const mail = { purpose: "verify" as const, to: input.email, isConfirmed: false }
  const isMailed = await countMailTo(ctx, mail, isUnconfirmed)
  const token = await newMailedToken("verify")
  const unconfirmed = and(hasEmail(ctx, input.email), isNull(users.emailVerifiedAt), sql`${isMailed}`)
  const [stored] = await commitSite(ctx, ctx.site, {
    writes: [storeVerifyToken(ctx, token, sql`${users.id}`, sql`from ${users} where ${unconfirmed}`)],
    trail: [],
  })
  if (!stored.length || !user) return
  sendCountedMail(ctx, "verify", user.email, token)
}

/**
 * Confirms an address by the token that was mailed to it. The link may be followed again until its time is over: readers and
 * their scanners do.
 * @returns whether the token was good
 */
export async function verifyEmail(ctx: SiteCtx, input: { email: string; token: string }): Promise<boolean> {
  const { db } = ctx.site
  const holder = db
    .select({ id: mailedTokens.userId })
    .from(mailedTokens)
    .where(isGoodToken(ctx, mailedTokens, await sha256(input.token)))
  const [confirmed] = await commitSite(ctx, ctx.site, {
    writes: [
      update(users)
        .set({ emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${ctx.now.getTime()})` })
        .where(and(eq(users.siteId, ctx.site.id), hasEmail(ctx, input.email), inArray(users.id, holder)))
        .returning({ id: users.id }),
    ],
    trail: [],
  })
  return confirmed.length > 0
}
