// Conditions on whether an endpoint receives events, for loaded rows and for SQL.
import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import { param, prepareRead } from "../db/prepared"
import { webhookDeliveries, webhookEndpoints } from "../db/schema/central/webhooks"

export type Endpoint = typeof webhookEndpoints.$inferSelect

/** Returns the site of an endpoint's audit entries: the store that it belongs to, whose audit log shows them. */
export const toAuditSite = ({ storeId }: Pick<Endpoint, "storeId">): { siteId?: string } =>
  storeId === null ? {} : { siteId: storeId }

/** Returns the same for an endpoint that is not loaded. */
export const toAuditSiteOf = (endpointId: number): { siteId: SQL<string> } => ({
  siteId: sql<string>`coalesce((select ${webhookEndpoints.storeId} from ${webhookEndpoints}
    where ${webhookEndpoints.id} = ${endpointId}), '')`,
})

/** Whether an endpoint receives events: active, and not disabled by failures. */
export const isReceiving = (endpoint: Pick<Endpoint, "isActive" | "disabledAt">): boolean =>
  endpoint.isActive && endpoint.disabledAt === null

/** SQL condition on an endpoint's row: it receives events. */
export const endpointIsReceiving: SQL = sql`(${webhookEndpoints.isActive} = 1 and ${webhookEndpoints.disabledAt} is null)`

/** SQL condition on an endpoint's row: it exists and is active, but was disabled by failures. */
export const endpointIsDisabled = and(
  isNotNull(webhookEndpoints.disabledAt),
  eq(webhookEndpoints.isActive, true),
  isNull(webhookEndpoints.deletedAt),
)

/** SQL condition on a delivery's row: its endpoint receives events. */
export const deliveryEndpointIsReceiving: SQL = sql`exists (select 1 from webhook_endpoints as receiver
  where receiver.id = ${webhookDeliveries.endpointId} and receiver.is_active = 1 and receiver.disabled_at is null)`

/** SQL condition on a delivery's row: its endpoint was not deleted. */
export const deliveryEndpointExists: SQL = sql`exists (select 1 from webhook_endpoints as receiver
  where receiver.id = ${webhookDeliveries.endpointId} and receiver.deleted_at is null)`

/** Selects the id of an endpoint, if it exists. */
export const selectEndpointId = prepareRead<{ id: number }, { endpoint: number }>((db) =>
  db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, param("endpoint")), isNull(webhookEndpoints.deletedAt))),
)
