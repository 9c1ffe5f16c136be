// Records events of shops in the outbox of their site database. site-commit.ts forwards them to the central event log.
import { type SQL, sql } from "drizzle-orm"
import { compressedJson, compressText } from "../../db/compressed-text"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { siteEvents } from "../../db/schema/sites/event-outbox"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { inSite } from "../../db/site-scope"
import { insert, type Write } from "../../db/write"
import { formatTimestamp } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import type { Ctx } from "../context"
import { publishedActor } from "./actor"
import type { Changes } from "./changes"
import { nextSeq } from "./event-log"
import type { EventPayloads } from "./event-payloads"
import type { ShopEvent } from "./event-types"
import { API_VERSION } from "./events"

/** An event about a change in a shop; the writer adds the store. */
export type ShopEventDraft = {
  [Type in ShopEvent]: {
    type: Type
    data: Omit<EventPayloads[Type]["data"], "store">
    /** Values that only the batch knows, such as the id of an inserted row: payload path to expression. */
    fill?: Record<`$.${string}`, SQL>
    /** The customer, where the context has none. A guest has no id. */
    actor?: { id?: number; name: string }
  }
}[ShopEvent]

/** A site whose changes raise events; see `WrittenSite`. */
interface EventSite {
  readonly id: string
  readonly store: { readonly seq: number } | null
}

/** The id of the central site, which is not a shop. */
const CENTRAL_SITE = "central"

/** A write that stores an event, and the event's id. */
export interface ShopEventWrite {
  id: string
  write: Write
}

/** Builds the writes that record events. The central site has none. */
export const shopEventWrites = (ctx: Ctx, site: EventSite, drafts: readonly ShopEventDraft[] = []): ShopEventWrite[] =>
  site.id === CENTRAL_SITE ? [] : drafts.map((draft) => shopEventWrite(ctx, site, draft))

function shopEventWrite(ctx: Ctx, site: EventSite, draft: ShopEventDraft): ShopEventWrite {
  const { type, data, fill = {}, actor } = draft
  const id = ulid(ctx.now)
  const { id: actorId, ...publicActor } = actor ? { type: "customer", ...actor } : publishedActor(ctx.actor)
  const payload = {
    id,
    type,
    created_at: formatTimestamp(ctx.now),
    api_version: API_VERSION,
    data: { store: { id: site.id }, ...shortenChanges(data) },
    meta: { actor: { type: publicActor.type, ...(actorId != null && { id: actorId }), name: publicActor.name } },
  }
  const stored = compressedJson(payload, fill, id)
  const storeSeq = site.store
    ? site.store.seq
    : sql`(select ${siteIncarnations.storeSeq} from ${siteIncarnations} where ${siteIncarnations.siteId} = ${site.id})`
  return {
    id,
    write: inSite(site.id)
      .insert(siteEvents)
      .values({
        storeSeq,
        eventId: id,
        type,
        payload: typeof stored === "string" ? compressText(stored) : stored,
        createdAt: ctx.now,
      }),
  }
}

/** Characters of a text in `data.changes`. The resource next to it has all of it. */
const MAX_CHANGED_TEXT = 10_000

/** Shortens the texts in the changes of an event, which would have them three times. */
function shortenChanges(data: object): object {
  if (!("changes" in data)) return data
  const shorten = (value: unknown) =>
    typeof value === "string" && value.length > MAX_CHANGED_TEXT ? `${value.slice(0, MAX_CHANGED_TEXT)}…` : value
  const changes = Object.entries(data.changes as Changes).map(([field, { from, to }]) => [
    field,
    { from: shorten(from), to: shorten(to) },
  ])
  return { ...data, changes: Object.fromEntries(changes) }
}

type OutboxEvent = typeof siteEvents.$inferSelect

/** Builds the write that adds an event of the outbox to the central event log, unless it was added before. */
export const forwardedEventWrite = ({ siteId, storeSeq, eventId, type, payload, createdAt }: OutboxEvent): Write =>
  insert(webhookEvents)
    .values({
      seq: nextSeq,
      id: eventId,
      type,
      storeId: siteId,
      storeSeq: storeSeq ?? sql`(select seq from stores where id = ${siteId})`,
      isTest: false,
      payload: sql`${payload}`,
      createdAt,
    })
    .onConflictDoNothing()
