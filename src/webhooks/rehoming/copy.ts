// Copies an endpoint's deliveries and their statistics from one delivery database to another, and compares them.
import { eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import { writeUnaudited } from "../../core/write/commit"
import type { DeliveryDatabase } from "../../core/write/delivery-databases"
import { retryTransient } from "../../core/write/retry"
import { withoutTotals } from "../../core/write/totals"
import { literal } from "../../db/literal"
import { webhookDeliveries, webhookHours, webhookTotals } from "../../db/schema/central/webhooks"
import { remove, type Write, writeSql } from "../../db/write"

/** Deliveries read at a time. */
const PAGE_SIZE = 200

/** Characters of JSON per statement; a parameter of D1 has 2 MB. */
const MAX_CHUNK_LENGTH = 500_000

/** Deliveries compared or deleted at a time. */
const CHUNK_SIZE = 1_000

const write = async ({ db }: DeliveryDatabase, writes: readonly Write[]): Promise<void> =>
  void (await retryTransient(() => writeUnaudited({ db }, "audited_elsewhere", writes)))

const listColumns = (table: SQLiteTable): string[] => Object.values(getTableColumns(table)).map(({ name }) => name)

/** Selects rows as JSON arrays of their columns. */
const selectRows = ({ db }: DeliveryDatabase, table: SQLiteTable, rest: SQL) =>
  db.select({ row: sql<string>`row` }).from(sql`(select json_array(${sql.join(
    listColumns(table).map((name) => sql.identifier(name)),
    sql`, `,
  )}) as row
      from ${table} ${rest})`)

/** Builds the write that inserts rows as `selectRows` returns them, in place of those with the same key. */
function buildReplace(table: SQLiteTable, rows: readonly string[]): Write {
  const names = listColumns(table)
  const columns = sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  )
  const values = sql.join(
    names.map((_, index) => sql`value ->> ${literal(`$[${index}]`)}`),
    sql`, `,
  )
  return writeSql(
    sql`insert or replace into ${table} (${columns}) select ${values} from json_each(${`[${rows.join()}]`})`,
  )
}

/**
 * Whether attempts of an endpoint are in flight. None starts while it is paused, and their results have to be stored
 * before the deliveries are copied.
 */
export async function hasRunningAttempts({ db }: DeliveryDatabase, endpoint: number, now: Date): Promise<boolean> {
  const { id, attempt, nextAttemptAt } = webhookDeliveries
  const running = await db
    .select({ id })
    .from(webhookDeliveries)
    .where(
      sql`${webhookDeliveries.endpointId} = ${endpoint} and ${webhookDeliveries.status} = 'pending'
        and ${attempt} > 0 and ${nextAttemptAt} > ${now.getTime()}`,
    )
    .limit(1)
  return running.length > 0
}

/**
 * Copies the deliveries after an id.
 * @returns the last copied id, null if there was none, and the number of deliveries
 */
export async function copyPage(
  source: DeliveryDatabase,
  target: DeliveryDatabase,
  endpoint: number,
  after: number,
): Promise<{ last: number | null; count: number }> {
  const rows = await selectRows(
    source,
    webhookDeliveries,
    sql`where endpoint_id = ${endpoint} and id > ${after} order by id limit ${PAGE_SIZE}`,
  )
  // lint: each chunk, bounded by its length
  for (const chunk of chunkByLength(rows.map(({ row }) => row)))
    await write(target, withoutTotals([buildReplace(webhookDeliveries, chunk)]))
  const last = rows.at(-1)
  return { last: last ? Number(JSON.parse(last.row)[0]) : null, count: rows.length }
}

function chunkByLength(rows: readonly string[]): string[][] {
  const chunks: string[][] = []
  let length = 0
  for (const row of rows) {
    const chunk = chunks.at(-1)
    if (chunk && length + row.length <= MAX_CHUNK_LENGTH) {
      chunk.push(row)
      length += row.length
    } else {
      chunks.push([row])
      length = row.length
    }
  }
  return chunks
}

/** Copies the totals and the hourly statistics of an endpoint. */
export async function copyStatistics(
  source: DeliveryDatabase,
  target: DeliveryDatabase,
  endpoint: number,
): Promise<void> {
  const [totals, hours] = await Promise.all(
    // lint: each of two tables
    [webhookTotals, webhookHours].map((table) => selectRows(source, table, sql`where endpoint_id = ${endpoint}`)),
  )
  const rowsOf = (rows: { row: string }[] = []) => rows.map(({ row }) => row)
  await write(target, [buildReplace(webhookTotals, rowsOf(totals)), buildReplace(webhookHours, rowsOf(hours))])
}

/**
 * Compares the deliveries after an id: their number, their ids, states and attempts.
 * @returns the last compared id, null if there was none, or `different`
 */
export async function comparePage(
  source: DeliveryDatabase,
  target: DeliveryDatabase,
  endpoint: number,
  after: number,
): Promise<number | null | "different"> {
  const summarize = ({ db }: DeliveryDatabase) =>
    db
      .select({
        last: sql<number | null>`max(id)`,
        count: sql<number>`count(*)`,
        ids: sql<number>`sum(id % 1048576 + id / 1048576)`,
        attempts: sql<number>`sum(attempt)`,
        pending: sql<number>`sum(status = 'pending')`,
        failed: sql<number>`sum(status = 'failed')`,
        delivered: sql<number>`sum(status = 'delivered')`,
        updated: sql<number>`sum(updated_at)`,
      })
      .from(sql`(select id, attempt, status, updated_at from webhook_deliveries
        where endpoint_id = ${endpoint} and id > ${after} order by id limit ${CHUNK_SIZE})`)
  const [[original], [copy]] = await Promise.all([summarize(source), summarize(target)])
  if (JSON.stringify(original) !== JSON.stringify(copy)) return "different"
  return original?.last ?? null
}

/**
 * Deletes one chunk of an endpoint's deliveries, and its totals and statistics.
 * @returns whether none are left
 */
export async function deleteDeliveries({ db }: DeliveryDatabase, endpoint: number): Promise<boolean> {
  const chunk = sql`select id from webhook_deliveries where endpoint_id = ${endpoint} limit ${CHUNK_SIZE}`
  const [, , deleted] = await retryTransient(() =>
    writeUnaudited({ db }, "audited_elsewhere", [
      remove(webhookTotals).where(eq(webhookTotals.endpointId, endpoint)),
      remove(webhookHours).where(eq(webhookHours.endpointId, endpoint)),
      remove(webhookDeliveries).where(sql`${webhookDeliveries.id} in (${chunk})`),
    ]),
  )
  return deleted.meta.changes < CHUNK_SIZE
}
