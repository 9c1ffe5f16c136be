// Compresses the payloads of events that were stored before payloads were compressed, where events are retained for
// long.
import { sql } from "drizzle-orm"
import { compressText } from "../../db/compressed-text"
import { writeSql } from "../../db/write"
import type { Backfill } from "./backfill"

/** Uncompressed payloads are JSON objects. */
const isUncompressed = sql`substr(payload, 1, 1) = '{'`

export const compressEvents: Backfill = {
  summary: "Compress the payloads of events that were stored uncompressed",
  async readLast(ctx) {
    const [row] = await ctx.db
      .select({ last: sql<number | null>`(select max(seq) from webhook_events)`.as("last") })
      .from(sql`(select 1)`)
    return row?.last ?? 0
  },
  async prepareStep(ctx, after, limit) {
    const rows = await ctx.db
      .select({ seq: sql<number>`seq`, payload: sql<string | null>`iif(${isUncompressed}, payload, null)`.as("text") })
      .from(sql`webhook_events`)
      .where(sql`seq > ${after}`)
      .orderBy(sql`seq`)
      .limit(limit)
    const compressed = rows.flatMap(({ seq, payload }) => (payload === null ? [] : [[seq, compressText(payload)]]))
    const write = writeSql(sql`update webhook_events set payload = compressed.value ->> 1
      from json_each(${JSON.stringify(compressed)}) as compressed
      where webhook_events.seq = compressed.value ->> 0 and ${isUncompressed}`)
    return {
      checked: rows.length,
      position: rows.at(-1)?.seq ?? after,
      changed: compressed.length,
      write: compressed.length ? write : null,
    }
  },
}
