// Sends a group of reserved attempts. A slow receiver keeps its connection; when no connection is left, the attempts
// that were not sent go back to the queue, so that they do not wait for it.
import type { Ctx } from "../../core/context"
import type { DeliveryDatabase } from "../../core/write/delivery-databases"
import { isTransient } from "../../db/errors"
import { currentMs, currentTime } from "../../lib/clock"
import { addMs, MINUTE, SECOND } from "../../lib/time"
import { toAttemptResult } from "../attempt"
import { DNS_OUTAGE_ERROR, isWithinDnsGrace, logDnsOutage } from "../dns-outage"
import { releaseSlots } from "../failure-counter"
import type { ReservedAttempt } from "../reserve"
import { DNS_UNAVAILABLE, sendEvent } from "../send"
import type { UnsentAttempts } from "./first-attempts"
import { releaseGroup } from "./reserve-group"
import { type FinishedAttempt, settleGroup } from "./settle-group"

/** Parallel requests, as many as an invocation may send. */
const CONCURRENCY = 3

/** A response that takes longer is slow: this group sends nothing else on its connection, nor to its endpoint. */
const SLOW_MS = SECOND

/** Results wait this long for others to be settled with. */
const SETTLE_WAIT_MS = 250

/** Results that one transaction settles. */
const MAX_SETTLED = 25

/**
 * Sends attempts and settles their results. Errors are logged: by then the messages may be acknowledged, and the sweep
 * makes the attempts again when their leases end.
 * @param requeue called with the attempts that were not sent
 */
export async function sendGroup(
  ctx: Ctx,
  home: DeliveryDatabase,
  attempts: readonly ReservedAttempt[],
  requeue: (unsent: UnsentAttempts) => Promise<void>,
): Promise<void> {
  const queue = takeTurns(attempts)
  const unsent: ReservedAttempt[] = []
  const slow: Promise<void>[] = []
  const slowEndpoints = new Set<number>()
  const results = new Results(ctx, home)
  const work = async () => {
    for (let attempt = queue.shift(); attempt; attempt = queue.shift()) {
      if (slowEndpoints.has(attempt.endpoint.id)) {
        unsent.push(attempt)
        continue
      }
      const sending = send(ctx, attempt, results)
      if (await Promise.race([sending.then(() => false), scheduler.wait(SLOW_MS).then(() => true)])) {
        slowEndpoints.add(attempt.endpoint.id)
        slow.push(sending.then(() => results.settle()))
        return
      }
      if (results.isDue()) await results.settle()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  unsent.push(...queue)
  const requeueUnsent = () =>
    requeue({ attempts: unsent, slowEndpoints }).catch((cause) =>
      // The sweep makes them when their leases end.
      ctx.log.error("attempts could not be returned to the queue", cause, { deliveries: unsent.length }),
    )
  await Promise.all([results.settle(), unsent.length ? requeueUnsent() : undefined, ...slow])
  if (results.released) logDnsOutage(ctx, results.released)
}

/** Orders attempts so that endpoints take turns. */
function takeTurns(attempts: readonly ReservedAttempt[]): ReservedAttempt[] {
  const ofEndpoints = [...Map.groupBy(attempts, ({ endpoint }) => endpoint.id).values()]
  const turns = Math.max(0, ...ofEndpoints.map(({ length }) => length))
  return Array.from({ length: turns }, (_, turn) => ofEndpoints.flatMap((some) => some[turn] ?? [])).flat()
}

async function send(ctx: Ctx, attempt: ReservedAttempt, results: Results): Promise<void> {
  const { delivery, endpoint, payload } = attempt
  const { startedAt, sent } = await ctx.outbound.with(async () => {
    const startedAt = currentTime()
    return { startedAt, sent: await sendEvent(ctx, endpoint, { id: delivery.eventId, event: delivery.event, payload }) }
  })
  const endedAt = currentTime()
  if (sent === "dns_unavailable" && isWithinDnsGrace(delivery, endedAt)) return results.release(attempt)
  const outcome = sent === "dns_unavailable" ? DNS_UNAVAILABLE : sent
  results.add({ attempt, outcome, result: toAttemptResult("first", outcome, startedAt, endedAt) })
}

/** Collects results and settles them in groups. */
class Results {
  readonly #ctx: Ctx
  readonly #home: DeliveryDatabase
  #finished: FinishedAttempt[] = []
  /** When the oldest of them finished. */
  #since = 0
  /** Attempts that were released because DNS is down. */
  released = 0

  constructor(ctx: Ctx, home: DeliveryDatabase) {
    this.#ctx = ctx
    this.#home = home
  }

  add(finished: FinishedAttempt): void {
    if (!this.#finished.length) this.#since = currentMs()
    this.#finished.push(finished)
  }

  /** Whether results should not wait for others. */
  isDue(): boolean {
    return (
      this.#finished.length >= MAX_SETTLED || (this.#finished.length > 0 && currentMs() - this.#since >= SETTLE_WAIT_MS)
    )
  }

  /** Releases an attempt that could not be sent because DNS is down: it is due again in a minute. */
  async release(attempt: ReservedAttempt): Promise<void> {
    this.released += 1
    await releaseGroup(this.#home, [attempt], addMs(currentTime(), MINUTE), DNS_OUTAGE_ERROR).catch((cause) =>
      this.#ctx.log.error("an attempt could not be released", cause, { delivery: attempt.delivery.id }),
    )
    if (attempt.slotToken) await releaseSlots(this.#ctx, attempt.endpoint.id, [attempt.slotToken])
  }

  /**
   * Settles the results so far. If a broken row fails them, each is settled alone. Those that cannot be settled are
   * attempted again by the sweep when their leases end.
   */
  async settle(): Promise<void> {
    const finished = this.#finished.splice(0)
    if (!finished.length) return
    try {
      await settleGroup(this.#ctx, this.#home, finished)
    } catch (cause) {
      this.#ctx.log.error("a group of attempts could not be settled", cause, { deliveries: finished.length })
      if (finished.length === 1 || isTransient(cause)) return
      // lint: one that cannot be settled stops no other
      for (const one of finished) {
        await settleGroup(this.#ctx, this.#home, [one]).catch((cause) =>
          this.#ctx.log.error("an attempt could not be settled", cause, { delivery: one.attempt.delivery.id }),
        )
      }
    }
  }
}
