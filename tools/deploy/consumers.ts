// Removes queue consumers that wrangler.toml no longer names. Wrangler only adds and updates consumers.
import { UserError, type WranglerConfig } from "../lib/project.ts"
import { createWranglerError } from "./account.ts"
import type { Api } from "./api.ts"
import type { Wrangler } from "./wrangler.ts"

/** A queue as Cloudflare's API lists it. */
export interface Queue {
  queue_name: string
  settings?: { message_retention_period?: number }
  consumers?: {
    type?: string
    /** The Worker; the name of the field depends on the API version. */
    script?: string
    script_name?: string
    service?: string
    environment?: string
    dead_letter_queue?: string
    settings?: Record<string, number | undefined>
  }[]
}

export const listQueues = (api: Api): Promise<Queue[]> => api.get(`/accounts/${api.accountId}/queues`)

/** Returns the consumers of a queue that belong to a Worker. */
export const getConsumersOf = (worker: string, { consumers = [] }: Queue) =>
  consumers.filter(({ script, script_name, service }) => [script, script_name, service].includes(worker))

/**
 * Finds queues that this Worker consumes in the account but not in wrangler.toml.
 * @throws UserError when it is unclear whether a consumer can be removed
 */
export function findStaleConsumers({ name, queues }: WranglerConfig, existing: Queue[]): string[] {
  const configured = new Set(queues.consumers.map(({ queue }) => queue))
  const sentTo = new Set([
    ...queues.producers.map(({ queue }) => queue),
    ...queues.consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []),
  ])
  const stale = existing.filter((queue) => !configured.has(queue.queue_name) && getConsumersOf(name, queue).length > 0)
  const problems = stale.flatMap((queue) => {
    const [consumer, ...others] = getConsumersOf(name, queue)
    if (others.length > 0) return [`${queue.queue_name} has ${others.length + 1} consumers named ${name}`]
    if (consumer?.environment && consumer.environment !== "production") {
      return [`the consumer of ${queue.queue_name} belongs to the environment ${consumer.environment}`]
    }
    return sentTo.has(queue.queue_name) ? [`wrangler.toml still sends messages to ${queue.queue_name}`] : []
  })
  if (stale.length > 0 && configured.size === 0) problems.push("wrangler.toml has no consumers at all")
  if (problems.length === 0) return stale.map(({ queue_name }) => queue_name)
  throw new UserError(
    `wrangler.toml does not name these consumers of ${name}: ${stale.map(({ queue_name }) => queue_name).join(", ")}. ` +
      `They are not removed automatically, because ${problems.join("; ")}. ` +
      `Add them to wrangler.toml, or remove them with "npx wrangler queues consumer remove <queue> ${name}".`,
  )
}

/** @throws UserError with wrangler's output when a consumer cannot be removed */
export function removeConsumers(wrangler: Wrangler, worker: string, queues: string[]): void {
  for (const queue of queues) {
    const result = wrangler(["queues", "consumer", "remove", queue, worker])
    if (!result.ok) throw createWranglerError(`Could not remove the consumer of ${queue}`, result)
  }
}
