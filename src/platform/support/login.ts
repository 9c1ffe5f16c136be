// Logs operators in to a site as staff, with a login that expires and records the operator.
import { and, asc, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited } from "../../core/write/commit"
import { siteDatabase } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { type SupportToken, userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { randomBase62, sha256 } from "../../lib/hash"
import type { SupportAccess } from "./schemas"

/**
 * Logs an operator in as the site's first owner.
 * @param site its id, and the binding of its database
 * @param expiresAt when the login expires
 * @returns the token, in the format of `logIn`
 * @throws Refusal `forbidden` at a site without an owner
 */
export async function logInAsStaff(
  ctx: Ctx,
  site: { id: string; database: string },
  support: SupportToken,
  expiresAt: Date,
): Promise<string> {
  const db = siteDatabase(ctx.env, site.database, site.id)
  const secret = randomBase62(48)
  const firstOwner = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isStaff, true), sql`coalesce(${users.role}, 'owner') = 'owner'`))
    .orderBy(asc(users.id))
    .limit(1)
  const row = { userId: sql`id`, hash: await sha256(secret), expiresAt, support, createdAt: ctx.now }
  const [[token]] = await writeUnaudited({ db }, "audited_elsewhere", [
    inSite(site.id).insertSelect(userTokens, row, sql`from (${firstOwner})`).returning({ id: userTokens.id }),
  ])
  if (!token) throw new Refusal("forbidden")
  return `${token.id}|${secret}`
}

/**
 * Deletes the login of a support access. A deleted store has none, and a later store of its subdomain is not affected.
 * @throws Refusal `store_unavailable` during a site migration
 */
export async function logOutSupport(ctx: Ctx, { id, storeSeq }: Pick<SupportAccess, "id" | "storeSeq">): Promise<void> {
  const [store] = await ctx.db
    .select({ id: stores.id, database: stores.database })
    .from(stores)
    .where(eq(stores.seq, storeSeq))
  if (!store?.database) return
  await writeUnaudited({ db: siteDatabase(ctx.env, store.database, store.id) }, "audited_elsewhere", [
    inSite(store.id)
      .remove(userTokens)
      .where(sql`support is not null and ${userTokens.support} ->> '$.access' = ${id}`),
  ])
}
