// Confirms email addresses. Sites may require it.
import { and, eq, inArray, isNull, sql } from "drizzle-orm"
import { afterRateLimit } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { mailedTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { sha256 } from "../../lib/hash"
import { buildAccountMailWrite, enqueueAccountMails } from "../mails/outbox"
import { countAttempt, countMailRequest, countRequestedMail, inParallelWithRateLimit } from "../rate-limits"
import type { SiteCtx } from "../site"
import { buildAttachWrites } from "./app-writes"
import { createMailedToken, isValidToken, storeVerifyToken } from "./mailed-tokens"
import { hasEmail, normalizeEmail, selectByEmail } from "./queries"

/**
 * Mails a new link to an unconfirmed address. The response does not reveal whether there is one. When the mailbox's
 * limit is used up, the link mailed last stays valid.
 * @param isOptional also mails at sites that do not require confirmed addresses
 * @throws Refusal `rate_limited`; `not_found` at sites that do not require confirmed addresses
 */
export async function resendVerification(ctx: SiteCtx, input: { email: string }, isOptional = false): Promise<void> {
  const [user] = await afterRateLimit(countMailRequest(ctx, "verify"), selectByEmail(ctx, input.email))
  if (!ctx.site.api.emailVerification && !isOptional) throw new Refusal("not_found")
  const isUnconfirmed = user !== undefined && !user.emailVerifiedAt
  const mail = { purpose: "verify" as const, to: input.email, isConfirmed: false }
  const isMailed = await countRequestedMail(ctx, mail, isUnconfirmed)
  const token = await createMailedToken(ctx, "verify")
  const condition = and(
    eq(users.siteId, ctx.site.id),
    hasEmail(ctx, input.email),
    isNull(users.emailVerifiedAt),
    sql`${isMailed}`,
  )
  const from = sql`from ${users} where ${condition}`
  await commitSite(ctx, ctx.site, {
    writes: [
      storeVerifyToken(ctx, token, sql`${users.id}`, from),
      buildAccountMailWrite(ctx, { ...mail, to: sql`${users.email}`, isCounted: true, token }, from),
    ],
    auditLog: { auditSkipped: "site_user" },
  })
  if (isMailed) enqueueAccountMails(ctx)
}

/**
 * Confirms an address with the token mailed to it, and attaches what guests did with it. The token stays valid until it
 * expires, because mail scanners follow links before the user does.
 * @returns whether the token was valid
 * @throws Refusal `rate_limited`
 */
export function verifyEmail(ctx: SiteCtx, input: { email: string; token: string }): Promise<boolean> {
  const counted = countAttempt(ctx, "confirmation", { ip: ctx.address ?? "unknown" })
  return inParallelWithRateLimit(ctx, counted, async () => {
    const { db } = ctx.site
    const holder = db
      .select({ id: mailedTokens.userId })
      .from(mailedTokens)
      .where(isValidToken(ctx, mailedTokens, await sha256(input.token)))
    const isHolder = and(hasEmail(ctx, input.email), inArray(users.id, holder))
    // Read first: a forged token must not cause a write.
    const found = await db.select({ id: users.id }).from(users).where(isHolder)
    if (!found.length) return false
    const attachment = await buildAttachWrites(ctx.site.id, {
      userId: sql<number>`(select ${users.id} from ${users} where ${isHolder})`,
      email: normalizeEmail(input.email),
      now: ctx.now,
    })
    const [confirmed] = await commitSite(ctx, ctx.site, {
      writes: [
        inSite(ctx.site.id)
          .update(users)
          .set({ emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${ctx.now.getTime()})` })
          .where(isHolder)
          .returning({ id: users.id }),
        ...attachment,
      ],
      auditLog: { auditSkipped: "site_user" },
    })
    return confirmed.length > 0
  })
}
