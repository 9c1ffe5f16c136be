// Creates and stores the tokens in account mails. A verification token confirms an address; a new one replaces the
// last. A reset token sets a new password; the latest few stay valid, so another request does not break a link already
// mailed. An invitation token makes its recipient a member of the staff. The token of a contact address confirms that it
// gets the shop's mails.
import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import { INVITATION_TTL } from "../../core/auth/invitations"
import type { staffInvitations } from "../../db/schema/sites/staff-invitations"
import { mailedTokens, resetTokens } from "../../db/schema/sites/tokens"
import { inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { publicUrl, type Settings } from "../../env"
import { encrypt } from "../../lib/cipher"
import { randomBase62, sha256 } from "../../lib/hash"
import { addMs, HOUR } from "../../lib/time"
import type { SiteCtx } from "../site"

export type TokenPurpose = "verify" | "reset" | "invite" | "contact_email"

const TOKEN_TTL: Record<TokenPurpose, number> = {
  verify: 24 * HOUR,
  reset: HOUR,
  invite: INVITATION_TTL,
  contact_email: 72 * HOUR,
}

/** Valid reset tokens per user. */
const MAX_RESET_TOKENS = 3

/** Paths of the pages that mailed links lead to. */
export const PAGE_PATHS: Record<TokenPurpose, string> = {
  verify: "/account/verify-email",
  reset: "/account/reset-password",
  invite: "/account/invitation",
  contact_email: "/account/contact-email",
}

/** Path of the page that requests a reset link. */
export const FORGOT_PASSWORD_PATH = "/account/forgot-password"

/** Path of the page that requests another link to confirm an email address. */
export const RESEND_CONFIRMATION_PATH = "/account/resend-confirmation"

export interface NewToken {
  /** The token, encrypted for the mail outbox. */
  encrypted: string
  hash: string
  purpose: TokenPurpose
}

/** Returns when a token that is created now expires. */
export const tokenExpiry = ({ now }: Pick<SiteCtx, "now">, purpose: TokenPurpose): Date =>
  addMs(now, TOKEN_TTL[purpose])

/**
 * Generates a token without storing it.
 * @param hash computes the hash that is stored
 */
export async function createMailedToken(
  { settings }: Pick<SiteCtx, "settings">,
  purpose: TokenPurpose,
  hash: (token: string) => Promise<string> = sha256,
): Promise<NewToken> {
  const token = randomBase62(48)
  return { encrypted: await encrypt(settings.APP_KEY, token), hash: await hash(token), purpose }
}

/** The user id of the token that confirms the contact address of a shop. */
const CONTACT_USER_ID = 0

/** Computes the hash of a token that confirms an address. It includes the address, so the token is valid for it only. */
export const hashContactToken = ({ email, token }: { email: string; token: string }): Promise<string> =>
  sha256(`${email.toLowerCase()} ${token}`)

/** Upserts the token that confirms the contact address of a shop. */
export function storeContactToken(ctx: SiteCtx, { hash }: NewToken): Write {
  const values = { hash, expiresAt: tokenExpiry(ctx, "contact_email") }
  return inSite(ctx.site.id)
    .insert(mailedTokens)
    .values({ ...values, userId: CONTACT_USER_ID, purpose: "contact_email" })
    .onConflictDoUpdate({ target: [mailedTokens.siteId, mailedTokens.userId, mailedTokens.purpose], set: values })
}

/** Deletes the token that confirms the contact address of a shop. */
export const deleteContactToken = ({ site }: SiteCtx): Write =>
  inSite(site.id).remove(mailedTokens).where(isContactToken)

/** Matches the token that confirms the contact address of a shop. */
export const isContactToken = and(eq(mailedTokens.userId, CONTACT_USER_ID), eq(mailedTokens.purpose, "contact_email"))

/**
 * Upserts the verification token of the user that `from` selects.
 * @param userId the expression for the user's id
 * @param from a `from … where …` whose row has the user's id
 * @returns a write that returns the user's id; no row when `from` selects no user
 */
export function storeVerifyToken(
  ctx: SiteCtx,
  { hash }: NewToken,
  userId: SQL,
  from: SQL,
): Write<{ userId: number }[]> {
  const expiresAt = tokenExpiry(ctx, "verify")
  return inSite(ctx.site.id)
    .insertSelect(mailedTokens, { userId, purpose: "verify", hash, expiresAt }, from)
    .onConflictDoUpdate({
      target: [mailedTokens.siteId, mailedTokens.userId, mailedTokens.purpose],
      set: { hash, expiresAt },
    })
    .returning({ userId: mailedTokens.userId })
}

/**
 * Stores a reset token for the user that `from` selects, and deletes the user's oldest ones beyond `MAX_RESET_TOKENS`.
 */
export function storeResetToken(ctx: SiteCtx, { hash }: NewToken, userId: SQL, from: SQL): [Write, Write] {
  const siteId = ctx.site.id
  const userIdOfToken = sql`(select ${resetTokens.userId} from ${resetTokens} where ${and(eq(resetTokens.siteId, siteId), eq(resetTokens.hash, hash))})`
  const latest = sql`select "latest"."id" from ${resetTokens} "latest"
    where "latest"."site_id" = ${siteId} and "latest"."user_id" = ${userIdOfToken} order by "latest"."id" desc limit ${MAX_RESET_TOKENS}`
  return [
    inSite(siteId).insertSelect(resetTokens, { userId, hash, expiresAt: tokenExpiry(ctx, "reset") }, from),
    inSite(siteId)
      .remove(resetTokens)
      .where(and(eq(resetTokens.userId, userIdOfToken), sql`${resetTokens.id} not in (${latest})`)),
  ]
}

/** Deletes a user's verification and reset tokens. */
export const deleteMailedTokens = ({ site }: SiteCtx, userId: number): [Write, Write] => [
  inSite(site.id).remove(mailedTokens).where(eq(mailedTokens.userId, userId)),
  deleteResetTokens(site.id, userId),
]

/** Deletes a user's reset tokens. */
export const deleteResetTokens = (siteId: string, userId: number): Write =>
  inSite(siteId).remove(resetTokens).where(eq(resetTokens.userId, userId))

/** Builds the condition that a presented token belongs to this site and has not expired. */
export const isValidToken = (
  ctx: SiteCtx,
  table: typeof mailedTokens | typeof resetTokens | typeof staffInvitations,
  hash: string,
): SQL | undefined => and(eq(table.hash, hash), gt(table.expiresAt, ctx.now))

/** A token and the URL with it, for a mail. */
export interface MailedLink {
  token: string
  url: string
}

/**
 * Builds the link for a mail.
 * @param host the site's primary host, never the host of the request: anyone may request a mail through any host of the
 *   store
 */
export function buildMailedLink(
  settings: Settings,
  host: string,
  purpose: TokenPurpose,
  { token, email }: { token: string; email: string },
): MailedLink {
  const query = new URLSearchParams({ email, token })
  return { token, url: publicUrl(settings, host, `${PAGE_PATHS[purpose]}?${query}`) }
}
