// Tokens that prove an e-mail address by having been mailed to it. One confirms the address, and the newest replaces the one
// before it; the other sets a new password, and the last few stay good, or whoever asks again would spoil the link that somebody
// is about to follow.
import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import { read } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { stores } from "../../db/schema/central/stores"
import { mailedTokens, resetTokens } from "../../db/schema/sites/tokens"
import { insertSelect, remove, type Write } from "../../db/write"
import { publicUrl } from "../../env"
import { randomBase62, sha256 } from "../../lib/hash"
import { HOUR, later } from "../../lib/time"
import type { SiteCtx } from "../site"

export type Purpose = "verify" | "reset"

const LIFETIME: Record<Purpose, number> = { verify: 24 * HOUR, reset: HOUR }

/** Reset links of one user that are good at a time. */
const RESET_LINKS = 3

/** The pages that the links lead to. */
export const PAGES: Record<Purpose, string> = {
  verify: "/account/verify-email",
  reset: "/account/reset-password",
}

/** Where a person asks for a link to a new password. */
export const FORGOT_PAGE = "/account/forgot-password"

export interface NewToken {
  token: string
  hash: string
  purpose: Purpose
}

/** A token that is stored nowhere yet. */
export async function newMailedToken(purpose: Purpose): Promise<NewToken> {
  const token = randomBase62(48)
  return { token, hash: await sha256(token), purpose }
}

/**
 * Stores a token that confirms an address, for the user that `from` selects, if it selects one, and answers that user's id.
 * @param userId the expression for that id
 * @param from a `from … where …` whose row has the user's id
 */
export function storeVerifyToken(
  ctx: SiteCtx,
  { hash }: NewToken,
  userId: SQL,
  from: SQL,
): Write<{ userId: number }[]> {
  const expiresAt = later(ctx.now, LIFETIME.verify)
  return insertSelect(mailedTokens, { siteId: ctx.site.id, userId, purpose: "verify", hash, expiresAt }, from)
    .onConflictDoUpdate({
      target: [mailedTokens.siteId, mailedTokens.userId, mailedTokens.purpose],
      set: { hash, expiresAt },
    })
    .returning({ userId: mailedTokens.userId })
}

/** Stores a token that sets a new password, for the user that `from` selects; of those before it the last ones stay good. */
export function storeResetToken(ctx: SiteCtx, { hash }: NewToken, userId: SQL, from: SQL): [Write, Write] {
  const siteId = ctx.site.id
  const newest = sql`(select ${resetTokens.userId} from ${resetTokens} where ${eq(resetTokens.hash, hash)})`
  const kept = sql`select "kept"."id" from ${resetTokens} "kept"
    where "kept"."site_id" = ${siteId} and "kept"."user_id" = ${newest} order by "kept"."id" desc limit ${RESET_LINKS}`
  return [
    insertSelect(resetTokens, { siteId, userId, hash, expiresAt: later(ctx.now, LIFETIME.reset) }, from),
    remove(resetTokens).where(
      and(eq(resetTokens.siteId, siteId), eq(resetTokens.userId, newest), sql`${resetTokens.id} not in (${kept})`),
    ),
  ]
}

/** Ends what was mailed to a user. */
export const endMailedTokens = ({ site }: SiteCtx, userId: number): [Write, Write] => [
  remove(mailedTokens).where(and(eq(mailedTokens.siteId, site.id), eq(mailedTokens.userId, userId))),
  endResetTokens(site.id, userId),
]

/** Ends every reset link of a user. */
export const endResetTokens = (siteId: string, userId: number): Write =>
  remove(resetTokens).where(and(eq(resetTokens.siteId, siteId), eq(resetTokens.userId, userId)))

/** The condition under which a presented token is good: of this site, and not past its time. */
export const isGoodToken = (
  ctx: SiteCtx,
  table: typeof mailedTokens | typeof resetTokens,
  hash: string,
): SQL | undefined => and(eq(table.siteId, ctx.site.id), eq(table.hash, hash), gt(table.expiresAt, ctx.now))

/** What a mail proves that its reader holds, and where it leads. */
export interface MailedLink {
  token: string
  url: string
}

/**
 * The link that a mail carries. It leads to the store's primary host and never to the host of the request: anybody may ask for a mail
 * through any host of the store.
 * @returns null when the store was deleted meanwhile
 */
export async function mailedLink(
  ctx: SiteCtx,
  { token, purpose }: NewToken,
  email: string,
): Promise<MailedLink | null> {
  const { store, hostname } = ctx.site
  const host = store ? (await read(ctx.db, primaryHost({ id: store.id, seq: store.seq })))[0]?.domain : hostname
  if (host === undefined) return null
  const query = new URLSearchParams({ email, token })
  return { token, url: publicUrl(ctx.settings, host, `${PAGES[purpose]}?${query}`) }
}

const primaryHost = compiled<{ domain: string }, { id: string; seq: number }>((db) =>
  db
    .select({ domain: domains.domain })
    .from(domains)
    .innerJoin(stores, eq(stores.id, domains.storeId))
    .where(and(eq(stores.id, given("id")), eq(stores.seq, given("seq")), eq(domains.isPrimary, true))),
)
