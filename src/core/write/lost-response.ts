// Handles commits whose response was lost. The database says whether such a commit took effect: its audit entries have
// the id of the request. If it did not, the same batch is committed again. If it did, its results are read again.
import { and, count, eq, isNull, SQL, sql } from "drizzle-orm"
import type { CentralDatabase, Results, SiteDatabase, Statement } from "../../db/client"
import { isTransient } from "../../db/errors"
import { readAgain } from "../../db/reread"
import { auditEntries } from "../../db/schema/central/audit"
import { jitter } from "../../lib/random"
import { countTransientError } from "../../lib/transient-errors"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"
import type { AuditDraft } from "./audit"

/** More entries than all requests can write between a commit and its check. */
const RECENT_ENTRIES = 10_000

/** Upper bound of the random wait before the check, in milliseconds. */
const MAX_BACKOFF_MS = 150

/** `Retry-After` in seconds when a change was made, but its result is unknown. */
const RETRY_SECONDS = 3

/**
 * Commits a batch, and once more if a transient error prevented it.
 * @param send commits the batch
 * @param isCommitted finds out whether it took effect; null when nothing tells
 * @returns the results; null when the batch took effect, and its response was lost
 * @throws errors of the first commit if they are not transient, or if it is unknown whether it took effect;
 *   else errors of the second one
 */
export async function commitOnce<Results>(
  send: () => Promise<Results>,
  isCommitted: () => Promise<boolean | null>,
): Promise<Results | null> {
  try {
    return await send()
  } catch (cause) {
    if (!isTransient(cause)) throw cause
    countTransientError("database")
    await scheduler.wait(jitter(MAX_BACKOFF_MS))
    const took = await isCommitted()
    if (took === null) throw cause
    return took ? null : send()
  }
}

/**
 * Reads the results of a commit whose response was lost.
 * @param db reads from the primary
 * @returns the results. Reading one that is unknown, such as the rows that an update returned, throws the Refusal
 *   `temporarily_unavailable`. A caller that ignores it has made its change
 * @throws errors of the database
 */
export async function readLostResults<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Results<Statements>> {
  const results = await readAgain(db, statements)
  return results.map((result) => result ?? UNKNOWN_RESULT) as Results<Statements>
}

/**
 * A result that nothing may read. The change has been made, so a retry with the same `Idempotency-Key` does not make it
 * again.
 */
const UNKNOWN_RESULT: unknown = new Proxy([], {
  get() {
    throw new Refusal("temporarily_unavailable", { retryAfter: RETRY_SECONDS })
  },
})

/** The audit entries that a request has committed. */
export type CommittedEntries = Map<string, number>

/** Counts entries as committed by this request. */
export function countCommitted({ committed }: Pick<Ctx, "committed">, entries: readonly AuditDraft[]): void {
  for (const entry of entries) committed.set(keyOf(entry), (committed.get(keyOf(entry)) ?? 0) + 1)
}

/** Entries are not indexed by request. A commit whose response was just lost is among the newest, if it took effect. */
const isRecent = sql`${auditEntries.id} > (select max(id) from audit_entries) - ${RECENT_ENTRIES}`

/** The request may have forwarded such an entry from a site database, which shows nothing about the commit. */
const isOwn = isNull(auditEntries.origin)

/** Whether the audit log has more such entries of this request than it has committed before. */
export async function isEntryCommitted(
  ctx: Pick<Ctx, "db" | "requestId" | "committed">,
  entry: AuditDraft,
): Promise<boolean> {
  const [found] = await ctx.db
    .select({ entries: count() })
    .from(auditEntries)
    .where(and(isRecent, isOwn, eq(auditEntries.requestId, ctx.requestId), isAbout(entry)))
  return (found?.entries ?? 0) > (ctx.committed.get(keyOf(entry)) ?? 0)
}

const keyOf = (entry: AuditDraft): string =>
  "storeId" in entry
    ? `${entry.storeId} ${entry.type}`
    : `${entry.subject}_${entry.action} ${entry.id instanceof SQL ? "" : entry.id}`

function isAbout(entry: AuditDraft): SQL | undefined {
  if ("storeId" in entry) return and(eq(auditEntries.storeId, entry.storeId), eq(auditEntries.type, entry.type))
  const type = eq(auditEntries.type, `${entry.subject}_${entry.action}`)
  // The id of a new subject is known to the database only.
  return entry.id instanceof SQL ? type : and(type, sql`${auditEntries.subjectId} = ${String(entry.id)}`)
}
