// The verbs of the log of events.
import { asc, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { isOfEvent, payloadDays } from "../../core/write/event-log"
import { eventsOf } from "../../core/write/event-types"
import { batch, read } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
import { DAY, SECOND } from "../../lib/time"
import { ulidTime } from "../../lib/ulid"
import { type Delivery, deliveryColumns } from "../reserve"
import type { Position } from "./cursor"
import { endsOf, type Start, selectPage, seqOf, type Wanted, WINDOW } from "./queries"
import type { FollowEvents } from "./schemas"

export interface Feed {
  /** The events' exact texts, the oldest first. */
  payloads: string[]
  /** The number behind which the next page begins. */
  next: number
  hasMore: boolean
}

/**
 * The events behind a position, in the order of their commits. Walking from cursor to cursor skips none and shows none twice,
 * whatever is committed meanwhile.
 * @param isGone whether the caller has hung up, so that nobody waits any more
 * @throws Refusal `validation_failed` for a cursor that never was; `cursor_expired` for one whose next events are no longer kept
 */
export async function readFeed(
  ctx: Ctx,
  input: z.output<typeof FollowEvents>,
  isGone: () => boolean = () => false,
): Promise<Feed> {
  const wanted: Wanted = { types: input.types ? eventsOf(input.types) : null, store: input.store ?? null }
  let feed = await firstPage(ctx, wanted, input.after ?? { kind: "start" }, input.limit)
  // The database is asked once a second, and then only for its newest number while there is nothing new.
  for (let left = input.wait; left > 0 && !feed.payloads.length && !feed.hasMore && !isGone(); left--) {
    await scheduler.wait(SECOND)
    const [ends] = await read(ctx.db, endsOf({}))
    if ((ends?.head ?? 0) > feed.next) feed = await nextPage(ctx, wanted, feed.next, input.limit)
  }
  return feed
}

async function firstPage(ctx: Ctx, wanted: Wanted, position: Position, limit: number): Promise<Feed> {
  if (position.kind === "start") return (await pageBehind(ctx, wanted, "horizon", limit)).feed
  if (position.kind === "now") return (await pageBehind(ctx, wanted, "head", limit)).feed
  if (position.kind === "event") return nextPage(ctx, wanted, await seqOfEvent(ctx, position.id), limit)
  const page = await pageBehind(ctx, wanted, position.seq, limit)
  if (position.seq > page.head) throw invalid("after", "selected")
  if (position.seq < page.horizon) throw new Refusal("cursor_expired")
  return page.feed
}

/** The number of the event behind which a page begins. */
async function seqOfEvent(ctx: Ctx, id: string): Promise<number> {
  const [[event], [ends]] = await batch(ctx.db, [seqOf({ id }), endsOf({})])
  const seq = event?.seq ?? null
  if (seq !== null && seq >= (ends?.horizon ?? 0)) return seq
  const kept = payloadDays(ctx.settings) * DAY
  const wasKept = kept > 0 && (ends?.horizon ?? 0) > 0 && ulidTime(id) < ctx.now.getTime() - kept
  throw seq !== null || wasKept ? new Refusal("cursor_expired") : invalid("after", "selected")
}

const nextPage = async (ctx: Ctx, wanted: Wanted, after: number, limit: number): Promise<Feed> => {
  const page = await pageBehind(ctx, wanted, after, limit)
  if (after < page.horizon) throw new Refusal("cursor_expired")
  return page.feed
}

/** A page, and the ends of the log on the same state of the database: behind what is newest there nothing was looked at. */
async function pageBehind(ctx: Ctx, wanted: Wanted, start: Start, limit: number) {
  const [[ends = { head: 0, horizon: 0 }], rows, ofStore] = await batch(ctx.db, selectPage(wanted, start, limit))
  const { head, horizon } = ends
  const after = typeof start === "number" ? start : ends[start]
  const shown = rows.slice(0, limit)
  const isFull = rows.length > limit
  const last = shown.at(-1)?.seq ?? after
  const lookedAt = wanted.store === null ? (after + WINDOW < head ? after + WINDOW : null) : (ofStore[0]?.seq ?? null)
  const next = isFull ? last : Math.max(after, lookedAt ?? head)
  return {
    head,
    horizon,
    feed: { payloads: shown.map(({ payload }) => payload), next, hasMore: isFull || lookedAt !== null },
  }
}

/**
 * One event with its deliveries.
 * @param most how many of them; all when it is left out
 * @throws Refusal `not_found`
 */
export async function readEvent(
  ctx: Ctx,
  id: string,
  most?: number,
): Promise<{ payload: string; deliveries: Delivery[] }> {
  const [[event], deliveries] = await batch(ctx.db, [eventOf({ id }), deliveriesOf({ id, most: most ?? -1 })])
  if (!event || event.isTest) throw new Refusal("not_found")
  return { payload: event.payload, deliveries }
}

const eventOf = compiled<{ isTest: boolean; payload: string }, { id: string }>((db) =>
  db
    .select({ isTest: webhookEvents.isTest, payload: webhookEvents.payload })
    .from(webhookEvents)
    .where(eq(webhookEvents.id, given("id"))),
)

const deliveriesOf = compiled<Delivery, { id: string; most: number }>((db) =>
  db
    .select(deliveryColumns)
    .from(webhookDeliveries)
    .where(isOfEvent(sql`${webhookDeliveries.id}`, sql`(select seq from webhook_events where id = ${given("id")})`))
    .orderBy(asc(webhookDeliveries.id))
    .limit(given("most")),
)
