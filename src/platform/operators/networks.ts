// Records the client networks from which operators have signed in.
import { and, eq, gt, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { hashNetwork } from "../../core/http/client-network"
import { deleteExpired } from "../../core/queue/delete-expired"
import { operatorNetworks } from "../../db/schema/central/operators"
import { insert, remove, type Write } from "../../db/write"
import { addMs, DAY } from "../../lib/time"

/** Networks stored per operator, and their retention since the last sign-in. */
const MAX_NETWORKS = 20
const RETENTION = 90 * DAY

/**
 * Selects whether an operator has signed in from a network.
 * @param operatorId an id, or a subquery of it
 */
export const selectNetwork = (ctx: Ctx, operatorId: number | SQL, network: string) =>
  ctx.db
    .select({ network: operatorNetworks.network })
    .from(operatorNetworks)
    .where(
      and(
        sql`${operatorNetworks.operatorId} = ${operatorId}`,
        eq(operatorNetworks.network, network),
        gt(operatorNetworks.lastSeenAt, addMs(ctx.now, -RETENTION)),
      ),
    )

/** Records the client's network and deletes the oldest ones; belongs in the commit of a sign-in. */
export async function recordNetwork(ctx: Ctx, operatorId: number): Promise<Write[]> {
  const own = eq(operatorNetworks.operatorId, operatorId)
  const newest = sql`select ${operatorNetworks.network} from ${operatorNetworks} where ${own}
    order by ${operatorNetworks.lastSeenAt} desc limit ${MAX_NETWORKS}`
  const row = { operatorId, network: await hashNetwork(ctx), lastSeenAt: ctx.now }
  return [
    insert(operatorNetworks)
      .values(row)
      .onConflictDoUpdate({
        target: [operatorNetworks.operatorId, operatorNetworks.network],
        set: { lastSeenAt: ctx.now },
      }),
    remove(operatorNetworks).where(and(own, sql`${operatorNetworks.network} not in (${newest})`)),
  ]
}

/** Records the client's network and deletes all others; belongs in the commit of a new password. */
export const resetNetworks = async (ctx: Ctx, operatorId: number): Promise<Write[]> => [
  remove(operatorNetworks).where(eq(operatorNetworks.operatorId, operatorId)),
  ...(await recordNetwork(ctx, operatorId)),
]

/** Deletes networks without a sign-in for 90 days. */
export const pruneNetworks = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    operatorNetworks,
    (limit) =>
      sql`select rowid from ${operatorNetworks} where ${lte(operatorNetworks.lastSeenAt, addMs(ctx.now, -RETENTION))} limit ${limit}`,
  )
