// Conditions on endpoints whose deliveries move to another delivery database. While they are copied, the endpoint is
// paused: it gets no deliveries, and none is attempted. A row of `endpoint_rehomings` says so, in the central database
// and in both delivery databases, so that every statement on deliveries can check it in its own transaction.
import { eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import { endpointRehomings } from "../../db/schema/central/webhooks"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"

/** Until then, the source has the deliveries. */
const isBeforeSwitch = sql`moving.phase in ('clearing', 'copying', 'comparing')`

/** The table is empty almost always; the first condition is evaluated once per statement, not once per delivery. */
const isMoving = (endpoint: SQL, condition: SQL): SQL =>
  sql`(exists (select 1 from endpoint_rehomings)
    and ${endpoint} in (select moving.endpoint_id from endpoint_rehomings as moving where ${condition}))`

/**
 * Condition that a delivery database may not change an endpoint's deliveries, because they are being copied or were
 * moved away.
 * @param endpoint its id
 * @param home the name of the database that runs the statement
 */
export const isPaused = (endpoint: SQL, home: string | Placeholder): SQL =>
  isMoving(endpoint, sql`moving.source = ${home} or (moving.target = ${home} and ${isBeforeSwitch})`)

/** Condition that an endpoint's deliveries in a database are an unfinished copy, or were moved away. */
export const isHidden = (endpoint: SQL, home: string | Placeholder): SQL =>
  isMoving(
    endpoint,
    sql`(moving.source = ${home} and not ${isBeforeSwitch}) or (moving.target = ${home} and ${isBeforeSwitch})`,
  )

/** Condition that an endpoint is paused, as the central database knows it. */
export const isBeingCopied = (endpoint: SQL): SQL => isMoving(endpoint, isBeforeSwitch)

/** Condition that an endpoint's deliveries are moving, as the central database knows it. */
export const isRehoming = (endpoint: SQL): SQL => isMoving(endpoint, sql`true`)

/** `Retry-After` in seconds of what an endpoint cannot do while its deliveries move. */
const RETRY_SECONDS = 60

/** @throws Refusal `temporarily_unavailable` while an endpoint's deliveries move to another database */
export async function assertNotRehoming(ctx: Pick<Ctx, "db">, endpoint: number): Promise<void> {
  const moving = await ctx.db
    .select({ id: endpointRehomings.endpointId })
    .from(endpointRehomings)
    .where(eq(endpointRehomings.endpointId, endpoint))
  if (moving.length) throw new Refusal("temporarily_unavailable", { retryAfter: RETRY_SECONDS })
}
