// The one way to change something: load, decide, commit, after. A change, its audit entries and its events are one
// transaction, so none of them can exist without the others; what was decided on a state that has moved on is decided again.
import { type Answers, execute, type Statement } from "../../db/client"
import { isAborted, isSiteLocked, isReplaced, isUnique } from "../../db/errors"
import { abortUnlessTouched, type Write } from "../../db/write"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"
import { dispatch } from "../queue/dispatch"
import type { DeliveryMessage } from "../queue/messages"
import { type AuditDraft, auditWrite, draftResource } from "./audit"
import { type EventDraft, eventWrites } from "./events"

/** One line of the trail, and what those who listen are told of it. */
export interface AuditRecord {
  audit: AuditDraft
  events?: EventDraft[]
}

/** Why a change leaves no entry: what it belongs to tells of it. */
interface AuditSkipped {
  readonly auditSkipped: string
}

/** A decision, ready to be committed. */
export interface Change<Writes extends readonly Statement[] = readonly Statement[]> {
  /** The write the decision stands on: an update or delete guarded by the version or status it was decided on. When it touches
   * no row, somebody was faster and nothing at all is written. */
  guard?: Write
  /** What else is written once the guard held, and reads of what it made. */
  writes?: Writes
  /** In the order in which it happened; or why there is nothing to tell. */
  trail: readonly AuditRecord[] | AuditSkipped
  /** What is written last; a delete, whose trail still needs the row. */
  last?: readonly Write[]
}

/** The state a change was decided on is no longer the state. */
export class WriteConflict extends Error {
  override readonly name = "LostRace"
}

/**
 * Commits a decision in one round trip, then sends the new webhook deliveries to the queue.
 * @returns the answers of `writes`, in order
 * @throws LostRace when the guard touched no row, or a row that must be unique was there already
 */
export async function commit<const Writes extends readonly Statement[] = []>(
  ctx: Ctx,
  change: Change<Writes>,
): Promise<Answers<Writes>> {
  const guard = change.guard ? [change.guard, abortUnlessTouched] : []
  const writes: readonly Statement[] = change.writes ?? []
  const records = auditRecordsOf(change).flatMap(({ audit, events = [] }) => [
    auditWrite(ctx, audit),
    ...events.flatMap((event) => eventWrites(ctx, event, event.withLog ? draftResource(ctx, audit) : undefined)),
  ])
  const answers = await settled(
    execute(ctx.db, [...guard, ...writes, ...records, ...(change.last ?? []), ...(ctx.withCommit?.() ?? [])]),
  )
  const begin = guard.length
  const recorded = answers.slice(begin + writes.length, begin + writes.length + records.length)
  dispatch(ctx, recorded.flatMap(opened))
  return answers.slice(begin, begin + writes.length) as Answers<Writes>
}

/** @throws Error for a change that neither tells of itself nor says why not */
function auditRecordsOf({ trail }: Pick<Change, "trail">): readonly AuditRecord[] {
  if ("untold" in trail) return []
  if (!trail.length) throw new Error("A change without a trail")
  return trail
}

/** @throws LostRace, or a Refusal, in place of the fault that says so */
export async function settled<Answer>(batch: Promise<Answer>): Promise<Answer> {
  try {
    return await unlessHeld(batch)
  } catch (cause) {
    if (!isAborted(cause) && !isUnique(cause)) throw cause
    throw new WriteConflict("The state changed while it was being decided on", { cause })
  }
}

/** Seconds after which a write to a store that is being moved is worth another try. */
const HELD_RETRY = 30

/** @throws Refusal `store_unavailable` where a site is held in its database, `not_found` where its store was deleted */
async function unlessHeld<Answer>(batch: Promise<Answer>): Promise<Answer> {
  try {
    return await batch
  } catch (cause) {
    if (isReplaced(cause)) throw new Refusal("not_found")
    throw isSiteLocked(cause) ? new Refusal("store_unavailable", { retryAfter: HELD_RETRY }) : cause
  }
}

/**
 * Writes what nobody asked for and nobody is told of: a lock, a lease, a result that settles, a clean-up. It leaves no trail.
 * @param reason why this is no change of anybody's; for the reader
 * @returns the answers, in order
 * @throws Refusal `store_unavailable` for a site that is being moved
 */
export const writeUnaudited = <const Writes extends readonly Statement[]>(
  ctx: Pick<Ctx, "db">,
  _reason: string,
  writes: Writes,
): Promise<Answers<Writes>> => unlessHeld(execute(ctx.db, writes))

/** Of several that change one thing at once, each round one gets through: enough rounds for a crowd, and then an end. */
const ATTEMPTS = 12

/** Milliseconds by which the longest pause grows from one attempt to the next. */
const PAUSE = 15

/**
 * Does a piece of work, again from the start when another change was faster.
 * @param work loads, decides and commits
 */
export async function retryOnConflict<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (cause) {
      if (!(cause instanceof WriteConflict) || attempt === ATTEMPTS) throw cause
      // Chance spreads out those who would otherwise meet again.
      await scheduler.wait(Math.random() * attempt * PAUSE)
    }
  }
}

/**
 * Begins a load before it is known whether its answer is wanted, for `change` or `untilSettled`.
 * @returns the load: its first call answers what is on its way, each later one loads anew
 */
export function prefetched<State>(load: () => Promise<State>): () => Promise<State> {
  let first: Promise<State> | null = load()
  // Where somebody is refused meanwhile, nobody asks what came of it.
  first.catch(() => undefined)
  return () => {
    const state = first ?? load()
    first = null
    return state
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
  retryOnConflict(async () => {
    const decision = await decide(await load())
    if (decision.change) await commit(ctx, decision.change)
    return decision.answer
  })

/** What the queue is told of the deliveries that a statement opened; nothing for any other statement. */
const opened = (answer: unknown): DeliveryMessage[] =>
  Array.isArray(answer)
    ? answer.map(({ id, endpoint }: { id: number; endpoint: number }) => ({ delivery: id, endpoint }))
    : []
