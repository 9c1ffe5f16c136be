// Push batch: one invocation that sends a notification to devices. It claims a chunk of devices, sends to six at a
// time, settles the chunk together with the next claim, and enqueues the next batch before it reaches the limit on
// subrequests. Batches run in parallel without coordination. Claims assign each device to one batch, so a duplicate
// batch does not send to a device twice. A batch that crashes between sending and settling does, after its claims
// expire; the message's tag makes the device replace the first copy.

import type { Ctx } from "../../core/context"
import type { PushMessage } from "../../core/queue/messages"
import { sendMessage, sendMessages } from "../../core/queue/send"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import type { NotificationFormat } from "../../db/schema/central/sites"
import type { Stop } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"
import { assertNever } from "../../lib/assert-never"
import { currentMs, currentTime } from "../../lib/clock"
import { SECOND } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import { selectNotification } from "../notifications/find"
import { AccessTokens } from "./access-tokens"
import { type Claim, Claims, MAX_REFUSALS, type Notification, type SettleAndClaim, type SettledClaim } from "./claims"
import { readNotificationFormat } from "./format"
import type { Outcome } from "./outcome"
import { buildMessage } from "./payload"
import { MAX_ATTEMPTS, retryDelay } from "./schedule"
import type { PushAccount } from "./schemas"
import { send } from "./send"
import { selectAccount } from "./settings"

/** Simultaneous connections that an invocation may have. */
const MAX_CONNECTIONS = 6

/** Devices per claim. The notification's counters are updated with every claim. */
const CHUNK_SIZE = 25

/** Maximum time for one device: a message, an access token, and the message again. */
const MAX_DEVICE_MS = 30 * SECOND

/** Devices per batch. With the database queries this uses half of the subrequests that an invocation may make. */
const MAX_DEVICES_PER_BATCH = 475

/** A batch claims no more devices after this time. */
const MAX_CLAIMING_MS = 60 * SECOND

/** Devices that justify another parallel batch. */
const MIN_DEVICES_PER_BATCH = 100

/** Maximum delay of a queue message. The cron resumes what has to wait longer. */
const MAX_QUEUE_DELAY_SECONDS = 43_200

interface Attempt {
  claim: Claim
  outcome: Outcome | { kind: "gone" }
}

/** Runs one push batch of a notification. */
export async function runPushBatch(ctx: Ctx, { database, notification: id }: PushMessage["push"]): Promise<void> {
  const [notification] = await selectNotification(ctx, database, id)
  if (notification?.status !== "sending" || notification.lastDevice === null) return
  const db = siteDatabase(ctx.env, database, notification.siteId)
  const [[account], format] = await Promise.all([selectAccount(db), readNotificationFormat(ctx, notification.siteId)])
  const batch = new PushBatch(ctx, db, database, notification, format)
  await (account?.enabled ? batch.run(account) : batch.stop({ code: account ? "switched_off" : "not_set_up" }))
  if (batch.claimed) ctx.log.info("push batch", { notification: id, devices: batch.claimed })
}

class PushBatch {
  readonly #ctx: Ctx
  readonly #database: string
  readonly #db: SiteDatabase
  readonly #claims: Claims
  readonly #format: NotificationFormat
  #notification: Notification
  /** Number of devices sent to. */
  claimed = 0
  /** Claims that were refused before any proof that the message is valid. They are settled once that is known. */
  #undecided: Claim[] = []

  constructor(ctx: Ctx, db: SiteDatabase, database: string, notification: Notification, format: NotificationFormat) {
    this.#ctx = ctx
    this.#db = db
    this.#database = database
    this.#claims = new Claims(db, ulid(currentTime()), notification)
    this.#notification = notification
    this.#format = format
  }

  /** Ends the notification. */
  async stop(stop: Stop): Promise<void> {
    await this.#claims.settleAndClaim({ ...NO_CHANGES, stop })
  }

  async run(account: PushAccount): Promise<void> {
    const tokens = new AccessTokens(this.#ctx, this.#db, account)
    const end = currentMs() + MAX_CLAIMING_MS
    let ended: "full" | "slowed" | null = null
    let step: SettleAndClaim = { ...NO_CHANGES, size: this.#notification.proven ? CHUNK_SIZE : 1 }
    for (;;) {
      const { claimed, notification, nextDueAt } = await this.#claims.settleAndClaim(step)
      const wasProven = this.#notification.proven
      this.#notification = notification
      if (!wasProven && notification.proven) await this.#startParallelBatches()
      if (notification.status !== "sending") return
      if (!claimed.length) {
        if (this.#undecided.length) {
          step = this.#failUndecided()
          continue
        }
        return this.claimed ? this.#enqueueNext(ended === "full", nextDueAt) : undefined
      }
      const results = await this.#sendAll(claimed, tokens, account.projectId)
      this.claimed += claimed.length
      // Stop only when the provider throttled the whole chunk; otherwise continue with the other devices.
      if (claimed.length > 1 && results.every(({ outcome }) => outcome.kind === "later")) ended = "slowed"
      else if (this.claimed >= MAX_DEVICES_PER_BATCH || currentMs() >= end) ended = "full"
      step = this.#evaluate(results, ended ? 0 : CHUNK_SIZE)
    }
  }

  /**
   * Sends to a chunk of devices, six at a time. Stops at the first error that affects all devices. Skips claims whose
   * lease could expire before they are settled; another batch takes them over after that.
   */
  async #sendAll(claimed: Claim[], tokens: AccessTokens, projectId: string): Promise<Attempt[]> {
    const waiting = [...claimed]
    const results: Attempt[] = []
    let stopped = false
    const sendNext = async () => {
      for (let claim = waiting.shift(); claim && !stopped; claim = waiting.shift()) {
        if (currentMs() > claim.due - MAX_DEVICE_MS) return
        const outcome = await this.#sendOne(claim, tokens, projectId)
        if (outcome.kind === "stop") stopped = true
        results.push({ claim, outcome })
      }
    }
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, sendNext))
    return results
  }

  async #sendOne(
    { token, recipient, attempts }: Claim,
    tokens: AccessTokens,
    projectId: string,
  ): Promise<Attempt["outcome"]> {
    if (token === null) return { kind: "gone" }
    // Earlier batches crashed with this device, possibly because of it.
    if (attempts > MAX_ATTEMPTS) return { kind: "failed", reason: "unavailable" }
    const options = { format: this.#format, now: currentTime() }
    const message = buildMessage(this.#notification, { token }, recipient, options)
    return send(this.#ctx, tokens, projectId, { message })
  }

  /** Turns the outcomes into the settlement of the chunk and the next claim. */
  #evaluate(results: Attempt[], size: number): SettleAndClaim {
    const step: SettleAndClaim = { ...NO_CHANGES, settled: [], later: [], size }
    const refused: Claim[] = []
    for (const { claim, outcome } of results) {
      if (outcome.kind === "refused") refused.push(claim)
      else if (outcome.kind === "stop") step.stop ??= outcome.stop
      else this.#settle(step, claim, outcome)
    }
    const { proven, refusals } = this.#notification
    if (proven || results.some(({ outcome }) => isProof(outcome))) {
      const undecided = this.#takeUndecided()
      step.settled.push(
        ...[...undecided, ...refused].map(
          (claim): SettledClaim => ({ claim, reason: "invalid_token", device: "delete" }),
        ),
      )
      return { ...step, proven: true }
    }
    this.#undecided.push(...refused)
    const totalRefusals = refusals + this.#undecided.length
    if (totalRefusals >= MAX_REFUSALS) step.stop ??= { code: "message_refused" }
    if (!step.stop) return { ...step, size: Math.min(size, MAX_REFUSALS - totalRefusals) }
    return { ...step, settled: [...step.settled, ...this.#settleUndecided()] }
  }

  #settle(
    step: SettleAndClaim,
    claim: Claim,
    outcome: Exclude<Attempt["outcome"], { kind: "refused" | "stop" }>,
  ): void {
    const fail = (reason: FailureReason, device?: SettledClaim["device"]) =>
      step.settled.push({ claim, reason, ...(device && { device }) })
    switch (outcome.kind) {
      case "sent":
        step.settled.push({ claim, reason: null })
        break
      case "failed":
        fail(outcome.reason, DEVICE_ACTIONS[outcome.reason])
        break
      case "unauthorized":
        fail("unauthorized")
        break
      case "gone":
        fail("gone")
        break
      case "later": {
        const delay = retryDelay(claim.attempts, outcome.retryAfter)
        if (delay === null) fail(outcome.reason)
        else step.later.push({ claim, at: currentMs() + delay })
        break
      }
      default:
        assertNever(outcome)
    }
  }

  /** Settles the undecided claims as failed when no devices are left. Does not delete the devices. */
  #failUndecided(): SettleAndClaim {
    return { ...NO_CHANGES, refusals: this.#undecided.length, settled: this.#settleUndecided() }
  }

  #settleUndecided = (): SettledClaim[] => this.#takeUndecided().map((claim) => ({ claim, reason: "invalid_token" }))

  #takeUndecided(): Claim[] {
    const undecided = this.#undecided
    this.#undecided = []
    return undecided
  }

  /** Starts parallel batches once the message is proven: as many as the setting allows and the devices justify. */
  async #startParallelBatches(): Promise<void> {
    const batches = Math.min(
      this.#ctx.settings.TENANCY_PUSH_LANES,
      Math.ceil(this.#notification.devices / MIN_DEVICES_PER_BATCH),
    )
    if (batches > 1)
      await sendMessages(
        this.#ctx,
        Array.from({ length: batches - 1 }, () => this.#message),
      )
  }

  /**
   * Enqueues the next batch: immediately when this one reached its limit, else when the next postponed device is due.
   * When no device is postponed, other batches are handling the rest.
   * @param isFull whether this batch reached its limit
   * @param nextDueAt in milliseconds since 1970
   */
  async #enqueueNext(isFull: boolean, nextDueAt: number | null): Promise<void> {
    if (isFull) return sendMessage(this.#ctx, this.#message)
    if (nextDueAt === null) return
    const seconds = Math.ceil((nextDueAt - currentMs()) / SECOND) + 1
    await sendMessage(this.#ctx, this.#message, Math.min(MAX_QUEUE_DELAY_SECONDS, Math.max(1, seconds)))
  }

  get #message(): PushMessage {
    return { push: { database: this.#database, notification: this.#notification.id } }
  }
}

const NO_CHANGES: SettleAndClaim = { settled: [], later: [], proven: false, refusals: 0, stop: null, size: 0 }

/** Action on a device by the reason that it failed. */
const DEVICE_ACTIONS: Record<FailureReason, SettledClaim["device"]> = {
  unregistered: "delete",
  invalid_token: "delete",
  sender_mismatch: "deactivate",
  apns_key: undefined,
  unauthorized: undefined,
  slowed_down: undefined,
  unavailable: undefined,
  unexpected: undefined,
  gone: undefined,
}

/** Whether an outcome proves that the message is valid: it was sent, or it failed for another reason. */
const isProof = (outcome: Attempt["outcome"]): boolean =>
  outcome.kind === "sent" ||
  (outcome.kind === "failed" && ["unregistered", "sender_mismatch", "apns_key"].includes(outcome.reason))
