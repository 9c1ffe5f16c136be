// Exports events in commit order, first those in the archive, then those in the database. Each page is bounded, and
// continues where the one before it ended, also when events were archived in the meantime.
import { and, asc, desc, eq, gt, gte, lte, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { readObjects } from "../../core/archive/read"
import { selectArchiveProgress } from "../../core/archive/write"
import type { Ctx } from "../../core/context"
import { queryTimestamp } from "../../core/http/validation"
import { batch } from "../../db/client"
import { archiveObjects } from "../../db/schema/central/archives"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { addMs, MINUTE, yearMonth } from "../../lib/time"
import { ulidFloor } from "../../lib/ulid"
import { type ArchivedEvent, EVENTS_SHARD } from "./archive"

export const ExportEvents = z.object({
  since: queryTimestamp.describe("Only events from this time on; ISO 8601"),
  until: queryTimestamp.describe("Only events before this time; ISO 8601"),
  after: z
    .string()
    .regex(/^(object|seq)-\d{1,15}$/)
    .optional()
    .describe("Where to continue; the command line does so by itself"),
})

type ExportInput = z.output<typeof ExportEvents>

interface ExportPage {
  /** The exact payloads, in commit order. */
  events: string[]
  /** Where the next page starts; null at the end. */
  next: string | null
}

/** Sequence numbers per page in the database. */
const SEQS_PER_PAGE = 500

/** Ids that were assigned at nearly the same time may not be in the order of their sequence numbers. */
const CLOCK_SKEW_MS = MINUTE

/**
 * Reads a page of the export: an archived object, or some hundred events in the database. Test events are left out.
 * @throws Refusal `temporarily_unavailable` when an object cannot be read
 */
export async function exportEvents(ctx: Ctx, input: ExportInput): Promise<ExportPage> {
  const [progress] = await selectArchiveProgress(ctx.db, "events")
  const archived = progress?.lastId ?? 0
  const [kind = "", position = ""] = (input.after ?? (await findStart(ctx, input))).split("-")
  if (kind === "object") return readArchivedPage(ctx, input, archived, eq(archiveObjects.number, Number(position)))
  const after = Number(position)
  if (after >= archived) return readStoredPage(ctx, input, after)
  // The events after the position were archived since the last page.
  const [object] = await ctx.db
    .select({ number: archiveObjects.number })
    .from(archiveObjects)
    .where(and(isOfEvents, lte(archiveObjects.firstId, after + 1)))
    .orderBy(desc(archiveObjects.number))
    .limit(1)
  return readArchivedPage(ctx, input, archived, eq(archiveObjects.number, object?.number ?? 1), after)
}

const isOfEvents = sql`(${archiveObjects.log} = 'events' and ${archiveObjects.shard} = ${EVENTS_SHARD})`

/** Finds the first object that may contain an event of the period. */
async function findStart(ctx: Ctx, { since }: ExportInput): Promise<string> {
  const [first] = await ctx.db
    .select({ number: archiveObjects.number })
    .from(archiveObjects)
    .where(and(eq(archiveObjects.log, "events"), gte(archiveObjects.month, since ? yearMonth(since) : "")))
    .orderBy(asc(archiveObjects.month), asc(archiveObjects.firstId))
    .limit(1)
  return `object-${first?.number ?? Number.MAX_SAFE_INTEGER}`
}

/** @param after the last event of the page before, if that was in this object */
async function readArchivedPage(
  ctx: Ctx,
  input: ExportInput,
  archived: number,
  isObject: SQL,
  after = 0,
): Promise<ExportPage> {
  const [object] = await ctx.db.select().from(archiveObjects).where(and(isOfEvents, isObject))
  if (!object) return readStoredPage(ctx, input, archived)
  const events: string[] = []
  const next = `object-${object.number + 1}`
  if (!isInPeriod(object.lastAt, object.firstAt, input)) return { events, next }
  await readObjects(ctx, [object], (lines) => {
    for (const line of lines) {
      const { seq, is_test: isTest, created_at: createdAt, payload } = JSON.parse(line) as ArchivedEvent
      const at = new Date(createdAt)
      if (seq > after && !isTest && isInPeriod(at, at, input)) events.push(payload)
    }
  })
  return { events, next }
}

const isInPeriod = (latest: Date, earliest: Date, { since, until }: ExportInput): boolean =>
  (!since || latest >= since) && (!until || earliest < until)

async function readStoredPage(ctx: Ctx, input: ExportInput, after: number): Promise<ExportPage> {
  const { seq, isTest, createdAt, payload } = webhookEvents
  const { since, until } = input
  const [bounds] = await ctx.db
    .select({
      // The first event of the period; one that does not exist is after the last.
      first: sql<number>`${since ? firstSeqFrom(addMs(since, -CLOCK_SKEW_MS)) : sql`0`}`.as("first"),
      last: sql<number>`min(coalesce((select max(seq) from webhook_events), 0),
        ${until ? firstSeqFrom(addMs(until, CLOCK_SKEW_MS)) : Number.MAX_SAFE_INTEGER})`.as("last"),
    })
    .from(sql`(select 1)`)
  const start = Math.max(after, (bounds?.first ?? 0) - 1)
  const last = bounds?.last ?? 0
  if (start >= last) return { events: [], next: null }
  const end = start + SEQS_PER_PAGE
  const [rows, [progress]] = await batch(ctx.db, [
    ctx.db
      .select({ isTest, createdAt, payload })
      .from(webhookEvents)
      .where(and(gt(seq, start), lte(seq, end)))
      .orderBy(asc(seq)),
    selectArchiveProgress(ctx.db, "events"),
  ])
  // Events after the start were archived since, and may have been pruned.
  if ((progress?.lastId ?? 0) > start) return exportEvents(ctx, { ...input, after: `seq-${start}` })
  const events = rows.filter((row) => !row.isTest && isInPeriod(row.createdAt, row.createdAt, input))
  return { events: events.map((row) => row.payload), next: end < last ? `seq-${end}` : null }
}

/** The `seq` of the first event from a time on. */
const firstSeqFrom = (time: Date): SQL =>
  sql`coalesce((select event.seq from webhook_events as event where event.id >= ${ulidFloor(time.getTime())}
    order by event.id limit 1), ${Number.MAX_SAFE_INTEGER})`
