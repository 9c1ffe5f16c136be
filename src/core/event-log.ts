// The log of events: every event in the order of its commit, told by `seq`. D1 runs one transaction at a time, so a number taken
// inside the commit is the order, and whoever has read all numbers up to the highest has missed none.
import { type SQL, sql } from "drizzle-orm"
import { type Write, writeSql } from "../db/write"

/** The highest number that is no longer kept; 0 while all are. An emptied log goes on from here. */
export const horizon: SQL<number> = sql`coalesce((select "counters"."total" from "counters"
  where "counters"."list" = 'webhook_events' and "counters"."filter" = 'horizon'), 0)`

/** The highest number there is, or ever was. */
export const head: SQL<number> = sql`max(
  coalesce((select newest.seq from webhook_events as newest where newest.seq is not null order by newest.seq desc limit 1), 0),
  ${horizon})`

/** The number of the event that is being inserted. */
export const nextSeq: SQL<number> = sql`(select ${head} + 1)`

/**
 * The write that moves the horizon behind events which the same batch is about to delete.
 * @param which a select of their ids
 */
export const moveHorizon = (which: SQL): Write =>
  writeSql(sql`insert into "counters" ("list", "filter", "total")
    select 'webhook_events', 'horizon', max(gone.seq) from webhook_events as gone where gone.id in (${which})
    having max(gone.seq) is not null
    on conflict ("list", "filter") do update set "total" = max("total", excluded."total")`)
