// The rows of a store in the two databases of a move. Both hold the store while it is copied, so that neither changes under the copy; how
// far the copy has come stands in the target and moves with the rows, in one transaction: whoever goes on, goes on from there.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { writeUnaudited, settled } from "../../core/write/commit"
import { batch, type SiteDatabase } from "../../db/client"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { heldSites } from "../../db/schema/sites/site-locks"
import { keyColumns } from "../../db/site-tables"
import { abortUnlessTouched, insert, remove, update, type Write, writeSql } from "../../db/write"
import { deleteSiteRows } from "../stores/delete-site-rows"
import { allSiteTables } from "../stores/site-tables"

/** A store that is moved, and the move that holds it. */
export interface Held {
  storeId: string
  move: string
}

/** Rows of a table that are read at a time. */
const ROWS = 200

/** Characters after which no further row of a table is read in one trip, and those that one statement is given of them: an isolate has 128 MB. */
const MOST_READ = 2_000_000
const MOST_GIVEN = 500_000

/** Tables that are compared at a time. */
const COMPARED = 4

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
  await writeUnaudited({ db }, "a move's hold, whose beginning is in the trail", [
    insert(heldSites)
      .values({ siteId: storeId, ...mark })
      .onConflictDoUpdate({ target: heldSites.siteId, set: mark, setWhere: sql`${heldSites.move} <> ${move}` }),
  ])
}

/** Removes the mark of an earlier store of the name from the target, unless the move holds it: the store's own is copied. */
export async function removeEarlierMark(target: SiteDatabase, { storeId }: Held): Promise<void> {
  const isHeld = sql`exists (select 1 from ${heldSites} where ${heldSites.siteId} = ${storeId})`
  await writeUnaudited({ db: target }, "the mark of a store that was deleted", [
    remove(siteIncarnations).where(and(eq(siteIncarnations.siteId, storeId), sql`not ${isHeld}`)),
  ])
}

/** Lets a store be written again. */
export async function release(db: SiteDatabase, held: Held): Promise<void> {
  await writeUnaudited({ db }, "a move's hold, whose end is in the trail", [remove(heldSites).where(holds(held))])
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
  /** In `copiedTables`, which are gone through twice: copied, then compared. */
  place: number
  /** The last row's key, or how many rows where the key is no number. */
  after: number
}

/** The two databases do not have the same of a store. */
export class CopyDiffers extends Error {
  override readonly name = "CopyDiffers"
  readonly table: string

  constructor(table: string) {
    super(`the rows of ${table} are not those of the source`)
    this.table = table
  }
}

interface Table {
  name: string
  columns: readonly string[]
}

/**
 * Copies rows of a store from where the copy has come to, and compares each with the source's once all are there.
 * @param end when to stop, in milliseconds since 1970
 * @returns whether all are there and the same
 * @throws CopyDiffers
 */
export async function copyOn(source: SiteDatabase, target: SiteDatabase, held: Held, end: number): Promise<boolean> {
  const [[begun]] = await batch(target, [
    target.select({ place: heldSites.place, after: heldSites.after }).from(heldSites).where(holds(held)),
  ])
  if (!begun) throw new Error("the target does not hold the store")
  const tables = await tablesOf(source)
  for (let progress: Progress = begun; progress.place < 2 * tables.length; ) {
    if (Date.now() >= end) return false
    const step = progress.place < tables.length ? copyRows : compareRows
    progress = await step(source, target, held, tables.slice(progress.place % tables.length), progress)
  }
  return true
}

/** Copies the next rows of the first of the tables. */
async function copyRows(
  source: SiteDatabase,
  target: SiteDatabase,
  held: Held,
  [table]: readonly Table[],
  progress: Progress,
): Promise<Progress> {
  if (!table) throw new Error("there is no table to copy")
  const [rows = []] = await rowsAfter(source, held, [table], progress.after)
  const writes = chunks(rows.map(({ row }) => row)).map((chunk) => insertRows(table, chunk))
  // The triggers made rows, and may have made some that the source does not have.
  if (MADE.includes(table.name) && progress.after === 0) writes.unshift(forgetMade(table.name, held.storeId))
  return takeStep(target, held, progress, behind(progress, [table], [rows]), writes)
}

/** Compares the next rows of some of the tables: what was copied may have been changed by a trigger, or have stood there before. */
async function compareRows(
  source: SiteDatabase,
  target: SiteDatabase,
  held: Held,
  tables: readonly Table[],
  progress: Progress,
): Promise<Progress> {
  const some = tables.slice(0, COMPARED)
  const [there, here] = await Promise.all([
    rowsAfter(source, held, some, progress.after),
    rowsAfter(target, held, some, progress.after),
  ])
  const other = some.find((_, index) => JSON.stringify(there[index]) !== JSON.stringify(here[index]))
  if (other) throw new CopyDiffers(other.name)
  return takeStep(target, held, progress, behind(progress, some, there))
}

/** Where the copy has come to behind these rows: at the first table that may have more of them, or behind them all. */
function behind({ place, after }: Progress, tables: readonly Table[], read: readonly (readonly Row[])[]): Progress {
  const index = read.findIndex(isCut)
  const [table, rows] = [tables[index], read[index]]
  if (!table || !rows) return { place: place + tables.length, after: 0 }
  const counted = (index === 0 ? after : 0) + rows.length
  return { place: place + index, after: isNumbered(table.name) ? (rows.at(-1)?.key ?? 0) : counted }
}

/** Whether there may be more behind rows that were read. */
const isCut = (rows: readonly Row[]): boolean =>
  rows.length === ROWS || rows.reduce((sum, { row }) => sum + row.length, 0) >= MOST_READ

async function takeStep(
  target: SiteDatabase,
  held: Held,
  from: Progress,
  to: Progress,
  writes: readonly Write[] = [],
): Promise<Progress> {
  const isNext = and(eq(heldSites.place, from.place), eq(heldSites.after, from.after))
  await settled(writeUnaudited({ db: target }, "a step of a move that is in the trail", through(held, writes, to, isNext)))
  return to
}

/** Whether a table's rows are told apart by one number. */
const isNumbered = (name: string): boolean => keyColumns(name).join() === "rowid"

/** What is copied, with the columns of each. */
async function tablesOf(db: SiteDatabase): Promise<Table[]> {
  const names = copiedTables()
  const answers = await batch(
    db,
    names.map((name) => db.select({ name: sql<string>`name` }).from(sql`pragma_table_info(${name})`)),
  )
  return names.map((name, index) => ({ name, columns: (answers[index] ?? []).map((column) => column.name) }))
}

/** A row as a JSON text, and the number it has where it has one. */
interface Row {
  row: string
  key: number
}

/**
 * Rows of each table as texts, which the target takes apart again: what SQLite wrote it reads as it was.
 * @param after where the first of the tables was left; the others begin
 */
const rowsAfter = (db: SiteDatabase, { storeId }: Held, tables: readonly Table[], after: number): Promise<Row[][]> =>
  batch(
    db,
    tables.map((table, index) => nextRows(db, storeId, table, index === 0 ? after : 0)),
  )

function nextRows(db: SiteDatabase, storeId: string, { name, columns }: Table, after: number) {
  const table = sql.identifier(name)
  // Named, because a result's columns are told apart by their names.
  const row = sql<string>`json_array(${list(columns)})`.as("row")
  return isNumbered(name)
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
        .offset(after)
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

function insertRows({ name, columns }: Table, rows: string): Write {
  const values = columns.map((_, index) => sql`value ->> ${sql.raw(String(index))}`)
  return writeSql(
    sql`insert into ${sql.identifier(name)} (${list(columns)}) select ${sql.join(values, sql`, `)} from json_each(${rows})`,
  )
}

const forgetMade = (name: string, storeId: string): Write =>
  writeSql(sql`delete from ${sql.identifier(name)} where site_id = ${storeId}`)

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
