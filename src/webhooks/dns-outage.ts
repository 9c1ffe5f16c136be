// What happens to attempts while the DNS resolver does not respond: they are not counted, and are due again in a
// minute.
import type { Ctx } from "../core/context"
import { isolateState } from "../lib/isolate-state"
import { addMs, DAY, MINUTE } from "../lib/time"

/**
 * While DNS is down, scheduled attempts of deliveries younger than this are rescheduled instead of counted as failed.
 */
const DNS_OUTAGE_GRACE = DAY

/** Whether an attempt that DNS prevented is rescheduled instead of counted. */
export const isWithinDnsGrace = ({ createdAt }: { createdAt: Date }, now: Date): boolean =>
  now < addMs(createdAt, DNS_OUTAGE_GRACE)

/** The error of a delivery whose attempt could not be made because the DNS resolver did not respond. */
export const DNS_OUTAGE_ERROR = "dns_unavailable"

const LOG_INTERVAL_MS = MINUTE

const lastLog = isolateState(() => ({ at: 0 }))

/** Logs that attempts were released: at most one line per minute and isolate, because an outage stops all of them. */
export function logDnsOutage(ctx: Pick<Ctx, "log" | "now">, deliveries: number): void {
  const now = ctx.now.getTime()
  if (now - lastLog.current.at < LOG_INTERVAL_MS) return
  lastLog.current = { at: now }
  ctx.log.warn("webhook attempts were released because the DNS resolver did not respond", {
    cause: "dns_unavailable",
    deliveries,
  })
}
