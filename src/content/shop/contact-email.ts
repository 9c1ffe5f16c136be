// Mails links that confirm the address of a shop's mails about orders and messages: the contact address, or that of the
// owner.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { retryOnConflict } from "../../core/write/commit"
import { commitSite } from "../../core/write/site-commit"
import { shopSettings } from "../../db/schema/sites/shop-settings"
import { mailedTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortWhere, type Write } from "../../db/write"
import {
  createMailedToken,
  hashContactToken,
  isContactToken,
  isValidToken,
  storeContactToken,
} from "../accounts/mailed-tokens"
import { normalizeEmail } from "../accounts/queries"
import { buildAccountMailWrite, enqueueAccountMails } from "../mails/outbox"
import { countAttempt, countMailOrRefuse, inParallelWithRateLimit } from "../rate-limits"
import type { ContentSite, SiteCtx } from "../site"
import { withActor } from "../staff/write"
import { authenticate, type UserCtx, writeAsUser } from "../user"
import { isConfirmedContact, selectOwnerId } from "./confirmed-contact"

/** Selects whether an address is confirmed; no row for no address. */
export const selectIsConfirmed = ({ id, db }: ContentSite, email: string | null | undefined) =>
  db
    .select({
      isConfirmed: isConfirmedContact(id, email ?? "")
        .mapWith(Boolean)
        .as("is_confirmed"),
    })
    .from(sql`(select 1)`)
    .where(sql`${Boolean(email)}`)

/** The address that gets the mails about orders, as `"recipient"."email"`. */
const contactSource = (siteId: string): SQL =>
  sql`(select coalesce(
    (select json_extract(${shopSettings.settings}, '$.contact_email') from ${shopSettings} where ${eq(shopSettings.siteId, siteId)}),
    (select ${users.email} from ${users} where ${and(eq(users.siteId, siteId), sql`${users.id} = ${selectOwnerId(siteId)}`)})
  ) as "email") "recipient"`

/** Selects the address that gets the mails about orders; null for a shop without an owner. */
export const selectContact = ({ id, db }: ContentSite) =>
  db
    .select({
      email: sql<string | null>`"recipient"."email"`.as("email"),
      isConfirmed: isConfirmedContact(id, sql`"recipient"."email"`).mapWith(Boolean).as("is_confirmed"),
    })
    .from(contactSource(id))

const MAIL = { purpose: "contact_email", isConfirmed: false } as const

/**
 * Builds the writes that mail a link that confirms an address, in the language of the shop's mails. It replaces the last
 * one.
 * @param isCounted whether the mail was counted against the limits of mails
 */
export async function buildContactLinkWrites(ctx: SiteCtx, email: string, isCounted = false): Promise<Write[]> {
  const token = await createMailedToken(ctx, "contact_email", (secret) => hashContactToken({ email, token: secret }))
  const inLanguage = { ...ctx, locale: ctx.site.language ?? "en" }
  const draft = { ...MAIL, to: email, isCounted, token }
  return [storeContactToken(ctx, token), buildAccountMailWrite(inLanguage, draft, sql`where true`)]
}

/**
 * Mails another link to the address that gets the mails about orders; it replaces the last one. Does nothing if the
 * address is confirmed.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden` below the role `admin`; `rate_limited`
 */
export async function resendContactLink(ctx: UserCtx): Promise<void> {
  const { site } = ctx
  let counted: string | null = null
  await retryOnConflict(async () => {
    const { user, results } = await authenticate(ctx, () => [selectContact(site)] as const, { role: "admin" })
    const [[contact]] = results
    if (!contact?.email || contact.isConfirmed) return
    const { email } = contact
    if (counted !== email) await countMailOrRefuse(ctx, { ...MAIL, to: email })
    counted = email
    const writes = await buildContactLinkWrites(ctx, email, true)
    // The address may have changed since it was read.
    const guard = abortWhere(sql`from ${contactSource(site.id)} where "recipient"."email" is not ${email}`)
    await writeAsUser(withActor(ctx, user), () => [guard, ...writes], {
      role: "admin",
      auditLog: [{ subject: "contact_email", action: "resent", id: site.id, data: { email } }],
    })
    enqueueAccountMails(ctx)
  })
}

/** The parameters of a mailed link. */
interface Link {
  email: string
  token: string
}

const isMailedLink = async (ctx: SiteCtx, link: Link): Promise<SQL | undefined> =>
  and(isContactToken, isValidToken(ctx, mailedTokens, await hashContactToken(link)))

/** Whether a mailed link can still confirm its address. */
export async function isContactLinkValid(ctx: SiteCtx, link: Link): Promise<boolean> {
  const isValid = await isMailedLink(ctx, link)
  const rows = await ctx.site.db.select({ id: mailedTokens.id }).from(mailedTokens).where(isValid)
  return rows.length > 0
}

/**
 * Confirms an address with the token mailed to it, once.
 * @returns whether the token was valid
 * @throws Refusal `rate_limited`
 */
export function confirmContact(ctx: SiteCtx, link: Link): Promise<boolean> {
  const { site, now } = ctx
  const counted = countAttempt(ctx, "verify", { ip: ctx.address ?? "unknown" })
  return inParallelWithRateLimit(ctx, counted, () =>
    retryOnConflict(async () => {
      if (!(await isContactLinkValid(ctx, link))) return false
      const confirmedEmail = normalizeEmail(link.email)
      await commitSite(ctx, site, {
        guard: inSite(site.id)
          .remove(mailedTokens)
          .where(await isMailedLink(ctx, link)),
        writes: [
          inSite(site.id)
            .insertSelect(shopSettings, { settings: {}, revision: 0, updatedAt: now, confirmedEmail }, sql`where true`)
            .onConflictDoUpdate({ target: shopSettings.siteId, set: { confirmedEmail } }),
        ],
        auditLog: [{ subject: "contact_email", action: "confirmed", id: site.id, data: { email: link.email } }],
      })
      return true
    }),
  )
}
