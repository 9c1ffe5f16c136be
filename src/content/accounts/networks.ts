// The client networks from which users have logged in. They outlive logins: a user who has logged out, or set a new password, is still
// not refused because of failed logins from elsewhere.
import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import { userNetworks } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { insert, insertSelect, remove, type Write } from "../../db/write"
import { DAY, later } from "../../lib/time"
import type { SiteCtx } from "../site"
import { hasEmail } from "./queries"

/** Networks stored per user. */
const MAX_NETWORKS = 20

/** How long a network is known after the last login from it. */
const RETENTION = 90 * DAY

/** A login from a network that was seen this recently leaves its row as it is. */
const REFRESH_INTERVAL = DAY

/**
 * The statement that reads when the user of an e-mail address last logged in from a network.
 * @param network as `hashNetwork` returns it
 */
export const selectNetwork = (ctx: SiteCtx, email: string, network: string) =>
  ctx.site.db
    .select({ lastSeenAt: userNetworks.lastSeenAt })
    .from(userNetworks)
    .innerJoin(users, and(eq(users.id, userNetworks.userId), hasEmail(ctx, email)))
    .where(
      and(
        eq(userNetworks.siteId, ctx.site.id),
        eq(userNetworks.network, network),
        gt(userNetworks.lastSeenAt, later(ctx.now, -RETENTION)),
      ),
    )

/** Whether a login from a network has to be recorded. */
export const isStale = (ctx: SiteCtx, lastSeenAt: Date | undefined): boolean =>
  lastSeenAt === undefined || lastSeenAt <= later(ctx.now, -REFRESH_INTERVAL)

/**
 * Forgets the networks of a user and records the one that proved who they are: an earlier password, or an earlier address, may have been
 * somebody else's. Belongs into the commit that changes it.
 * @param network as `hashNetwork` returns it
 */
export const resetNetworks = (ctx: SiteCtx, userId: number, network: string): Write[] => [
  remove(userNetworks).where(and(eq(userNetworks.siteId, ctx.site.id), eq(userNetworks.userId, userId))),
  insert(userNetworks).values({ siteId: ctx.site.id, userId, network, lastSeenAt: ctx.now }),
]

/**
 * Records a network of a user and deletes the oldest ones; belongs into the commit of a login.
 * @param network as `hashNetwork` returns it
 * @param condition on the user's row
 */
export function recordNetwork(ctx: SiteCtx, userId: number, network: string, condition: SQL | undefined): Write[] {
  const siteId = ctx.site.id
  const own = and(eq(userNetworks.siteId, siteId), eq(userNetworks.userId, userId))
  const newest = sql`select "newest"."network" from ${userNetworks} "newest"
    where "newest"."site_id" = ${siteId} and "newest"."user_id" = ${userId}
    order by "newest"."last_seen_at" desc limit ${MAX_NETWORKS}`
  const row = { siteId, userId: sql`${users.id}`, network, lastSeenAt: ctx.now }
  return [
    insertSelect(
      userNetworks,
      row,
      sql`from ${users} where ${and(eq(users.id, userId), condition)}`,
    ).onConflictDoUpdate({
      target: [userNetworks.siteId, userNetworks.userId, userNetworks.network],
      set: { lastSeenAt: ctx.now },
    }),
    remove(userNetworks).where(and(own, sql`${userNetworks.network} not in (${newest})`)),
  ]
}
