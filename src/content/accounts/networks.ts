// Records the client networks from which users have logged in. Logins from a known network are exempt from the
// account's limit of failed logins. Networks outlive sessions, so the exemption still applies after a logout or a
// password reset.
import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import { userNetworks } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { addMs, DAY } from "../../lib/time"
import type { SiteCtx } from "../site"
import { hasEmail } from "./queries"

/** Networks recorded per user. */
const MAX_NETWORKS = 20

/** Age of the last login after which a network counts as unknown. */
const RETENTION = 90 * DAY

/** A network that was recorded this recently is not updated by another login. */
const REFRESH_INTERVAL = DAY

/**
 * Selects when the user of an email address last logged in from a network.
 * @param network as `hashNetwork` returns it
 */
export const selectNetwork = (ctx: SiteCtx, email: string, network: string) =>
  ctx.site.db
    .select({ lastSeenAt: userNetworks.lastSeenAt })
    .from(userNetworks)
    .innerJoin(users, and(eq(users.id, userNetworks.userId), hasEmail(ctx, email)))
    .where(and(eq(userNetworks.network, network), gt(userNetworks.lastSeenAt, addMs(ctx.now, -RETENTION))))

/** Returns whether a login from a network has to be recorded. */
export const isStale = (ctx: SiteCtx, lastSeenAt: Date | undefined): boolean =>
  lastSeenAt === undefined || lastSeenAt <= addMs(ctx.now, -REFRESH_INTERVAL)

/**
 * Deletes a user's networks and records the current one. Someone else may have known the previous password or owned the
 * previous address. Belongs in the commit that changes it.
 * @param network as `hashNetwork` returns it
 */
export const resetNetworks = (ctx: SiteCtx, userId: number, network: string): Write[] => [
  inSite(ctx.site.id).remove(userNetworks).where(eq(userNetworks.userId, userId)),
  inSite(ctx.site.id).insert(userNetworks).values({ userId, network, lastSeenAt: ctx.now }),
]

/**
 * Records a network of a user and deletes the oldest beyond `MAX_NETWORKS`. Belongs in the commit of a login.
 * @param network as `hashNetwork` returns it
 * @param condition on the user's row
 */
export function recordNetwork(ctx: SiteCtx, userId: number, network: string, condition: SQL | undefined): Write[] {
  const siteId = ctx.site.id
  const own = eq(userNetworks.userId, userId)
  const newest = sql`select "newest"."network" from ${userNetworks} "newest"
    where "newest"."site_id" = ${siteId} and "newest"."user_id" = ${userId}
    order by "newest"."last_seen_at" desc limit ${MAX_NETWORKS}`
  return [
    insertNetwork(ctx, network, and(eq(users.id, userId), condition)),
    inSite(siteId)
      .remove(userNetworks)
      .where(and(own, sql`${userNetworks.network} not in (${newest})`)),
  ]
}

/**
 * Records the network of a user who is inserted by the same commit.
 * @param network as `hashNetwork` returns it
 */
export const recordFirstNetwork = (ctx: SiteCtx, email: string, network: string): Write =>
  insertNetwork(ctx, network, hasEmail(ctx, email))

const insertNetwork = (ctx: SiteCtx, network: string, condition: SQL | undefined): Write =>
  inSite(ctx.site.id)
    .insertSelect(
      userNetworks,
      { userId: sql`${users.id}`, network, lastSeenAt: ctx.now },
      sql`from ${users} where ${and(eq(users.siteId, ctx.site.id), condition)}`,
    )
    .onConflictDoUpdate({
      target: [userNetworks.siteId, userNetworks.userId, userNetworks.network],
      set: { lastSeenAt: ctx.now },
    })
