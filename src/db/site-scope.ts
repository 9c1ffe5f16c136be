// Builds statements on the rows of one site. A scope sets `site_id` in every row that it inserts and adds a condition
// on it to every other statement. `acrossSites` is the named exception for maintenance.
import { and, eq, is, type Placeholder, type SQL, sql, Table } from "drizzle-orm"
import type { DrizzleD1Database } from "drizzle-orm/d1"
import type { SelectedFields, SQLiteInsertValue, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { SiteTable } from "./schema/site-table"
import {
  buildInsert,
  buildInsertSelect,
  buildRemove,
  buildUpdate,
  type Insert,
  type Returning,
  type SelectedValues,
  type UpdateValues,
} from "./write"

/** Work on the rows of all sites of a database, and the reason why it cannot name a site. */
const EXCEPTIONS = {
  account_mails: "sends the account mails of every site",
  app_key: "encrypts the secrets of every site with the current key",
  backup_changes: "finds the stores that have changed since their last backup",
  audit_outbox: "forwards the audit entries of sites whose Worker died after the response",
  due_notifications: "finds scheduled and stalled notifications of every site",
  id_ranges: "raises the sequences of a database, which all sites share",
  media_sweep: "finds deleted folders and abandoned uploads of every site",
  notification_jobs: "finds the notification of a queue message, which names no site",
  restored_ids: "finds row ids of a backup that another site uses",
  unpaid_orders: "finds expired orders of every site",
  usage_counts: "counts the usage of a list of sites",
  user_search: "finds the accounts of an email address at every site",
} as const

/** The name of an exception. */
type Exception = keyof typeof EXCEPTIONS

/** The rows that statements concern. */
export interface Scope {
  /** The condition that limits a table to these rows. */
  condition(table: SiteTable): SQL
  /** The same for a table whose rows are found by id. It uses no index of the site. */
  joinCondition(table: SiteTable): SQL
}

/** A condition on the rows of the scope; `all` when there is no other. */
interface ScopedWhere<Next> {
  /** @throws Error when the condition is undefined, which `and(undefined, …)` also yields */
  where(condition: SQL | undefined): Next
  /** Every row of the scope. */
  all(): Next
}

/** Builds changes of rows; see `db/write.ts`. */
interface Changes extends Scope {
  update<T extends SiteTable>(table: T): { set(values: Omit<UpdateValues<T>, "siteId">): ScopedWhere<Returning<T>> }
  remove<T extends SiteTable>(table: T): ScopedWhere<Returning<T>>
}

type Values<T extends SiteTable> = Omit<SQLiteInsertValue<T>, "siteId">

/** The rows of one site. */
export interface SiteScope extends Changes {
  insert<T extends SiteTable>(table: T): { values(rows: Values<T> | Values<T>[]): Insert<T> }
  insertSelect<T extends SiteTable>(table: T, values: Omit<SelectedValues<T>, "siteId">, from: SQL): Insert<T>
}

/** The rows of all sites. New rows belong to one site, so `inSite` builds their inserts. */
export interface AcrossSites extends Changes {
  readonly exception: Exception
  /** A condition that every row meets. It marks a handwritten statement as an exception. */
  readonly always: SQL
}

const scopedWhere = <Next>(own: SQL, statement: { where(condition: SQL | undefined): Next }): ScopedWhere<Next> => ({
  where(condition) {
    if (!condition) throw new Error("A write without a condition would change every row")
    return statement.where(and(own, condition))
  },
  all: () => statement.where(own),
})

const changes = (condition: Scope["condition"], joinCondition = condition): Changes => ({
  condition,
  joinCondition,
  update: <T extends SiteTable>(table: T) => ({
    set: (values: Omit<UpdateValues<T>, "siteId">) =>
      scopedWhere(condition(table), buildUpdate(table, values as UpdateValues<T>)),
  }),
  remove: (table) => scopedWhere(condition(table), buildRemove(table)),
})

/**
 * Limits statements to the rows of one site.
 * @param siteId a store's id, or `central`; a `param` in a prepared statement
 */
export const inSite = (siteId: string | Placeholder): SiteScope => scopeOf(siteId, (table) => eq(table.siteId, siteId))

/**
 * Limits statements that find rows by id, or by a subquery of ids, to the rows of one site. The unary plus keeps SQLite
 * from reading all rows of the site by an index instead.
 */
export const inSiteById = (siteId: string): SiteScope => scopeOf(siteId, byId(siteId))

const byId =
  (siteId: string | Placeholder) =>
  (table: SiteTable): SQL =>
    sql`+${table.siteId} = ${siteId}`

const scopeOf = (siteId: string | Placeholder, condition: Scope["condition"]): SiteScope => ({
  ...changes(condition, byId(siteId)),
  insert: <T extends SiteTable>(table: T) => ({
    values: (rows: Values<T> | Values<T>[]) => {
      const own = (row: Values<T>) => ({ ...row, siteId }) as unknown as SQLiteInsertValue<T>
      return buildInsert(table).values(Array.isArray(rows) ? rows.map(own) : own(rows))
    },
  }),
  insertSelect: <T extends SiteTable>(table: T, values: Omit<SelectedValues<T>, "siteId">, from: SQL) =>
    buildInsertSelect(table, { ...values, siteId } as unknown as SelectedValues<T>, from),
})

/**
 * Allows statements on the rows of all sites. They carry the name as a comment, so that tests accept them.
 * @param name an entry of `EXCEPTIONS`, which states the reason
 */
export function acrossSites(name: Exception): AcrossSites {
  const always = sql.raw(`/* across sites: ${name} */ true`)
  return { ...changes(() => always), exception: name, always }
}

type Selecting = Pick<DrizzleD1Database, "select" | "selectDistinct">

/** The parts of Drizzle's select that the scope wraps. */
interface Select {
  where(condition: SQL | undefined): Select
  innerJoin(table: unknown, on: SQL): Select
  leftJoin(table: unknown, on: SQL): Select
  crossJoin(table: unknown): Select
  rightJoin(table: unknown, on: SQL): Select
  fullJoin(table: unknown, on: SQL): Select
}

class FoundById {
  readonly table: SiteTable

  constructor(table: SiteTable) {
    this.table = table
  }
}

/**
 * Names a table in `from` whose rows the select finds by a subquery of ids. The condition on the site uses no index, so
 * SQLite looks up the ids.
 */
export const foundById = <T extends SiteTable>(table: T): T => new FoundById(table) as unknown as T

/** Returns a handle whose selects are limited to the scope: its tables, and those that they join. */
export function limitSelects(database: Selecting, scope: Scope): Selecting {
  const wrap = (method: keyof Selecting) =>
    ((fields: SelectedFields) => ({
      from: (source: SQLiteTable | FoundById) => {
        const table = source instanceof FoundById ? source.table : source
        const own = is(table, Table)
          ? (source === table ? scope.condition : scope.joinCondition)(table as SiteTable)
          : undefined
        return limitSelect(database[method](fields).from(table) as unknown as Select, own, scope.joinCondition)
      },
    })) as never
  return { select: wrap("select"), selectDistinct: wrap("selectDistinct") }
}

function limitSelect(query: Select, own: SQL | undefined, joinCondition: Scope["joinCondition"]): Select {
  const conditions = [own]
  const joined = (table: unknown) => (is(table, Table) ? joinCondition(table as SQLiteTable as SiteTable) : undefined)
  const where = query.where.bind(query)
  const { innerJoin, leftJoin, crossJoin } = query
  query.where = (condition) => where(and(...conditions, condition))
  query.innerJoin = (table, on) => innerJoin(table, and(joined(table), on) as SQL)
  query.leftJoin = (table, on) => leftJoin(table, and(joined(table), on) as SQL)
  // These also return rows of the other table that match none of this one, so no condition could limit them.
  query.rightJoin = query.fullJoin = () => {
    throw new Error("A select of a site has inner, left and cross joins only")
  }
  query.crossJoin = (table) => {
    conditions.push(joined(table))
    return crossJoin(table)
  }
  return own ? query.where(undefined) : query
}
