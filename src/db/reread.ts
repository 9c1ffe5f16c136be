// Finds out what a transaction did whose response was lost: its reads run again, and a row that it inserted is found by
// the values it was inserted with.
import { type CentralDatabase, isRead, type Read, runReads, type SiteDatabase, type Statement } from "./connection"
import { selectInserted } from "./write"

type Database = CentralDatabase | SiteDatabase

const selectInsertedRow = (statement: Statement): Read | null => selectInserted(statement) as Read | null

/**
 * Reads the results of committed statements again, in one round trip.
 * @returns the results in order; `undefined` for one that is unknown, such as the rows that an update returned
 * @throws errors of D1
 */
export async function readAgain(
  db: Database,
  statements: readonly Statement[],
): Promise<(readonly unknown[] | undefined)[]> {
  const rereads = statements.map((statement) => (isRead(statement) ? statement : selectInsertedRow(statement)))
  const results = await runReads(
    db,
    rereads.filter((read) => read !== null),
  )
  return statements.map((statement, index) => {
    const rows = rereads[index] ? results.shift() : undefined
    // Another request may have changed or deleted an inserted row since.
    return rows?.length || isRead(statement) ? rows : undefined
  })
}

/**
 * Finds out whether a transaction took effect, by the rows that it inserts.
 * @returns null when it inserts no recognizable row
 * @throws errors of D1
 */
export async function isAnyInserted(db: Database, statements: readonly Statement[]): Promise<boolean | null> {
  const reads = statements.map(selectInsertedRow).filter((read) => read !== null)
  return reads.length ? (await runReads(db, reads)).some((rows) => rows.length > 0) : null
}
