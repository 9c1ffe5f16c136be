// The rows of a store in the two databases of a move. Both hold the store while it is copied, so that neither changes under the copy; how
// far the copy has come stands in the target and moves with the rows, in one transaction: whoever goes on, goes on from there.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { bookkeep, settled } from "../../core/commit"
import { batch, type SiteDatabase } from "../../db/client"
import { heldSites } from "../../db/schema/sites/held"
import { keyColumns } from "../../db/site-tables"
import { abortUnlessTouched, insert, remove, update, type Write, writeSql } from "../../db/write"
import { deleteSiteRows } from "../stores/site-rows"
import { allSiteTables } from "../stores/site-tables"

/** A store that is moved, and the move that holds it. */
export interface Held {
  storeId: string
  move: string
}

/** Rows that are read at a time. */
const ROWS = 200

/** Characters after which no further row is read in one trip, and those that one statement is given of them: an isolate has 128 MB. */
const MOST_READ = 2_000_000
const MOST_GIVEN = 500_000

/** What triggers make of the other tables as they are copied. It is taken over last, as it is in the source. */
const MADE = ["counters", "inbox_counts"]

/** What no move takes along: the mark that holds the site, and entries on their way to the central trail. */
const LEFT = ["held_sites", "site_trail"]

/** What is copied, in this order. */
export const copiedTables = (): string[] => {
  const taken = allSiteTables().filter((name) => !LEFT.includes(name) && !MADE.includes(name))
  return [...taken, ...MADE]
}

const holds = ({ storeId, move }: Held) => and(eq(heldSites.siteId, storeId), eq(heldSites.move, move))

/** Holds a store in a database: from now on nothing of it is written there. */
export async function hold(db: SiteDatabase, { storeId, move }: Held, now: Date): Promise<void> {
  const mark = { move, open: false, place: 0, after: 0, heldAt: now }
  await bookkeep({ db }, "a move's hold, whose beginning is in the trail", [
    insert(heldSites)
      .values({ siteId: storeId, ...mark })
      .onConflictDoUpdate({ target: heldSites.siteId, set: mark, setWhere: sql`${heldSites.move} <> ${move}` }),
  ])
}

/** Lets a store be written again. */
export async function release(db: SiteDatabase, held: Held): Promise<void> {
  await bookkeep({ db }, "a move's hold, whose end is in the trail", [remove(heldSites).where(holds(held))])
}

/** The batch of a move: it alone may write, and while it lasts nobody else sees that. */
const through = (held: Held, writes: readonly Write[], mark: { place?: number; after?: number } = {}, at?: SQL) => [
  update(heldSites)
    .set({ ...mark, open: true })
    .where(and(holds(held), at)),
  abortUnlessTouched,
  ...writes,
  update(heldSites).set({ open: false }).where(holds(held)),
]

/** The highest number that a row of the store has, of those that a database gave. */
export async function highestNumber(db: SiteDatabase, storeId: string): Promise<number> {
  const names = await numbered(db)
  const answers = await batch(
    db,
    names.map((name) =>
      db
        .select({ highest: sql<number | null>`max(rowid)` })
        .from(sql`${sql.identifier(name)}`)
        .where(sql`site_id = ${storeId}`),
    ),
  )
  return Math.max(0, ...answers.map(([row]) => row?.highest ?? 0))
}

async function numbered(db: SiteDatabase): Promise<string[]> {
  const [rows] = await batch(db, [
    db
      .select({ name: sql<string>`name` })
      .from(sql`sqlite_master`)
      .where(sql`type = 'table' and sql like '%AUTOINCREMENT%'`),
  ])
  return rows.map(({ name }) => name).filter((name) => copiedTables().includes(name))
}

/** How far a copy has come. */
interface Progress {
  /** In `copiedTables`. */
  place: number
  /** The last row's key, or how many rows where the key is no number. */
  after: number
}

/**
 * Copies rows of a store from where the copy has come to.
 * @param end when to stop, in milliseconds since 1970
 * @returns whether all are there
 */
export async function copyOn(source: SiteDatabase, target: SiteDatabase, held: Held, end: number): Promise<boolean> {
  const [[begun]] = await batch(target, [
    target.select({ place: heldSites.place, after: heldSites.after }).from(heldSites).where(holds(held)),
  ])
  if (!begun) throw new Error("the target does not hold the store")
  const columns = await columnsOf(source)
  let progress: Progress = begun
  for (let name = at(progress); name; name = at(progress)) {
    if (Date.now() >= end) return false
    progress = await copyRows(source, target, held, { name, columns: columns.get(name) ?? [], progress })
  }
  return true
}

const at = ({ place }: Progress): string | undefined => copiedTables()[place]

async function copyRows(
  source: SiteDatabase,
  target: SiteDatabase,
  held: Held,
  { name, columns, progress }: { name: string; columns: readonly string[]; progress: Progress },
): Promise<Progress> {
  const rows = await rowsAfter(source, held.storeId, name, columns, progress.after)
  const last = rows.at(-1)
  const isCut = rows.length === ROWS || rows.reduce((sum, { row }) => sum + row.length, 0) >= MOST_READ
  const next: Progress =
    last && isCut
      ? { place: progress.place, after: isNumbered(name) ? last.key : progress.after + rows.length }
      : { place: progress.place + 1, after: 0 }
  const writes = chunks(rows.map(({ row }) => row)).map((chunk) => insertRows(name, columns, chunk))
  // The triggers made rows, and may have made some that the source does not have.
  if (MADE.includes(name) && progress.after === 0) writes.unshift(forgetMade(name, held.storeId))
  const isNext = and(eq(heldSites.place, progress.place), eq(heldSites.after, progress.after))
  await settled(bookkeep({ db: target }, "a step of a move that is in the trail", through(held, writes, next, isNext)))
  return next
}

/** Whether a table's rows are told apart by one number. */
const isNumbered = (name: string): boolean => keyColumns(name).join() === "rowid"

/** The columns of each table. */
async function columnsOf(db: SiteDatabase): Promise<Map<string, string[]>> {
  const names = copiedTables()
  const answers = await batch(
    db,
    names.map((name) => db.select({ name: sql<string>`name` }).from(sql`pragma_table_info(${name})`)),
  )
  return new Map(names.map((name, index) => [name, (answers[index] ?? []).map((column) => column.name)]))
}

/** Rows as JSON texts, which the target takes apart again: what SQLite wrote it reads as it was. */
async function rowsAfter(db: SiteDatabase, storeId: string, name: string, columns: readonly string[], after: number) {
  const table = sql.identifier(name)
  // Named, because a result's columns are told apart by their names.
  const row = sql<string>`json_array(${list(columns)})`.as("row")
  const [rows] = await batch(db, [
    isNumbered(name)
      ? db
          .select({ row, key: sql<number>`rowid`.as("key") })
          .from(sql`${table}`)
          .where(sql`site_id = ${storeId} and rowid > ${after} and rowid <= ${lastRead(storeId, name, columns, after)}`)
          .orderBy(sql`rowid`)
      : db
          .select({ row, key: sql<number>`0`.as("key") })
          .from(sql`${table}`)
          .where(sql`site_id = ${storeId}`)
          .orderBy(list(keyColumns(name)))
          .limit(ROWS)
          .offset(after),
  ])
  return rows
}

/** The last row of a slice: that which makes it too long for one trip, or else the last of as many as are read at a time. */
function lastRead(storeId: string, name: string, columns: readonly string[], after: number): SQL {
  const lengths = columns.map((column) => sql`coalesce(length(${sql.identifier(column)}), 0)`)
  return sql`(select max(key) from (
    select key, sum(size) over (order by key rows between unbounded preceding and 1 preceding) as before from (
      select rowid as key, ${sql.join(lengths, sql` + `)} as size from ${sql.identifier(name)}
      where site_id = ${storeId} and rowid > ${after} order by rowid limit ${ROWS}))
    where before is null or before < ${MOST_READ})`
}

const list = (names: readonly string[]): SQL => sql.join(names.map(sql.identifier), sql`, `)

/** Texts of rows, put together as far as a statement takes them. */
function chunks(rows: readonly string[]): string[] {
  const found: string[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    if (size + row.length > MOST_GIVEN) {
      found.push([])
      size = 0
    }
    found.at(-1)?.push(row)
    size += row.length
  }
  return found.map((texts) => `[${texts.join()}]`)
}

function insertRows(name: string, columns: readonly string[], rows: string): Write {
  const values = columns.map((_, index) => sql`value ->> ${sql.raw(String(index))}`)
  return writeSql(
    sql`insert into ${sql.identifier(name)} (${list(columns)}) select ${sql.join(values, sql`, `)} from json_each(${rows})`,
  )
}

const forgetMade = (name: string, storeId: string): Write =>
  writeSql(sql`delete from ${sql.identifier(name)} where site_id = ${storeId}`)

/**
 * Compares what the two databases have of a store.
 * @throws Error naming the first table of which they do not have as many rows
 */
export async function assertSame(source: SiteDatabase, target: SiteDatabase, { storeId }: Held): Promise<void> {
  const counts = async (db: SiteDatabase) =>
    batch(
      db,
      copiedTables().map((name) =>
        db
          .select({ rows: sql<number>`count(*)` })
          .from(sql`${sql.identifier(name)}`)
          .where(sql`site_id = ${storeId}`),
      ),
    )
  const [there, here] = [await counts(source), await counts(target)]
  for (const [index, name] of copiedTables().entries()) {
    const [from, to] = [there[index]?.[0]?.rows, here[index]?.[0]?.rows]
    if (from !== to) throw new Error(`${name} has ${from} rows in the source and ${to} in the target`)
  }
}

/**
 * Takes a step in removing a store's rows from a database that holds it, and at the end the hold.
 * @returns whether all are gone
 */
export async function emptyOut(db: SiteDatabase, held: Held): Promise<boolean> {
  const [[mark]] = await batch(db, [db.select({ move: heldSites.move }).from(heldSites).where(holds(held))])
  // The hold goes last: where there is none, a run that died before it could say so was done.
  if (!mark) return true
  const names = [...copiedTables()].reverse()
  if (!(await deleteSiteRows(db, held.storeId, names, (write) => through(held, [write])))) return false
  await release(db, held)
  return true
}
