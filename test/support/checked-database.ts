// Gives the Worker site databases that record every statement without a site (site-statements.ts), which fails the test
// (setup.ts). Statements of the tests themselves go to the bindings directly and are not checked.
import { env } from "cloudflare:workers"
import type { Env } from "../../src/bindings"
import { checkSiteStatement } from "./site-statements"

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

/** Calls the binding on every use, so that spies of a test take effect. */
const checkDatabase = (database: D1Database): D1Database =>
  ({
    prepare: (sql) => {
      check(sql)
      return database.prepare(sql)
    },
    batch: (statements) => database.batch(statements),
    withSession: (constraint) => {
      const session = database.withSession(constraint)
      return {
        prepare: (sql: string) => {
          check(sql)
          return session.prepare(sql)
        },
        batch: (statements) => session.batch(statements),
        getBookmark: () => session.getBookmark(),
      } as D1DatabaseSession
    },
  }) as Pick<D1Database, "prepare" | "batch" | "withSession"> as D1Database

/** The bindings of the Worker under test. */
export const checkedEnv = (settings: object = {}): Env =>
  ({
    ...env,
    SITES_1: checkDatabase(env.SITES_1),
    SITES_2: checkDatabase(env.SITES_2),
    ...settings,
  }) as unknown as Env
