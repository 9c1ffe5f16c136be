// Gives the Worker databases that record every statement on a site database without a site (site-statements.ts), and
// every statement and result that exceeds a limit of D1, which fails the test (setup.ts). Statements of the tests
// themselves go to the bindings directly and are not checked.
import { env } from "cloudflare:workers"
import type { Env } from "../../src/bindings"
import { StatementLimitError } from "../../tools/faults/limits"
import { checkSiteStatement } from "./site-statements"
import { withTestFaults } from "./test-faults"

const violations = new Set<string>()
const checked = new Set<string>()

/** Returns the violations since the last call. The Worker may have caught the error, so a test has to ask. */
export function takeViolations(): string[] {
  const found = [...violations]
  violations.clear()
  return found
}

function check(sql: string): void {
  if (checked.has(sql)) return
  const { exceptions, problems } = checkSiteStatement(sql)
  if (exceptions.length && !problems.length) problems.push("names its site and needs no exception")
  else if (exceptions.length) problems.length = 0
  if (problems.length) violations.add(`${problems.join("; ")}: ${sql}`)
  else checked.add(sql)
}

/** Records the error of a binding at a statement that exceeds a limit of D1 (tools/faults/limits.ts). */
function recordLimitErrors<Result>(sql: string, call: () => Result): Result {
  try {
    return call()
  } catch (cause) {
    if (cause instanceof StatementLimitError) violations.add(`${cause}: ${sql.slice(0, 500)}`)
    throw cause
  }
}

type Prepares = Pick<D1Database, "prepare">

/** Prepares a statement that is checked before it runs. */
function prepareChecked(client: Prepares, sql: string, isSite: boolean): D1PreparedStatement {
  if (isSite) check(sql)
  const statement = recordLimitErrors(sql, () => client.prepare(sql))
  const bind = statement.bind.bind(statement)
  statement.bind = (...params) => recordLimitErrors(sql, () => bind(...params))
  return statement
}

/** Calls the binding on every use, so that spies of a test take effect. */
const checkDatabase = (database: D1Database, isSite: boolean): D1Database =>
  ({
    prepare: (sql) => prepareChecked(database, sql, isSite),
    batch: (statements) => database.batch(statements),
    withSession: (constraint) => {
      const session = database.withSession(constraint)
      return {
        prepare: (sql: string) => prepareChecked(session, sql, isSite),
        batch: (statements) => session.batch(statements),
        getBookmark: () => session.getBookmark(),
      } as D1DatabaseSession
    },
  }) as Pick<D1Database, "prepare" | "batch" | "withSession"> as D1Database

/** The bindings of the Worker under test, some of whose calls fail if FAULT_RATE is set. */
export function checkedEnv(settings: object = {}): Env {
  const bindings = withTestFaults(env)
  return {
    ...bindings,
    DB: checkDatabase(bindings.DB, false),
    SITES_1: checkDatabase(bindings.SITES_1, true),
    SITES_2: checkDatabase(bindings.SITES_2, true),
    WEBHOOKS_1: checkDatabase(bindings.WEBHOOKS_1, false),
    WEBHOOKS_2: checkDatabase(bindings.WEBHOOKS_2, false),
    ...settings,
  } as unknown as Env
}
