// Injects database faults before or after an operation takes effect.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import { interceptRoundTrips } from "./round-trips"
import { pauseFaults } from "./test-faults"

/** `before`: the operation did not run. `after`: it ran, and the response was lost. */
export type Fault = "before" | "after" | null

/**
 * Makes batches of the central database fail.
 * @param decide called before each batch with its number of statements
 */
export function failBatches(decide: (statements: number) => Fault) {
  pauseFaults()
  const prototype = Object.getPrototypeOf(env.DB) as D1Database
  const batch = prototype.batch
  return vi.spyOn(prototype, "batch").mockImplementation(async function (this: D1Database, statements) {
    const fault = decide(statements.length)
    if (fault === "before") throw new Error("D1_ERROR: network connection lost")
    const results = await batch.call(this, statements)
    if (fault === "after") throw new Error("D1_ERROR: network connection lost")
    // biome-ignore lint/suspicious/noExplicitAny: results are passed through
    return results as any
  })
}

/**
 * Makes round trips to either database fail, in statements, batches and sessions.
 * @param decide called before each round trip with the SQL of its statements
 * @param text the error message
 */
export const failRoundTrips = (
  decide: (statements: string[]) => Fault,
  text = "D1_ERROR: network connection lost",
): MockInstance =>
  interceptRoundTrips(async (send, statements) => {
    const fault = decide(statements)
    if (fault === "before") throw new Error(text)
    const result = await send()
    if (fault === "after") throw new Error(text)
    return result
  })

/** Returns the keywords of a statement, each once, without its names, lists and values. */
function getStatementKind(sql: string): string {
  const withoutNames = sql.replace(/["`][\w~]+["`]|'[^']*'|\?\d*|\d+/g, "")
  const getOuter = (text: string): string => {
    const outer = text.replace(/\([^()]*\)/g, "")
    return outer === text ? text : getOuter(outer)
  }
  return [...new Set(getOuter(withoutNames).match(/[\w>]+/g))].join(" ")
}

/** Kinds of round trips that fail in one repetition of the work. */
const KINDS_PER_REPETITION = 4

/**
 * Repeats work with a few kinds of round trips at a time, each of which fails twice: the first of the kind before it
 * takes effect, and the last one after it. The pages of a copy, or the copies of two tables, are of one kind.
 * @param work runs all of the work, again after a failure, with the faults that `decide` returns for its round trips
 * @returns the number of kinds that failed twice
 */
export async function failEachKindOfRoundTrip(
  work: (decide: (statements: string[]) => Fault, label: string) => Promise<void>,
): Promise<number> {
  const getKind = (statements: string[]) => [...new Set(statements.map(getStatementKind))].join("; ")
  const totals = new Map<string, number>()
  await work((statements) => {
    const kind = getKind(statements)
    totals.set(kind, (totals.get(kind) ?? 0) + 1)
    return null
  }, "no fault")
  const kinds = [...totals.keys()]
  const repetitions = Math.ceil(kinds.length / KINDS_PER_REPETITION)
  let failed = 0
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const group = kinds.filter((_, index) => index % repetitions === repetition)
    const made = new Map(group.map((kind) => [kind, 0]))
    // A single one is repeated after it failed.
    const getLast = (kind: string) => Math.max(totals.get(kind) ?? 0, 2)
    await work((statements) => {
      const kind = getKind(statements)
      const before = made.get(kind)
      if (before === undefined) return null
      made.set(kind, before + 1)
      if (before === 0) return "before"
      return before + 1 === getLast(kind) ? "after" : null
    }, group.join(", "))
    failed += group.filter((kind) => (made.get(kind) ?? 0) >= getLast(kind)).length
  }
  return failed
}

/**
 * Makes every other round trip to a table fail, so that each succeeds when it is retried once.
 * @param statement part of the SQL, such as `update "mails"`
 */
export function failEveryOther(statement: string, fault: Fault): MockInstance {
  let matching = 0
  return interceptRoundTrips(async (send, statements) => {
    const fails = statements.some((sql) => sql.includes(statement)) && matching++ % 2 === 0
    if (fails && fault === "before") throw new Error("D1_ERROR: network connection lost")
    const result = await send()
    if (fails && fault === "after") throw new Error("D1_ERROR: network connection lost")
    return result
  })
}

/**
 * Makes write batches of the next content API request fail.
 * @param nth the number of the first failing batch within the request, from 1
 * @param times how many batches fail; all later ones by default
 */
export function failNextSiteWrites(nth = 1, times = Number.POSITIVE_INFINITY) {
  pauseFaults()
  const withSession = env.SITES_1.withSession.bind(env.SITES_1)
  return vi.spyOn(env.SITES_1, "withSession").mockImplementationOnce((constraint) => {
    const session = withSession(constraint)
    const batch = session.batch.bind(session)
    let batches = 0
    vi.spyOn(session, "batch").mockImplementation(async (statements) => {
      if (++batches >= nth && batches < nth + times) throw new Error("D1_ERROR: network connection lost")
      // biome-ignore lint/suspicious/noExplicitAny: results are passed through
      return (await batch(statements)) as any
    })
    return session
  })
}

/** Makes every query of the given databases fail. */
export function takeDown(...databases: D1Database[]) {
  pauseFaults()
  const spies = databases.flatMap((database) => {
    const fail = (): never => {
      throw new Error("D1_ERROR: network connection lost")
    }
    const prepare = vi.spyOn(database, "prepare").mockImplementation(fail)
    const session = vi
      .spyOn(database, "withSession")
      .mockImplementation(() => ({ prepare: fail, batch: async () => fail(), getBookmark: () => null }) as never)
    return [prepare, session, vi.spyOn(database, "batch").mockImplementation(async () => fail())]
  })
  return { restore: () => spies.forEach((spy) => void spy.mockRestore()) }
}
