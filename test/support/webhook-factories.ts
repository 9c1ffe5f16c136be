// Creates events and deliveries for tests, and controls the clock.
import { env } from "cloudflare:workers"
import { sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { vi } from "vitest"
import type { Env } from "../../src/bindings"
import type { EndpointBatchMessage } from "../../src/core/queue/messages"
import { commit } from "../../src/core/write/commit"
import { deliveryId } from "../../src/core/write/event-log"
import type { EventDraft } from "../../src/core/write/events"
import { webhookDeliveries, webhookEvents } from "../../src/db/schema/central/webhooks"
import { ulid } from "../../src/lib/ulid"
import type { Delivery } from "../../src/webhooks/reserve"
import { consume, run } from "./app"

/** An audit entry for commits that only matter for their events. */
export const AUDIT_DRAFT = { subject: "settings", action: "changed", id: "test" } as const

/** Builds an event with any payload, for tests that only look at its delivery. */
export const buildEvent = (type = "store.ready", data: object = {}): EventDraft =>
  ({ type, data }) as unknown as EventDraft

/** Commits an event with its deliveries, as any change of the platform does. */
export const emitEvent = (type = "store.ready", data: Record<string, unknown> = {}) =>
  run((ctx) => commit(ctx, { auditLog: [{ audit: AUDIT_DRAFT, events: [buildEvent(type, data)] }] }))

/** Marks all events as routed, as the router has done with events whose deliveries exist. */
export const markRouted = () =>
  env.DB.prepare(
    "update counters set total = (select max(seq) from webhook_events) where list = 'webhook_events' and filter = 'routed'",
  ).run()

/** Inserts a delivery in any state, with a new event. */
export async function makeDelivery(endpointId: number, overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const now = new Date()
  const occurredAt = overrides.createdAt ?? now
  const eventId = overrides.eventId ?? ulid(occurredAt)
  const db = drizzle(env.DB)
  const event = overrides.event ?? "store.ready"
  const payload = JSON.stringify({ id: eventId, type: event, data: {} })
  const seq = sql<number>`(select coalesce(max(seq), 0) + 1 from webhook_events)`
  const [, rows] = await db.batch([
    db.insert(webhookEvents).values({ seq, id: eventId, type: event, isTest: true, payload, createdAt: occurredAt }),
    db
      .insert(webhookDeliveries)
      .values({
        id: deliveryId(sql`(select seq from webhook_events where id = ${eventId})`, endpointId),
        endpointId,
        event,
        attempt: 0,
        status: "pending",
        nextAttemptAt: now,
        createdAt: now,
        updatedAt: now,
        attempts: [],
        ...overrides,
        eventId,
      })
      .returning(),
  ])
  if (!rows[0]) throw new Error("no delivery")
  await markRouted()
  return rows[0]
}

/** Freezes the clock and returns functions to read and advance it. */
export function freezeClock() {
  vi.useFakeTimers({ toFake: ["Date"] })
  return {
    now: () => Date.now(),
    advance: (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000),
  }
}

/**
 * Runs the batches that sweeps enqueued, each in its own invocation, and the batches that those enqueue.
 * @param afterRound runs after each round, e.g. to advance the clock for those that were enqueued with a delay
 */
export async function drainBatches(environment?: Env, afterRound: () => void = () => undefined): Promise<void> {
  const batches = vi.mocked(env.RETRY_QUEUE.sendBatch).mock.calls
  const singles = vi.mocked(env.RETRY_QUEUE.send).mock.calls
  const takeMessages = () => [
    ...batches.splice(0).flatMap(([sent]) => [...sent].map(({ body }) => body as EndpointBatchMessage)),
    ...singles.splice(0).map(([body]) => body as EndpointBatchMessage),
  ]
  for (let messages = takeMessages(); messages.length; messages = takeMessages()) {
    await Promise.all(messages.map((message) => consume("tenancy-retries", [message], { env: environment })))
    afterRound()
  }
}
