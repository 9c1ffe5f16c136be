// An operator at a site as one of its staff: a login that ends by itself and says whose it is.
import { and, asc, eq, sql } from "drizzle-orm"
import { bookkeep } from "../../core/commit"
import { Refusal } from "../../core/refusal"
import { type SupportToken, userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { insertSelect, remove } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import type { SiteCtx, SiteRef } from "../site"

/**
 * Logs an operator in as the site's first staff user.
 * @param expiresAt when the login ends
 * @returns the token, as `logIn` has it
 * @throws Refusal `forbidden` at a site without staff
 */
export async function logInAsStaff(ctx: SiteCtx, support: SupportToken, expiresAt: Date): Promise<string> {
  const { db, id: siteId } = ctx.site
  const secret = randomBase62(48)
  const first = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.siteId, siteId), eq(users.isStaff, true)))
    .orderBy(asc(users.id))
    .limit(1)
  const row = { siteId, userId: sql`id`, hash: await sha256(secret), expiresAt, support, createdAt: ctx.now }
  const [[token]] = await bookkeep({ db }, "a login whose beginning is in the platform's trail", [
    insertSelect(userTokens, row, sql`from (${first})`).returning({ id: userTokens.id }),
  ])
  if (!token) throw new Refusal("forbidden")
  return `${token.id}|${secret}`
}

/** Ends the login of a support access. */
export async function logOutSupport({ db, id }: Pick<SiteRef, "db" | "id">, access: number): Promise<void> {
  await bookkeep({ db }, "a login whose end is in the platform's trail", [
    remove(userTokens).where(and(eq(userTokens.siteId, id), sql`${userTokens.support} ->> '$.access' = ${access}`)),
  ])
}
