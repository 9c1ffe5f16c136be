// How long an attempt belongs to the worker that took it.
import type { Settings } from "../env"
import { SECOND } from "../lib/time"

/** Seconds beyond the timeout after which an attempt whose worker died may be made again. */
const LEASE_SLACK = 30

/** Milliseconds for which an attempt is its worker's alone. */
export const leaseMs = (settings: Settings): number => (settings.TENANCY_WEBHOOK_TIMEOUT + LEASE_SLACK) * SECOND
