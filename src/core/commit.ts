// The one way to change something: load, decide, commit, after. A change, its audit entries and its events are one
// transaction, so none of them can exist without the others; what was decided on a state that has moved on is decided again.
import { sql } from "drizzle-orm"
import { batch, type Statement } from "../db/client"
import { type AuditDraft, auditStatement, draftResource } from "./audit"
import type { Ctx } from "./context"
import { dispatch } from "./dispatch"
import { type EventDraft, eventStatements } from "./events"

/** Something that happened, for the trail and for those who listen. */
export interface Happening {
  audit?: AuditDraft
  events?: EventDraft[]
}

/** A decision, ready to be committed. */
export interface Change {
  /** The statement the decision stands on: an update or delete guarded by the version or status it was decided on. When it
   * touches no row, somebody was faster and nothing at all is written. */
  guard?: Statement
  /** What else is written once the guard held. */
  writes?: Statement[]
  /** In the order in which it happened. */
  happenings?: Happening[]
  /** What is written last; a delete, whose audit entry still needs the row. */
  last?: Statement[]
}

/** The state a change was decided on is no longer the state. */
export class LostRace extends Error {
  override readonly name = "LostRace"
}

/**
 * Commits a decision in one round trip, then sends the new webhook deliveries to the queue.
 * @returns the answers of `guard` and `writes`, in order
 * @throws LostRace when the guard touched no row, or a row that must be unique was there already
 */
export async function commit(ctx: Ctx, change: Change): Promise<unknown[]> {
  const writes = change.guard ? [change.guard, orAbort(ctx), ...(change.writes ?? [])] : [...(change.writes ?? [])]
  const records = (change.happenings ?? []).flatMap(({ audit, events = [] }) => [
    ...(audit ? [auditStatement(ctx, audit)] : []),
    ...events.flatMap((event) =>
      eventStatements(ctx, event, event.withLog && audit ? draftResource(ctx, audit) : undefined),
    ),
  ])
  let answers: unknown[]
  try {
    answers = await batch(ctx.db, [...writes, ...records, ...(change.last ?? []), ...(ctx.withCommit?.() ?? [])])
  } catch (cause) {
    if (isLostRace(cause)) throw new LostRace("The state changed while it was being decided on", { cause })
    throw cause
  }
  const recorded = answers.slice(writes.length, writes.length + records.length)
  dispatch(ctx, recorded.flatMap(deliveryIds))
  return change.guard ? [answers[0], ...answers.slice(2, writes.length)] : answers.slice(0, writes.length)
}

/** Of several that change one thing at once, each round one gets through: enough rounds for a crowd, and then an end. */
const ATTEMPTS = 12

/** Milliseconds by which the longest pause grows from one attempt to the next. */
const PAUSE = 15

/**
 * Does a piece of work, again from the start when another change was faster.
 * @param work loads, decides and commits
 */
export async function untilSettled<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (cause) {
      if (!(cause instanceof LostRace) || attempt === ATTEMPTS) throw cause
      // Chance spreads out those who would otherwise meet again.
      await scheduler.wait(Math.random() * attempt * PAUSE)
    }
  }
}

/**
 * Loads, decides and commits, again from the start when another change was faster.
 * @param decide answers the change, or throws a Refusal; it sees a fresh state each time
 * @returns what `decide` wants answered once its change is committed
 */
export const change = <State, Answer>(
  ctx: Ctx,
  load: () => Promise<State>,
  decide: (state: State) => { change?: Change; answer: Answer } | Promise<{ change?: Change; answer: Answer }>,
): Promise<Answer> =>
  untilSettled(async () => {
    const decision = await decide(await load())
    if (decision.change) await commit(ctx, decision.change)
    return decision.answer
  })

/** Aborts the batch when the statement before it touched no row. */
const orAbort = (ctx: Ctx): Statement =>
  ctx.db.run(sql`insert into abort_batch select 'lost_race' where changes() = 0`) as unknown as Statement

function isLostRace(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (/LOST_RACE|UNIQUE constraint failed/.test(error.message)) return true
  }
  return false
}

/** The ids in the answer of a statement that opened deliveries; nothing for any other statement. */
const deliveryIds = (answer: unknown): number[] =>
  Array.isArray(answer) ? answer.map((row: { id: number }) => row.id) : []
