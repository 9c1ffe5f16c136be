// The delivery databases: those that WEBHOOK_DATABASES names, or the central database itself. Each endpoint has one,
// its home, with its deliveries, totals and statistics. Endpoints, secrets and events are in the central database.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { batch, type CentralDatabase, deliveryDatabase, type Read, type Results, type Statement } from "../../db/client"
import { webhookEndpoints, webhookEvents } from "../../db/schema/central/webhooks"
import type { Bindings } from "../../env"
import { currentMs } from "../../lib/clock"
import { isolateState } from "../../lib/isolate-state"
import { SECOND } from "../../lib/time"
import type { Ctx } from "../context"
import { writeUnaudited } from "./commit"
import { belongsToEvent, endpointIdOf, seqOf } from "./event-log"
import { isHidden } from "./rehoming"
import type { UnauditedReason } from "./unaudited"

/** The binding of the central database. */
const CENTRAL = "DB"

/** A delivery database. */
export interface DeliveryDatabase {
  /** Its binding. */
  name: string
  db: CentralDatabase
  /** Whether it is the central database, so that one transaction can also write endpoints, events and audit entries. */
  isCentral: boolean
}

type DatabaseCtx = Pick<Ctx, "db" | "env" | "settings">

/** How long an isolate caches the database of an endpoint's deliveries. */
const HOME_CACHE_MS = 5 * SECOND

const homes = isolateState(() => new WeakMap<Bindings, Map<number, { name: string; until: number }>>())

/** Returns a delivery database by the name of its binding. */
export const getDeliveryDatabase = (ctx: Pick<Ctx, "db" | "env">, name: string): DeliveryDatabase => ({
  name,
  db: name === CENTRAL ? ctx.db : deliveryDatabase(ctx.env, name),
  isCentral: name === CENTRAL,
})

/** Lists the delivery databases. */
export const listDeliveryDatabases = (ctx: DatabaseCtx): DeliveryDatabase[] =>
  ctx.settings.WEBHOOK_DATABASES.map((name) => getDeliveryDatabase(ctx, name))

/**
 * Returns the database of an endpoint's deliveries, from the isolate's memory if it was looked up within seconds.
 * @param endpointId of an endpoint that may be deleted; without its row, the first database is returned
 */
export async function findHome(ctx: DatabaseCtx, endpointId: number): Promise<DeliveryDatabase> {
  const [only = CENTRAL, ...others] = ctx.settings.WEBHOOK_DATABASES
  if (!others.length) return getDeliveryDatabase(ctx, only)
  const known = homes.current.get(ctx.env) ?? new Map<number, { name: string; until: number }>()
  homes.current.set(ctx.env, known)
  const cached = known.get(endpointId)
  if (cached && cached.until > currentMs()) return getDeliveryDatabase(ctx, cached.name)
  const [endpoint] = await ctx.db
    .select({ database: webhookEndpoints.database })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.id, endpointId))
  const name = endpoint?.database ?? only
  known.set(endpointId, { name, until: currentMs() + HOME_CACHE_MS })
  return getDeliveryDatabase(ctx, name)
}

/** Returns the database of a delivery, whose id contains its endpoint's. */
export const findHomeOfDelivery = (ctx: DatabaseCtx, deliveryId: number): Promise<DeliveryDatabase> =>
  findHome(ctx, endpointIdOf(deliveryId))

/**
 * Queries every delivery database in parallel.
 * @returns the results, in the order of WEBHOOK_DATABASES
 * @throws the error of a database that does not respond
 */
export const queryDeliveryDatabases = <Result>(
  ctx: DatabaseCtx,
  query: (database: DeliveryDatabase) => Promise<Result>,
): Promise<Result[]> => Promise.all(listDeliveryDatabases(ctx).map(query))

/**
 * Reads from the central database and writes to a delivery database: in one transaction if both are the same, else in
 * parallel.
 * @returns the results of the reads, and of the writes
 */
export async function readAndWrite<const Reads extends readonly Read[], const Writes extends readonly Statement[]>(
  ctx: Pick<Ctx, "db">,
  home: DeliveryDatabase,
  reason: UnauditedReason,
  reads: Reads,
  writes: Writes,
): Promise<[Results<Reads>, Results<Writes>]> {
  if (!home.isCentral) return Promise.all([batch(ctx.db, reads), writeUnaudited({ db: home.db }, reason, writes)])
  const results: unknown[] = await writeUnaudited(ctx, reason, [...reads, ...writes])
  return [results.slice(0, reads.length), results.slice(reads.length)] as [Results<Reads>, Results<Writes>]
}

/**
 * Adds the payloads of deliveries that were read from a separate delivery database, which has no events.
 * @param deliveries with a payload of null
 */
export async function addPayloads<Row extends { id: number; payload: string | null }>(
  ctx: DatabaseCtx,
  deliveries: Row[],
): Promise<Row[]> {
  const missing = deliveries.filter(({ payload }) => payload === null)
  if (!missing.length || listDeliveryDatabases(ctx).every(({ isCentral }) => isCentral)) return deliveries
  const seqs = JSON.stringify(missing.map(({ id }) => seqOf(id)))
  const events = await ctx.db
    .select({ seq: webhookEvents.seq, payload: webhookEvents.payload })
    .from(webhookEvents)
    .where(sql`${webhookEvents.seq} in (select value from json_each(${seqs}))`)
  const payloads = new Map(events.map(({ seq, payload }) => [seq, payload]))
  return deliveries.map((row) => ({ ...row, payload: row.payload ?? payloads.get(seqOf(row.id)) ?? null }))
}

/** While an endpoint moves to another database, both may have a delivery; the current one was updated last. */
export function withoutCopies<Row extends { id: number; updatedAt: Date }>(deliveries: readonly Row[]): Row[] {
  const newest = new Map<number, Row>()
  for (const row of deliveries) {
    const other = newest.get(row.id)
    if (!other || other.updatedAt <= row.updatedAt) newest.set(row.id, row)
  }
  return [...newest.values()]
}

/** The results of the databases that responded, and the names of the others. */
export interface PartialResults<Result> {
  results: Result[]
  unavailable: string[]
}

/**
 * Queries every delivery database in parallel, for pages that show what there is.
 * @returns the results of those that responded; the error of each other one is logged
 * @throws the error if the only database does not respond
 */
export async function queryAvailableDatabases<Result>(
  ctx: DatabaseCtx & Pick<Ctx, "log">,
  query: (database: DeliveryDatabase) => Promise<Result>,
): Promise<PartialResults<Result>> {
  const databases = listDeliveryDatabases(ctx)
  const answers = await Promise.allSettled(databases.map(query))
  const rejected = answers.flatMap((answer, index) =>
    answer.status === "rejected" ? [{ name: databases[index]?.name ?? "", cause: answer.reason as unknown }] : [],
  )
  if (databases.length === 1 && rejected[0]) throw rejected[0].cause
  for (const { name, cause } of rejected)
    ctx.log.error("a delivery database did not respond", cause, { database: name })
  return {
    results: answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])),
    unavailable: rejected.map(({ name }) => name),
  }
}

/** How many deliveries an event has. */
export interface DeliveryCount {
  total: number
  delivered: number
}

/**
 * Counts the deliveries of events in all databases.
 * @param seqs of the events
 */
export async function countDeliveries(
  ctx: DatabaseCtx & Pick<Ctx, "log">,
  seqs: readonly number[],
): Promise<{ counts: ReadonlyMap<number, DeliveryCount>; unavailable: string[] }> {
  const { results, unavailable } = await queryAvailableDatabases(ctx, async ({ db, name }) =>
    db
      .select({
        seq: sql<number>`event.value`,
        total: sql<number>`count(*)`,
        delivered: sql<number>`sum(delivery.status = 'delivered')`,
      })
      .from(
        sql`json_each(${JSON.stringify(seqs)}) as event
          cross join webhook_deliveries as delivery on ${belongsToEvent(sql`delivery.id`, sql`event.value`)}
            and not ${isHidden(sql`delivery.endpoint_id`, name)}`,
      )
      .groupBy(sql`event.value`),
  )
  const counts = new Map<number, DeliveryCount>()
  for (const { seq, total, delivered } of results.flat()) {
    const sum = counts.get(seq) ?? { total: 0, delivered: 0 }
    counts.set(seq, { total: sum.total + total, delivered: sum.delivered + delivered })
  }
  return { counts, unavailable }
}

/**
 * Selects the database for a new endpoint: the one with the fewest endpoints, as SQL for the statement that inserts it.
 */
export function chooseHome({ settings }: Pick<Ctx, "settings">): SQL<string> | string {
  const [only = CENTRAL, ...others] = settings.WEBHOOK_DATABASES
  if (!others.length) return only
  const used = sql`select count(*) from webhook_endpoints as resident
    where ${and(sql`resident.database = candidate.value`, sql`resident.deleted_at is null`)}`
  return sql<string>`(select candidate.value from json_each(${JSON.stringify(settings.WEBHOOK_DATABASES)}) as candidate
    order by (${used}), candidate.key limit 1)`
}
