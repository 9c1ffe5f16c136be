// The lease of an attempt: while it lasts, no other worker may make the attempt again.
import type { Settings } from "../env"
import { SECOND } from "../lib/time"

/** Time beyond the request timeout, for everything else that an attempt does. */
const LEASE_SLACK_SECONDS = 30

/** Returns the length of an attempt's lease in milliseconds. */
export const getLeaseMs = (settings: Settings): number =>
  (settings.TENANCY_WEBHOOK_TIMEOUT + LEASE_SLACK_SECONDS) * SECOND
