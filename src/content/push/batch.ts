// A lane: one invocation that sends a notification on to devices. It claims some, sends to six at a time, settles them with its next
// claim, and hands over to the next invocation before it has made too many requests. Lanes know nothing of each other: which devices
// are whose is said by their claims, so that one more of them, or one that dies, sends to nobody twice.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { PushMessage } from "../../core/queue/messages"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { notifications, type Stop } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"
import { SECOND } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import { Access } from "./access"
import { type Claimed, Claims, type Notification, REFUSALS, type Settled, type Turn } from "./claims"
import type { Outcome } from "./outcome"
import { messageOf } from "./payload"
import { ATTEMPTS, pauseAfter } from "./schedule"
import type { PushAccount } from "./schemas"
import { send } from "./send"
import { selectAccount } from "./settings"

/** Connections that an invocation has. */
const CONNECTIONS = 6

/** Devices claimed at a time; the counts move with each. */
const CHUNK = 25

/** Milliseconds that the requests for one device take at most: a message, an access token, and the message again. */
const LONGEST_TRY = 30 * SECOND

/** Devices of one invocation: with its questions to the database half of what an invocation may ask. */
const DEVICES = 475

/** After so many milliseconds an invocation claims no more. */
const LONGEST = 60 * SECOND

/** Devices for which another lane pays. */
const DEVICES_A_LANE = 100

/** Seconds that a queue keeps a message back at most. What waits longer the cron takes up. */
const LONGEST_DELAY = 43_200

interface Answered {
  claim: Claimed
  outcome: Outcome | { kind: "gone" }
}

/** Goes on sending a notification to devices, as far as one invocation goes. */
export async function pushOn(ctx: Ctx, { database, notification: id }: PushMessage["push"]): Promise<void> {
  const db = siteDatabase(ctx.env, database)
  const [found] = await db.select().from(notifications).where(eq(notifications.id, id))
  if (found?.status !== "sending" || found.lastDevice === null) return
  const [account] = await selectAccount(db, found.siteId)
  const lane = new Lane(ctx, db, database, found)
  await (account?.enabled ? lane.run(account) : lane.stop({ code: account ? "switched_off" : "not_set_up" }))
  if (lane.claimed) ctx.log.info("a lane of a notification", { notification: id, devices: lane.claimed })
}

class Lane {
  readonly #ctx: Ctx
  readonly #database: string
  readonly #db: SiteDatabase
  readonly #claims: Claims
  #notification: Notification
  /** Devices that it has sent to. */
  claimed = 0
  /** Answers that took the message for no good, while nothing else was answered: not settled until that is decided. */
  #held: Claimed[] = []

  constructor(ctx: Ctx, db: SiteDatabase, database: string, notification: Notification) {
    this.#ctx = ctx
    this.#db = db
    this.#database = database
    this.#claims = new Claims(db, ulid(new Date()), notification)
    this.#notification = notification
  }

  /** Sends nothing more. */
  async stop(stop: Stop): Promise<void> {
    await this.#claims.turn({ ...NOTHING, stop })
  }

  async run(account: PushAccount): Promise<void> {
    const access = new Access(this.#ctx, this.#db, account)
    const end = Date.now() + LONGEST
    let ended: "full" | "slowed" | null = null
    let turn: Turn = { ...NOTHING, size: this.#notification.proven ? CHUNK : 1 }
    for (;;) {
      const { claimed, notification, wakeAt } = await this.#claims.turn(turn)
      const wasProven = this.#notification.proven
      this.#notification = notification
      if (!wasProven && notification.proven) await this.#startOthers()
      if (notification.status !== "sending") return
      if (!claimed.length) {
        if (this.#held.length) {
          turn = this.#undecided()
          continue
        }
        return this.claimed ? this.#handOver(ended === "full", wakeAt) : undefined
      }
      const answers = await this.#sendAll(claimed, access, account.projectId)
      this.claimed += claimed.length
      // Who is asked to slow down by all at once does; who is by some sends to the others meanwhile.
      if (claimed.length > 1 && answers.every(({ outcome }) => outcome.kind === "later")) ended = "slowed"
      else if (this.claimed >= DEVICES || Date.now() >= end) ended = "full"
      turn = this.#judge(answers, ended ? 0 : CHUNK)
    }
  }

  /**
   * Sends to some devices, six at a time; the first answer that concerns all of them ends it. What could not be settled within its lease
   * is not begun: it is taken up when that is over.
   */
  async #sendAll(claimed: Claimed[], access: Access, projectId: string): Promise<Answered[]> {
    const waiting = [...claimed]
    const answers: Answered[] = []
    let stopped = false
    const work = async () => {
      for (let claim = waiting.shift(); claim && !stopped; claim = waiting.shift()) {
        if (Date.now() > claim.due - LONGEST_TRY) return
        const outcome = await this.#sendOne(claim, access, projectId)
        if (outcome.kind === "stop") stopped = true
        answers.push({ claim, outcome })
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
    return answers
  }

  async #sendOne(
    { token, recipient, attempts }: Claimed,
    access: Access,
    projectId: string,
  ): Promise<Answered["outcome"]> {
    if (token === null) return { kind: "gone" }
    // Its runs died, one after another: that may be because of it.
    if (attempts > ATTEMPTS) return { kind: "failed", reason: "unavailable" }
    const message = messageOf(this.#notification, { token }, recipient)
    return send(this.#ctx, access, projectId, { message })
  }

  /** What the answers make of their devices, and what is claimed next. */
  #judge(answers: Answered[], size: number): Turn {
    const turn: Turn = { ...NOTHING, settled: [], later: [], size }
    const refused: Claimed[] = []
    for (const { claim, outcome } of answers) {
      if (outcome.kind === "refused") refused.push(claim)
      else if (outcome.kind === "stop") turn.stop ??= outcome.stop
      else this.#decide(turn, claim, outcome)
    }
    const { proven, refusals } = this.#notification
    if (proven || answers.some(({ outcome }) => provesMessage(outcome))) {
      const held = this.#takeHeld()
      turn.settled.push(
        ...[...held, ...refused].map((claim): Settled => ({ claim, reason: "invalid_token", device: "delete" })),
      )
      return { ...turn, proven: true }
    }
    this.#held.push(...refused)
    const inAll = refusals + this.#held.length
    if (inAll >= REFUSALS) turn.stop ??= { code: "message_refused" }
    if (!turn.stop) return { ...turn, size: Math.min(size, REFUSALS - inAll) }
    return { ...turn, settled: [...turn.settled, ...this.#spared()] }
  }

  #decide(turn: Turn, claim: Claimed, outcome: Exclude<Answered["outcome"], { kind: "refused" | "stop" }>): void {
    const failed = (reason: FailureReason, device?: Settled["device"]) =>
      turn.settled.push({ claim, reason, ...(device && { device }) })
    switch (outcome.kind) {
      case "sent":
        turn.settled.push({ claim, reason: null })
        break
      case "failed":
        failed(outcome.reason, FATES[outcome.reason])
        break
      case "unauthorized":
        failed("unauthorized")
        break
      case "gone":
        failed("gone")
        break
      case "later": {
        const pause = pauseAfter(claim.attempts, outcome.retryAfter)
        if (pause === null) failed(outcome.reason)
        else turn.later.push({ claim, at: Date.now() + pause })
      }
    }
  }

  /** No device is left to decide by: those that were refused failed, and none is deleted. */
  #undecided(): Turn {
    return { ...NOTHING, refusals: this.#held.length, settled: this.#spared() }
  }

  #spared = (): Settled[] => this.#takeHeld().map((claim) => ({ claim, reason: "invalid_token" }))

  #takeHeld(): Claimed[] {
    const held = this.#held
    this.#held = []
    return held
  }

  /** The message is proven: as many lanes as the setting allows, and the devices are worth. */
  async #startOthers(): Promise<void> {
    const lanes = Math.min(
      this.#ctx.settings.TENANCY_PUSH_LANES,
      Math.ceil(this.#notification.devices / DEVICES_A_LANE),
    )
    if (lanes > 1)
      await this.#ctx.env.PUSH_QUEUE.sendBatch(Array.from({ length: lanes - 1 }, () => ({ body: this.#next })))
  }

  /**
   * The next invocation: at once where there is more, or when a device that waits is due. Where neither is, other lanes are at work.
   * @param isFull whether this one ended because it had enough
   * @param wakeAt in milliseconds since 1970
   */
  async #handOver(isFull: boolean, wakeAt: number | null): Promise<void> {
    if (isFull) return void (await this.#ctx.env.PUSH_QUEUE.send(this.#next))
    if (wakeAt === null) return
    const seconds = Math.ceil((wakeAt - Date.now()) / SECOND) + 1
    await this.#ctx.env.PUSH_QUEUE.send(this.#next, { delaySeconds: Math.min(LONGEST_DELAY, Math.max(1, seconds)) })
  }

  get #next(): PushMessage {
    return { push: { database: this.#database, notification: this.#notification.id } }
  }
}

const NOTHING: Turn = { settled: [], later: [], proven: false, refusals: 0, stop: null, size: 0 }

/** What becomes of a device by why it failed. */
const FATES: Partial<Record<FailureReason, Settled["device"]>> = {
  unregistered: "delete",
  sender_mismatch: "deactivate",
}

/** Whether an answer shows that the provider understands the message: it was about the device, or there was none to find. */
const provesMessage = (outcome: Answered["outcome"]): boolean =>
  outcome.kind === "sent" ||
  (outcome.kind === "failed" && ["unregistered", "sender_mismatch", "apns_key"].includes(outcome.reason))
