// Enqueues a store's background jobs. Messages name the incarnation, so none acts on a later store of the same
// subdomain.

import type { Ctx } from "../../core/context"
import { startJob } from "../../core/queue/leased-jobs"

/** One incarnation of a store: its id and `seq`. */
interface Incarnation {
  id: string
  seq: number
}

/** Enqueues the provisioning of a store in the background; the cron finds a store whose message is lost. */
export const enqueueProvisioning = (ctx: Ctx, { id, seq }: Incarnation): void =>
  startJob(ctx, { job: "provision", store: id, seq })

/** Enqueues the purge of a deleted store's data; the cron finds a purge whose message is lost. */
export const enqueuePurge = (ctx: Ctx, { id, seq }: Incarnation): void =>
  startJob(ctx, { job: "purge", store: id, seq })
