// Reserves the first attempts of a group of deliveries in one transaction, and releases those that were not made.
import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { type DeliveryDatabase, readAndWrite } from "../../core/write/delivery-databases"
import { replicateEndpoints } from "../../core/write/endpoint-replicas"
import { endpointIdOf, seqOf } from "../../core/write/event-log"
import { retryTransient } from "../../core/write/retry"
import { decompressText } from "../../db/compressed-text"
import { param, prepareRead, prepareWrite } from "../../db/prepared"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../../db/schema/central/webhooks"
import { update } from "../../db/write"
import { currentTime } from "../../lib/clock"
import { identifiableEnd } from "../../lib/random"
import { addMs } from "../../lib/time"
import { getLeaseMs } from "../lease"
import { type AttemptedEndpoint, isWaiting, selectRoutedSeq } from "../ordering"
import { deliveryEndpointIsReceiving } from "../receiving-condition"
import {
  closeUnsendable,
  type Delivery,
  deliveryColumns,
  getReleaseTime,
  isAttemptable,
  isNotPaused,
  isOutOfAttempts,
  type ReservedAttempt,
} from "../reserve"

const { id, status, attempt, nextAttemptAt } = webhookDeliveries

/**
 * Reserves first attempts in one round trip. After a transient error it is repeated, and recognizes the reservations of
 * its own by the end of their lease.
 * @param ids deliveries of one database
 * @returns the reserved attempts; the others have been attempted before, or their endpoint does not receive
 * @throws the database's error when no repetition succeeds
 */
export async function reserveGroup(
  ctx: Ctx,
  home: DeliveryDatabase,
  ids: readonly number[],
): Promise<ReservedAttempt[]> {
  const now = currentTime()
  const until = identifiableEnd(addMs(now, getLeaseMs(ctx.settings)))
  const values = { ids: JSON.stringify(ids), now, until, home: home.name }
  const reads = [
    selectEndpoints({ ids: JSON.stringify([...new Set(ids.map(endpointIdOf))]) }),
    selectEvents({ seqs: JSON.stringify([...new Set(ids.map(seqOf))]) }),
  ] as const
  const deliveries = await retryTransient(async (round) => {
    const [[endpoints, events], [reserved, , leased = []]] = await readAndWrite(ctx, home, "coordination", reads, [
      reserve(values),
      close(values),
      ...(round === 1 ? [] : [selectLeased(home, values.ids, until)]),
    ])
    return { endpoints, events, reserved: reserved.length ? reserved : leased }
  })
  const endpoints = new Map(deliveries.endpoints.map((endpoint) => [endpoint.id, endpoint]))
  const events = new Map(deliveries.events.map((event) => [event.seq, event]))
  const attempts = deliveries.reserved.flatMap((delivery): ReservedAttempt[] => {
    const endpoint = endpoints.get(delivery.endpointId)
    const event = events.get(seqOf(delivery.id))
    const payload = event && readPayload(ctx, event)
    if (!endpoint || event?.id !== delivery.eventId || payload === undefined) return []
    return [{ delivery, endpoint, payload, home }]
  })
  const outdated = attempts.filter((attempt) => !isAttemptable(attempt))
  if (outdated.length) {
    await replicateEndpoints(ctx, home)
    // lint: each time at which outdated attempts are due again, mostly one
    for (const [dueAt, some] of Map.groupBy(outdated, (attempt) => getReleaseTime(attempt, now).getTime()))
      await releaseGroup(home, some, new Date(dueAt))
  }
  return attempts.filter(isAttemptable)
}

/**
 * Releases first attempts that were reserved but not made: they are not counted.
 * @param dueAt when the deliveries are due again
 * @param error why the attempts were not made
 */
export async function releaseGroup(
  home: DeliveryDatabase,
  attempts: readonly ReservedAttempt[],
  dueAt: Date,
  error?: string,
): Promise<void> {
  if (!attempts.length) return
  const ids = JSON.stringify(attempts.map(({ delivery }) => delivery.id))
  const release = update(webhookDeliveries)
    .set({ attempt: 0, nextAttemptAt: dueAt, updatedAt: currentTime(), ...(error !== undefined && { error }) })
    .where(and(isIn(ids), eq(status, "pending"), eq(attempt, 1)))
  await retryTransient(() => writeUnaudited({ db: home.db }, "coordination", [release]))
}

const isIn = (ids: string | ReturnType<typeof param>): SQL => sql`${id} in (select value from json_each(${ids}))`

interface GroupParams {
  /** A JSON array. */
  ids: string
  now: Date
  /** End of the leases. */
  until: Date
  /** The name of the database. */
  home: string
}

const isFirst = () => and(isIn(param("ids")), eq(status, "pending"), eq(attempt, 0), isNotPaused(param("home")))

const reserve = prepareWrite<Delivery[], GroupParams>(() =>
  update(webhookDeliveries)
    .set({ attempt: 1, nextAttemptAt: param("until"), updatedAt: param("now") })
    .where(and(isFirst(), deliveryEndpointIsReceiving, sql`not ${isOutOfAttempts}`, sql`not ${isWaiting()}`))
    .returning(deliveryColumns),
)

const close = prepareWrite<D1Result, GroupParams>(() => closeUnsendable(isFirst(), param("now")))

/** Selects deliveries that were reserved until exactly that time, by a call whose response was lost. */
const selectLeased = ({ db }: DeliveryDatabase, ids: string, until: Date) =>
  db
    .select(deliveryColumns)
    .from(webhookDeliveries)
    .where(and(isIn(ids), eq(nextAttemptAt, until), eq(status, "pending")))

const selectEndpoints = prepareRead<AttemptedEndpoint, { ids: string }>((db) =>
  db
    .select({ ...getTableColumns(webhookEndpoints), routedSeq: selectRoutedSeq.as("routed_seq") })
    .from(webhookEndpoints)
    .where(
      and(
        sql`${webhookEndpoints.id} in (select value from json_each(${param("ids")}))`,
        isNull(webhookEndpoints.deletedAt),
      ),
    ),
)

/** An event with its payload as it is stored. */
interface StoredEvent {
  seq: number
  id: string
  stored: string
}

/** Restores a payload here, after the reservation: a damaged one must not fail those of the whole group. */
function readPayload(ctx: Ctx, { id, stored }: StoredEvent): string | undefined {
  try {
    return decompressText(stored)
  } catch (cause) {
    ctx.log.error("the payload of an event is damaged", cause, { event: id })
    return undefined
  }
}

const selectEvents = prepareRead<StoredEvent, { seqs: string }>((db) =>
  db
    .select({
      seq: webhookEvents.seq,
      id: webhookEvents.id,
      stored: sql<string>`${webhookEvents.payload}`.as("stored"),
    })
    .from(webhookEvents)
    .where(sql`${webhookEvents.seq} in (select value from json_each(${param("seqs")}))`),
)
