// Enqueues a store's background jobs. Messages name the incarnation, so none acts on a later store of the same subdomain.
import type { Ctx } from "../../core/context"

/** The store that a message is about. */
interface Incarnation {
  id: string
  seq: number
}

/** Enqueues the provisioning of a store in the background; the cron finds a store whose message is lost. */
export const enqueueProvisioning = (ctx: Ctx, { id, seq }: Incarnation): void =>
  ctx.after(ctx.env.JOB_QUEUE.send({ job: "provision", store: id, seq }))

/** Enqueues the removal of what a deleted store left behind; the cron finds a purge whose message is lost. */
export const enqueuePurge = (ctx: Ctx, { id, seq }: Incarnation): void =>
  ctx.after(ctx.env.JOB_QUEUE.send({ job: "purge", store: id, seq }))
