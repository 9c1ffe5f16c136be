// The ping of the test button: an event of its own for one endpoint, whatever that endpoint listens to.
import { eq, sql } from "drizzle-orm"
import { commit } from "../core/commit"
import type { Ctx } from "../core/context"
import { freeze } from "../core/events"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { ulid } from "../lib/ulid"
import { PING } from "./catalogue"
import type { Endpoint } from "./receiving"
import { type Delivery, leaseMs, type Reserved } from "./reserve"

const MESSAGE = "This is a test of your webhook endpoint."

/**
 * Opens a ping with its first attempt reserved, in one round trip: nobody but the caller can make that attempt.
 * @returns null when there is no such endpoint; then nothing was written
 */
export async function openPing(ctx: Ctx, endpointId: number): Promise<Reserved | null> {
  const id = ulid(ctx.now)
  const now = ctx.now.getTime()
  const lease = Date.now() + leaseMs(ctx.settings)
  const payload = freeze(ctx, id, { type: PING, data: { message: MESSAGE, endpoint_id: endpointId } })
  const writes = [
    ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId)),
    ctx.db
      .insert(webhookEvents)
      .select(sql`select ${id}, ${PING}, null, ${payload}, ${now} from webhook_endpoints where id = ${endpointId}`),
    ctx.db
      .insert(webhookDeliveries)
      .select(
        sql`select null, id, ${id}, ${PING}, null, 1, 'pending', null, null, null, ${lease}, null, ${now}, ${now}
          from webhook_endpoints where id = ${endpointId}`,
      )
      .returning(),
  ]
  const [endpoints, , deliveries] = (await commit(ctx, { writes })) as [Endpoint[], unknown, Delivery[]]
  const [endpoint] = endpoints
  const [delivery] = deliveries
  return endpoint && delivery ? { endpoint, delivery, payload } : null
}
