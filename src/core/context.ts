// What every verb is given beside its input. A route, a queue message, a cron run and a console page each make one, and
// the verb runs the same for all of them.
import { type CentralDatabase, centralDatabase } from "../db/client"
import type { Interface } from "../db/schema/central/audit"
import type { Write } from "../db/write"
import { type Env, type Settings, settingsOf } from "../env"
import { Semaphore } from "../lib/semaphore"
import { ulid } from "../lib/ulid"
import { createLog, type Log } from "./log"
import { type Actor, SYSTEM } from "./write/actor"

export interface Ctx {
  readonly env: Env
  readonly settings: Settings
  /** The central database. */
  readonly db: CentralDatabase
  readonly actor: Actor
  /** Through what the actor acts. */
  readonly interface: Interface
  /** The support access that an operator acts under at a store; every audit entry names it. */
  readonly supportAccess?: number
  /** The store that the request was resolved to. A later store of its name is `not_found` to this request. */
  readonly pinned?: { readonly id: string; readonly seq: number }
  /** The client's address; null where no request is being answered. */
  readonly address: string | null
  /** The moment of the request; decisions and rows of one request share it. */
  readonly now: Date
  readonly requestId: string
  readonly log: Log
  /** Requests to the outside that take their turn, because an invocation has six connections: each of them uses two at most. */
  readonly outbound: Semaphore
  /** Statements that every commit of this request carries in its batch. */
  readonly withCommit?: () => Write[]
  /** Call once the request's body has been read. Throws when the credential was revoked meanwhile (slow-body.ts). */
  readonly bodyArrived?: () => Promise<void>
  /** Work that may go on after the answer; a failure of it is logged and nothing else. */
  readonly after: (work: Promise<unknown>) => void
}

/** Pieces of outbound work at a time. */
const OUTBOUND = 3

/**
 * A context for one request, message or cron run.
 * @param waitUntil keeps the Worker alive for work behind the answer (`ExecutionContext.waitUntil`)
 * @param given what differs from a run of the platform itself, now
 */
export function createContext(
  env: Env,
  waitUntil: (work: Promise<unknown>) => void,
  given: { actor?: Actor; interface?: Interface; address?: string; now?: Date; requestId?: string; log?: Log } = {},
): Ctx {
  const now = given.now ?? new Date()
  const requestId = given.requestId ?? ulid(now)
  const log = given.log ?? createLog({ request_id: requestId })
  return {
    env,
    settings: settingsOf(env),
    db: centralDatabase(env),
    actor: given.actor ?? SYSTEM,
    interface: given.interface ?? "system",
    address: given.address ?? null,
    now,
    requestId,
    log,
    outbound: new Semaphore(OUTBOUND),
    after: (work) => waitUntil(work.catch((cause) => log.error("work behind the answer failed", cause))),
  }
}
