// Commits changes to the central database. A change, its audit entries and its events are one transaction, so none
// exists without the others. A decision that was made on an outdated state fails with WriteConflict and is made again
// (optimistic concurrency control).

import type { Results, Statement } from "../../db/client"
import { writesAllowed } from "../../db/deferred-writes"
import { isBatchAborted, isClaimLost, isSiteLocked, isStoreReplaced, isUniqueViolation } from "../../db/errors"
import { execute } from "../../db/execute"
import { isAnyInserted } from "../../db/reread"
import { abortUnlessTouched, type Write } from "../../db/write"
import type { NonEmpty } from "../../lib/non-empty"
import { jitter } from "../../lib/random"
import { recordSiteWrite } from "../cache/site-writes"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"
import { type AuditDraft, auditWrite, draftResource } from "./audit"
import { type EventDraft, eventWrite } from "./events"
import { commitOnce, countCommitted, isEntryCommitted, readLostResults } from "./lost-response"
import type { UnauditedReason } from "./unaudited"

/** An audit entry and the webhook events that announce it. */
export interface AuditRecord {
  audit: AuditDraft
  events?: EventDraft[]
}

/** At least one audit entry, or the reason for having none. */
export type AuditLog<Entry> = NonEmpty<Entry> | { readonly auditSkipped: UnauditedReason }

/** A decision, ready to be committed. */
export interface Change<Writes extends readonly Statement[] = readonly Statement[]> {
  /**
   * A compare-and-swap: an update or delete guarded by the version or status the decision was made on. If it touches no
   * row, another write was faster and the whole batch is aborted. A change of several rows has one for each.
   */
  guard?: Write | readonly Write[]
  /** Further writes, and reads of their results, that run after the guard. */
  writes?: Writes
  /** Audit entries in the order of events. */
  auditLog: AuditLog<AuditRecord>
  /** Writes that run last, such as a delete of the row that the audit entry refers to. */
  last?: readonly Write[]
}

/** The state changed between the read and the commit. */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict"
}

/**
 * Commits a change in one round trip, then creates the deliveries of its events in the background.
 * @returns the results of `writes`, in order. After a lost response, reading the rows that an update or delete returned
 *   throws the Refusal `temporarily_unavailable`; a caller that ignores them has made its change
 * @throws WriteConflict when the guard touched no row, or a unique row already existed; a transient error of the
 *   database when the change was not made
 */
export async function commit<const Writes extends readonly Statement[] = []>(
  ctx: Ctx,
  change: Change<Writes>,
): Promise<Results<Writes>> {
  if (ctx.isDryRun) {
    // Throws the refusal of a read-only context.
    await writesAllowed(ctx.db)
    throw new Error("A dry run must not commit")
  }
  const guard = [change.guard ?? []].flat().flatMap((write) => [write, abortUnlessTouched])
  const writes: readonly Statement[] = change.writes ?? []
  const records = auditEntriesOf(change.auditLog).flatMap(({ audit, events = [] }) => [
    auditWrite(ctx, audit),
    ...events.map((event) => eventWrite(ctx, event, "withLog" in event ? draftResource(ctx, audit) : undefined)),
  ])
  const statements = [...guard, ...writes, ...records, ...(ctx.withCommit?.() ?? []), ...(change.last ?? [])]
  const entries = auditEntriesOf(change.auditLog).map(({ audit }) => audit)
  const [first] = entries
  const send = () => toWriteConflict(execute(ctx.db, statements)).finally(() => recordSiteWrites(change.auditLog))
  const isCommitted = () => (first ? isEntryCommitted(ctx, first) : isAnyInserted(ctx.db, writes))
  const results = await commitOnce(send, isCommitted)
  countCommitted(ctx, entries)
  if (auditEntriesOf(change.auditLog).some(({ events }) => events?.length)) ctx.routeEvents()
  if (!results) return readLostResults(ctx.db, writes) as Promise<Results<Writes>>
  return results.slice(guard.length, guard.length + writes.length) as Results<Writes>
}

/**
 * Invalidates what this isolate caches of the sites that an audit log names. One that only the batch knows is not
 * cached.
 */
function recordSiteWrites(auditLog: AuditLog<AuditRecord>): void {
  for (const { audit } of auditEntriesOf(auditLog)) {
    const siteId = "storeId" in audit ? audit.storeId : audit.siteId
    if (typeof siteId === "string") recordSiteWrite(siteId)
  }
}

/** Returns the entries of an audit log; none when they are skipped. */
export const auditEntriesOf = <Entry>(auditLog: AuditLog<Entry>): readonly Entry[] =>
  "auditSkipped" in auditLog ? [] : auditLog

/** @throws WriteConflict or Refusal in place of the database error that signals it */
export async function toWriteConflict<Result>(batch: Promise<Result>): Promise<Result> {
  try {
    return await refuseLockedSite(batch)
  } catch (cause) {
    if (isClaimLost(cause)) throw new Refusal("idempotency_in_progress")
    if (!isBatchAborted(cause) && !isUniqueViolation(cause)) throw cause
    throw new WriteConflict("The state changed while it was being decided on", { cause })
  }
}

/** `Retry-After` in seconds for writes to a store whose site is being migrated. */
const SITE_LOCKED_RETRY_SECONDS = 30

/**
 * @throws Refusal `store_unavailable` while the site is locked for a migration, `not_found` when its store was deleted
 */
async function refuseLockedSite<Result>(batch: Promise<Result>): Promise<Result> {
  try {
    return await batch
  } catch (cause) {
    if (isStoreReplaced(cause)) throw new Refusal("not_found")
    throw isSiteLocked(cause) ? new Refusal("store_unavailable", { retryAfter: SITE_LOCKED_RETRY_SECONDS }) : cause
  }
}

/**
 * Runs writes that belong to no audited change: locks, leases, job progress, clean-ups.
 * @param _reason why no audit entry is needed; for the reader and the compiler
 * @returns the results, in order
 * @throws Refusal `store_unavailable` for a site that is being migrated
 */
export const writeUnaudited = <const Writes extends readonly Statement[]>(
  ctx: Pick<Ctx, "db">,
  _reason: UnauditedReason,
  writes: Writes,
): Promise<Results<Writes>> => refuseLockedSite(execute(ctx.db, writes))

/** One of several concurrent writers succeeds in each round, so this allows that many contenders before it gives up. */
const MAX_ATTEMPTS = 12

/** The upper bound of the random backoff grows by this many milliseconds per attempt. */
const BACKOFF_STEP_MS = 15

/**
 * Runs load, decide and commit again while it fails with WriteConflict, with jittered backoff.
 * @param work loads, decides and commits
 * @throws WriteConflict after the last attempt; any other error of `work` immediately
 */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (cause) {
      if (!(cause instanceof WriteConflict) || attempt === MAX_ATTEMPTS) throw cause
      // Jitter keeps concurrent writers from colliding again.
      await scheduler.wait(jitter(attempt * BACKOFF_STEP_MS))
    }
  }
}

/**
 * Starts a load before its result is needed, for `applyChange` or `retryOnConflict`.
 * @returns a loader whose first call returns the load in flight; every later call loads again
 */
export function prefetched<State>(load: () => Promise<State>): () => Promise<State> {
  let first: Promise<State> | null = load()
  // When the request is refused first, the load is never awaited: avoid an unhandled rejection.
  first.catch(() => undefined)
  return () => {
    const state = first ?? load()
    first = null
    return state
  }
}

/**
 * Runs an operation of `applyChange` without its commit, to show what it would do.
 * @param run calls the service function with a context that commits nothing
 * @returns the result that it would have
 * @throws Refusal as the operation would
 */
export const dryRun = async <Result>(ctx: Ctx, run: (ctx: Ctx) => Promise<Result>): Promise<Result> =>
  run({ ...ctx, isDryRun: true })

/**
 * Loads, decides and commits; repeats all three on a WriteConflict. A dry run does not commit.
 * @param decide returns the change or throws a Refusal; it gets a fresh state each time
 * @returns the `result` of `decide`, once its change is committed
 */
export const applyChange = <State, Result>(
  ctx: Ctx,
  load: () => Promise<State>,
  decide: (state: State) => { change?: Change; result: Result } | Promise<{ change?: Change; result: Result }>,
): Promise<Result> =>
  retryOnConflict(async () => {
    const decision = await decide(await load())
    if (decision.change && !ctx.isDryRun) await commit(ctx, decision.change)
    return decision.result
  })
