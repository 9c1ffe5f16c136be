// Creates and stores the tokens in account mails. A verification token confirms an address; a new one replaces the
// last. A reset token sets a new password; the latest few stay valid, so another request does not break a link already
// mailed.
import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import { read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { stores } from "../../db/schema/central/stores"
import { mailedTokens, resetTokens } from "../../db/schema/sites/tokens"
import { inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { publicUrl } from "../../env"
import { randomBase62, sha256 } from "../../lib/hash"
import { addMs, HOUR } from "../../lib/time"
import type { SiteCtx } from "../site"

export type TokenPurpose = "verify" | "reset"

const TOKEN_TTL: Record<TokenPurpose, number> = { verify: 24 * HOUR, reset: HOUR }

/** Valid reset tokens per user. */
const MAX_RESET_TOKENS = 3

/** Paths of the pages that mailed links lead to. */
export const PAGE_PATHS: Record<TokenPurpose, string> = {
  verify: "/account/verify-email",
  reset: "/account/reset-password",
}

/** Path of the page that requests a reset link. */
export const FORGOT_PASSWORD_PATH = "/account/forgot-password"

export interface NewToken {
  token: string
  hash: string
  purpose: TokenPurpose
}

/** Generates a token without storing it. */
export async function createMailedToken(purpose: TokenPurpose): Promise<NewToken> {
  const token = randomBase62(48)
  return { token, hash: await sha256(token), purpose }
}

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
  const expiresAt = addMs(ctx.now, TOKEN_TTL.verify)
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
    inSite(siteId).insertSelect(resetTokens, { userId, hash, expiresAt: addMs(ctx.now, TOKEN_TTL.reset) }, from),
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
  table: typeof mailedTokens | typeof resetTokens,
  hash: string,
): SQL | undefined => and(eq(table.hash, hash), gt(table.expiresAt, ctx.now))

/** A token and the URL with it, for a mail. */
export interface MailedLink {
  token: string
  url: string
}

/**
 * Builds the link for a mail. It leads to the store's primary host, never to the host of the request: anyone may
 * request a mail through any host of the store.
 * @returns null when the store has been deleted
 */
export async function buildMailedLink(
  ctx: SiteCtx,
  { token, purpose }: NewToken,
  email: string,
): Promise<MailedLink | null> {
  const { store, hostname } = ctx.site
  const host = store ? (await read(ctx.db, selectPrimaryHost({ id: store.id, seq: store.seq })))[0]?.domain : hostname
  if (host === undefined) return null
  const query = new URLSearchParams({ email, token })
  return { token, url: publicUrl(ctx.settings, host, `${PAGE_PATHS[purpose]}?${query}`) }
}

const selectPrimaryHost = prepareRead<{ domain: string }, { id: string; seq: number }>((db) =>
  db
    .select({ domain: domains.domain })
    .from(domains)
    .innerJoin(stores, eq(stores.id, domains.storeId))
    .where(and(eq(stores.id, param("id")), eq(stores.seq, param("seq")), eq(domains.isPrimary, true))),
)
