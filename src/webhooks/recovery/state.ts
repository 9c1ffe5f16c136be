// Conditions on whether a recovery is running, for loaded rows and for SQL.
import { sql } from "drizzle-orm"
import { type Recovery, webhookEndpoints } from "../../db/schema/central/webhooks"

/** Whether a recovery has events left to process. */
export const isRunning = (recovery: Recovery | null): recovery is Recovery =>
  recovery !== null && recovery.after < recovery.last

/** SQL condition: the endpoint has a recovery with events left to process. */
export const isRecovering = sql`coalesce(json_extract(${webhookEndpoints.recovery}, '$.after') < json_extract(${webhookEndpoints.recovery}, '$.last'), 0)`
