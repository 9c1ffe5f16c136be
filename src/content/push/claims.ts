// Claims on the devices of a notification. One transaction settles the finished claims of a batch and claims its next
// devices. Counters are updated with the claims they count, a batch can only settle its own claims, and the claims of a
// crashed batch are claimed again after their lease.

import { and, asc, eq, gt, gte, isNull, lt, lte, ne, or, type SQL, sql } from "drizzle-orm"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import type { SiteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import { notificationRecipients, notifications, type Stop } from "../../db/schema/sites/notifications"
import { type FailureReason, pushClaims, pushFailures } from "../../db/schema/sites/push"
import { inSite, type SiteScope } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { currentMs } from "../../lib/clock"
import { isPushTarget } from "../notifications/audience"

export type Notification = typeof notifications.$inferSelect

/** Lease of a claim; longer than a batch needs for one chunk. */
const LEASE_MS = 90_000

/** Consecutive refusals, without any proof that the message is valid, after which the notification fails. */
export const MAX_REFUSALS = 20

/** A device claimed by a batch. */
export interface Claim {
  device: number
  /** Number of claims of the device, including this one. */
  attempts: number
  /** End of the claim's lease, in milliseconds since 1970. */
  due: number
  /** Null for a device that was deleted or deactivated after it was counted. */
  token: string | null
  /** Id of the row in its user's inbox, if any. */
  recipient: number | null
}

/** Result of a claim. */
export interface SettledClaim {
  claim: Claim
  /** Null for sent. */
  reason: FailureReason | null
  /** Action on the device. */
  device?: "delete" | "deactivate"
}

/** One step of a batch: the claims to settle, and the number of devices to claim. */
export interface SettleAndClaim {
  settled: SettledClaim[]
  /** Claims to retry, and the time of the retry in milliseconds since 1970. */
  later: { claim: Claim; at: number }[]
  /** Whether a response proved that the message is valid. */
  proven: boolean
  /** Refusals among the settled claims while the message is not proven. */
  refusals: number
  /** Reason to stop the notification. */
  stop: Stop | null
  /** Devices to claim. */
  size: number
}

/** Claims of one batch on the devices of one notification. */
export class Claims {
  readonly #db: SiteDatabase
  readonly #run: string
  readonly #notification: Notification
  readonly #site: SiteScope
  #lease = 0

  /** @param run unique id of the batch */
  constructor(db: SiteDatabase, run: string, notification: Notification) {
    this.#db = db
    this.#run = run
    this.#notification = notification
    this.#site = inSite(notification.siteId)
  }

  /**
   * Settles claims, then claims devices: first those due for a retry, then new ones. Completes the notification when no
   * device is left.
   * @returns the claimed devices, the current notification, and the time of the next retry in milliseconds since 1970
   */
  async settleAndClaim(
    step: SettleAndClaim,
  ): Promise<{ claimed: Claim[]; notification: Notification; nextDueAt: number | null }> {
    const now = currentMs()
    // Every step of a batch has a distinct lease end, which identifies its claims.
    this.#lease = Math.max(now + LEASE_MS, this.#lease + 1)
    // The devices have got the message: without its results, they would get it again. A repetition settles no claim
    // twice, and finds the claims that it made itself.
    const results = await retryTransient(() =>
      writeUnaudited({ db: this.#db }, "progress", [
        ...this.#settle(step, now),
        ...(step.stop ? this.#stop(step.stop, now) : [...this.#claim(step.size, now), ...this.#finish(now)]),
        this.#selectClaimed(),
        this.#db.select().from(notifications).where(this.#isNotification),
        this.#db
          .select({ at: sql<number | null>`min(${pushClaims.dueAt})` })
          .from(pushClaims)
          .where(and(this.#allClaims, isNull(pushClaims.run))),
      ]),
    )
    const [claimed, [notification], [next]] = results.slice(-3) as [Claim[], Notification[], { at: number | null }[]]
    if (!notification) throw new Error("The notification was deleted")
    return { claimed, notification, nextDueAt: next?.at ?? null }
  }

  get #isNotification(): SQL | undefined {
    return and(this.#site.condition(notifications), eq(notifications.id, this.#notification.id))
  }

  /** Matches all claims of the notification. */
  get #allClaims(): SQL | undefined {
    return and(this.#site.condition(pushClaims), eq(pushClaims.notificationId, this.#notification.id))
  }

  /** Matches the claims made in this step. */
  get #newClaims(): SQL | undefined {
    return and(this.#allClaims, eq(pushClaims.dueAt, this.#lease), eq(pushClaims.run, this.#run))
  }

  #settle({ settled, later, proven, refusals }: SettleAndClaim, now: number): Write[] {
    const { id } = this.#notification
    const ended = JSON.stringify(settled.map(({ claim, reason }) => [claim.due, claim.device, reason]))
    // Claims that another batch took over are settled and counted there.
    const ownSettled = sql`(select ended.value ->> 2 as "reason" from json_each(${ended}) as ended
      join ${pushClaims} on ${and(this.#allClaims, sql`${pushClaims.dueAt} = ended.value ->> 0`, sql`${pushClaims.deviceId} = ended.value ->> 1`)}
      where ${pushClaims.run} = ${this.#run})`
    const writes: Write[] = []
    if (settled.length || refusals || proven) {
      writes.push(
        this.#site
          .update(notifications)
          .set({
            sentCount: sql`${notifications.sentCount} + (select count(*) from ${ownSettled} where "reason" is null)`,
            failedCount: sql`${notifications.failedCount} + (select count(*) from ${ownSettled} where "reason" is not null)`,
            proven: sql`max(${notifications.proven}, ${Number(proven)})`,
            refusals: sql`${notifications.refusals} + ${refusals}`,
            updatedAt: new Date(now),
          })
          .where(this.#isNotification),
      )
    }
    if (settled.some(({ reason }) => reason)) {
      writes.push(
        this.#site
          .insertSelect(
            pushFailures,
            { notificationId: id, reason: sql`"reason"`, total: sql`count(*)` },
            sql`from ${ownSettled} where "reason" is not null group by "reason"`,
          )
          .onConflictDoUpdate({
            target: [pushFailures.siteId, pushFailures.notificationId, pushFailures.reason],
            set: { total: sql`${pushFailures.total} + excluded.total` },
          }),
      )
    }
    if (settled.length) writes.push(this.#site.remove(pushClaims).where(this.#isOwnClaim(ended)))
    if (later.length) writes.push(...this.#postpone(later))
    return [...writes, ...this.#removeDeadTokens(settled)]
  }

  /** Matches the batch's own claims in a list of `[due, device]`. */
  #isOwnClaim(list: string): SQL {
    return sql`${pushClaims.notificationId} = ${this.#notification.id} and (${pushClaims.dueAt}, ${pushClaims.deviceId}) in
      (select value ->> 0, value ->> 1 from json_each(${list})) and ${pushClaims.run} = ${this.#run}`
  }

  #postpone(later: SettleAndClaim["later"]): Write[] {
    const list = JSON.stringify(later.map(({ claim, at }) => [claim.due, claim.device, at]))
    const at = sql`(select value ->> 2 from json_each(${list}) where value ->> 1 = ${pushClaims.deviceId})`
    const isOver = sql`not exists (select 1 from ${notifications} where ${this.#isNotification} and ${notifications.status} = 'sending')`
    return [
      this.#site.update(pushClaims).set({ dueAt: at, run: null }).where(this.#isOwnClaim(list)),
      // If another batch has ended the notification, no batch would retry these claims.
      this.#site.remove(pushClaims).where(and(this.#allClaims, isNull(pushClaims.run), isOver)),
    ]
  }

  /** Deletes or deactivates devices with dead tokens, unless the device has replaced its token in the meantime. */
  #removeDeadTokens(settled: SettledClaim[]): Write[] {
    const isAffected = (action: SettledClaim["device"]) => {
      const list = settled.filter(({ device }) => device === action).map(({ claim }) => [claim.device, claim.token])
      const isListed = sql`(${deviceTokens.id}, ${deviceTokens.token}) in (select value ->> 0, value ->> 1 from json_each(${JSON.stringify(list)}))`
      return list.length ? isListed : null
    }
    const [isDeleted, isDeactivated] = [isAffected("delete"), isAffected("deactivate")]
    return [
      ...(isDeleted ? [this.#site.remove(deviceTokens).where(isDeleted)] : []),
      ...(isDeactivated ? [this.#site.update(deviceTokens).set({ isActive: false }).where(isDeactivated)] : []),
    ]
  }

  #claim(size: number, now: number): Write[] {
    const { siteId, id, target } = this.#notification
    // Until the message is proven, only one batch at a time sends it, to no more than `MAX_REFUSALS` devices.
    const isOtherBatchActive = sql`exists (select 1 from ${pushClaims} where ${and(
      this.#allClaims,
      gt(pushClaims.dueAt, now),
      ne(pushClaims.run, this.#run),
    )})`
    const limit = sql`(select coalesce((select iif(${notifications.proven}, ${size}, iif(${isOtherBatchActive}, 0, max(0, min(${size}, ${MAX_REFUSALS} - ${notifications.refusals}))))
      from ${notifications} where ${this.#isNotification} and ${notifications.status} = 'sending' and ${notifications.lastDevice} is not null), 0))`
    const claimedCount = sql`(select count(*) from ${pushClaims} where ${this.#newClaims})`
    const due = sql`select ${pushClaims.dueAt}, ${pushClaims.deviceId}
      from ${pushClaims} where ${and(this.#allClaims, lte(pushClaims.dueAt, now))} order by ${pushClaims.dueAt} limit ${limit}`
    const isNext = and(
      isPushTarget(siteId, target),
      sql`${deviceTokens.id} > (select ${notifications.reachedDevice} from ${notifications} where ${this.#isNotification})`,
      sql`${deviceTokens.id} <= (select ${notifications.lastDevice} from ${notifications} where ${this.#isNotification})`,
    )
    const lastClaimedDevice = sql`coalesce((select max(${pushClaims.deviceId}) from ${pushClaims} where ${this.#newClaims} and ${pushClaims.attempts} = 1), 0)`
    return [
      this.#site
        .update(pushClaims)
        .set({ dueAt: this.#lease, run: this.#run, attempts: sql`${pushClaims.attempts} + 1` })
        .where(sql`${pushClaims.notificationId} = ${id} and (${pushClaims.dueAt}, ${pushClaims.deviceId}) in (${due})`),
      this.#site.insertSelect(
        pushClaims,
        {
          notificationId: id,
          dueAt: this.#lease,
          deviceId: sql`${deviceTokens.id}`,
          attempts: 1,
          run: this.#run,
        },
        sql`from ${deviceTokens} where ${isNext} order by ${deviceTokens.id} limit max(0, ${limit} - ${claimedCount})`,
      ),
      this.#site
        .update(notifications)
        .set({
          // Fewer claims than requested: there are no more devices.
          reachedDevice: sql`iif(${claimedCount} < ${limit}, ${notifications.lastDevice}, max(${notifications.reachedDevice}, ${lastClaimedDevice}))`,
        })
        .where(and(this.#isNotification, sql`${limit} > 0`, lt(notifications.reachedDevice, notifications.lastDevice))),
    ]
  }

  /** Completes a notification without remaining devices. Devices that were counted but not found have failed. */
  #finish(now: number): Write[] {
    const { id } = this.#notification
    const reason: FailureReason = "gone"
    const isOver = sql`${this.#isNotification} and ${notifications.status} = 'sending' and ${notifications.reachedDevice} >= ${notifications.lastDevice}
      and not exists (select 1 from ${pushClaims} where ${this.#allClaims})`
    const handled = sql`(${notifications.sentCount} + ${notifications.failedCount})`
    return [
      this.#site
        .insertSelect(
          pushFailures,
          { notificationId: id, reason, total: sql`${notifications.devices} - ${handled}` },
          sql`from ${notifications} where ${isOver} and ${notifications.devices} > ${handled}`,
        )
        .onConflictDoUpdate({
          target: [pushFailures.siteId, pushFailures.notificationId, pushFailures.reason],
          set: { total: sql`${pushFailures.total} + excluded.total` },
        }),
      this.#site
        .update(notifications)
        .set({
          status: "sent",
          devices: sql`max(${notifications.devices}, ${handled})`,
          failedCount: sql`max(${notifications.devices} - ${notifications.sentCount}, ${notifications.failedCount})`,
          sentAt: new Date(now),
          updatedAt: new Date(now),
        })
        .where(isOver),
    ]
  }

  /** Ends a notification early. Other batches settle their own claims. */
  #stop(stop: Stop, now: number): Write[] {
    return [
      this.#site
        .update(notifications)
        .set({ status: "failed", stop, updatedAt: new Date(now) })
        .where(and(eq(notifications.id, this.#notification.id), eq(notifications.status, "sending"))),
      this.#site
        .remove(pushClaims)
        .where(
          and(this.#allClaims, or(isNull(pushClaims.run), eq(pushClaims.run, this.#run), lte(pushClaims.dueAt, now))),
        ),
    ]
  }

  #selectClaimed() {
    const { id, siteId, type, firstRecipient } = this.#notification
    const recipient = sql`(select ${notificationRecipients.id} from ${notificationRecipients} where ${and(
      eq(notificationRecipients.siteId, siteId),
      eq(notificationRecipients.userId, deviceTokens.userId),
      eq(notificationRecipients.type, type),
      gte(notificationRecipients.id, firstRecipient ?? 0),
      eq(notificationRecipients.notificationId, id),
    )} order by ${notificationRecipients.id} limit 1)`
    return this.#db
      .select({
        device: pushClaims.deviceId,
        attempts: pushClaims.attempts,
        due: pushClaims.dueAt,
        token: deviceTokens.token,
        recipient: sql<number | null>`${recipient}`,
      })
      .from(pushClaims)
      .leftJoin(deviceTokens, and(eq(deviceTokens.id, pushClaims.deviceId), eq(deviceTokens.isActive, true)))
      .where(this.#newClaims)
      .orderBy(asc(pushClaims.deviceId))
  }
}
