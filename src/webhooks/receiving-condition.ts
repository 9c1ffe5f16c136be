// Whether events go to an endpoint, for rows that were read and for statements.
import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import { compiled, given } from "../db/prepared"
import { webhookDeliveries, webhookEndpoints } from "../db/schema/central/webhooks"

export type Endpoint = typeof webhookEndpoints.$inferSelect

/** Whether events go to the endpoint: switched on by the operator, and not off after a run of failures. */
export const isReceiving = (endpoint: Pick<Endpoint, "isActive" | "disabledAt">): boolean =>
  endpoint.isActive && endpoint.disabledAt === null

/** The same of an endpoint's row, as a condition. */
export const endpointIsOn: SQL = sql`(${webhookEndpoints.isActive} = 1 and ${webhookEndpoints.disabledAt} is null)`

/** Whether a run of failures stopped the endpoint, which is there and switched on, as a condition. */
export const endpointIsStopped = and(
  isNotNull(webhookEndpoints.disabledAt),
  eq(webhookEndpoints.isActive, true),
  isNull(webhookEndpoints.deletedAt),
)

/** Whether events go to a delivery's endpoint, as a condition on the delivery's row. */
export const endpointReceives: SQL = sql`exists (select 1 from webhook_endpoints as receiver
  where receiver.id = ${webhookDeliveries.endpointId} and receiver.is_active = 1 and receiver.disabled_at is null)`

/** Whether the endpoint of a delivery was not deleted, as a condition on the delivery's row. */
export const endpointIsThere: SQL = sql`exists (select 1 from webhook_endpoints as receiver
  where receiver.id = ${webhookDeliveries.endpointId} and receiver.deleted_at is null)`

/** The statement that tells whether there is an endpoint: it answers its id. */
export const knownEndpoint = compiled<{ id: number }, { endpoint: number }>((db) =>
  db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, given("endpoint")), isNull(webhookEndpoints.deletedAt))),
)
