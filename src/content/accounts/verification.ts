// Confirming an e-mail address, where the site asks for it.
import { and, eq, inArray, isNull, sql } from "drizzle-orm"
import { Refusal } from "../../core/refusal"
import { commitSite } from "../../core/site-commit"
import { mailedTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { update } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { countMailRequest } from "../attempts"
import { sendAccountMail } from "../mails/account"
import type { SiteCtx } from "../site"
import { isGoodToken, mailedLink, newMailedToken, storeVerifyToken } from "./mailed-tokens"
import { hasEmail, selectByEmail } from "./queries"

/**
 * Mails another link to an address that waits to be confirmed, in the background: nothing tells the caller whether there is one.
 * @throws Refusal `rate_limited`, `not_found` where addresses are not verified
 */
export async function resendVerification(ctx: SiteCtx, input: { email: string }): Promise<void> {
  await countMailRequest(ctx, "verify")
  if (!ctx.site.api.emailVerification) throw new Refusal("not_found")
  ctx.after(mailVerifyLink(ctx, input.email))
}

async function mailVerifyLink(ctx: SiteCtx, email: string): Promise<void> {
  const [user] = await selectByEmail(ctx, email)
  if (!user || user.emailVerifiedAt) return
  sendAccountMail(ctx, "verify", user.email, async () => {
    const token = await newMailedToken("verify")
    const unconfirmed = and(hasEmail(ctx, user.email), isNull(users.emailVerifiedAt))
    const from = sql`from ${users} where ${unconfirmed}`
    await commitSite(ctx, ctx.site, { writes: [storeVerifyToken(ctx, token, sql`${users.id}`, from)], trail: [] })
    return { token: token.token, url: mailedLink(ctx, token, user.email) }
  })
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
