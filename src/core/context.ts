// Creates the context that every service function receives. Routes, queue messages, cron jobs and console pages each
// create one, so the same function serves all of them.

import { type CentralDatabase, centralDatabase } from "../db/client"
import type { Interface } from "../db/schema/central/audit"
import type { Write } from "../db/write"
import { type Bindings, type Settings, settingsOf } from "../env"
import { currentTime } from "../lib/clock"
import { Semaphore } from "../lib/semaphore"
import { ulid } from "../lib/ulid"
import { JobRun } from "./job-run"
import { createLog, type Log } from "./log"
import { type Actor, SYSTEM } from "./write/actor"
import { routeInBackground } from "./write/event-router"
import type { CommittedEntries } from "./write/lost-response"

export interface Ctx {
  readonly env: Bindings
  readonly settings: Settings
  /** The central database. */
  readonly db: CentralDatabase
  readonly actor: Actor
  /** The interface that the actor uses. */
  readonly interface: Interface
  /** The id of the support access under which an operator acts at a store; added to every audit entry. */
  readonly supportAccess?: number
  /** The store that the request was resolved to. If a later store takes its name, this request gets `not_found`. */
  readonly pinned?: { readonly id: string; readonly seq: number }
  /** The client's IP address, or `worker:` and the zone of a Worker; null outside of requests. */
  readonly address: string | null
  /** The time of the request, shared by all its decisions and rows. */
  readonly now: Date
  readonly requestId: string
  /** The audit entries that this request has committed. A commit whose response was lost recognizes its own by them. */
  readonly committed: CommittedEntries
  readonly log: Log
  /** The run of a scheduled job or of a job's step, with its time budget. Anything else has no budget. */
  readonly run: JobRun
  /**
   * Limits concurrent webhook requests of the invocation. An invocation has six connections, and each piece of work
   * uses up to two.
   */
  readonly outbound: Semaphore
  /** Why the actor makes the change; added to every audit entry. Never shown to owners or visitors. */
  readonly reason?: string
  /** Whether changes are only decided, to show what they would do. `commit` refuses to run. */
  readonly isDryRun?: true
  /** Statements that every commit of this request adds to its batch, before the writes that run last. */
  readonly withCommit?: () => Write[]
  /**
   * Called once the request's body has been read. Throws when the credential was revoked in the meantime
   * (slow-body.ts).
   */
  readonly bodyArrived?: () => Promise<void>
  /** Runs work in the background, after the response. Failures are only logged. */
  readonly inBackground: (work: Promise<unknown>) => void
  /** Creates the deliveries of committed events in the background. */
  readonly routeEvents: () => void
}

/** Pieces of outbound work per invocation. */
const MAX_OUTBOUND_CONCURRENCY = 3

/** Creates the semaphore that the contexts of one invocation share. */
export const createOutboundSemaphore = (): Semaphore => new Semaphore(MAX_OUTBOUND_CONCURRENCY)

/**
 * Creates the context of one request, queue message or scheduled job. Each has its own request id, which identifies its
 * commits.
 * @param waitUntil keeps the Worker alive for background work (`ExecutionContext.waitUntil`)
 * @param overrides values that differ from a run by the platform itself, now; `outbound` when the invocation
 *   has several contexts
 */
export function createContext(
  env: Bindings,
  waitUntil: (work: Promise<unknown>) => void,
  overrides: {
    actor?: Actor
    interface?: Interface
    address?: string
    now?: Date
    requestId?: string
    log?: Log
    outbound?: Semaphore
    run?: JobRun
  } = {},
): Ctx {
  const now = overrides.now ?? currentTime()
  const requestId = overrides.requestId ?? ulid(now)
  const log = overrides.log ?? createLog({ request_id: requestId })
  const ctx: Ctx = {
    env,
    settings: settingsOf(env),
    db: centralDatabase(env),
    actor: overrides.actor ?? SYSTEM,
    interface: overrides.interface ?? "system",
    address: overrides.address ?? null,
    now,
    requestId,
    committed: new Map(),
    log,
    run: overrides.run ?? new JobRun(),
    outbound: overrides.outbound ?? createOutboundSemaphore(),
    inBackground: (work) => waitUntil(work.catch((cause) => log.error("background work failed", cause))),
    routeEvents: () => routeInBackground(ctx),
  }
  return ctx
}
