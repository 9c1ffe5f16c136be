// Claims: which devices a run sends to next, and how those before them ended, in one transaction. So what a run that died has left is
// seen by the next, what was settled is counted with it, and nobody's claim is settled by anybody else.
import { and, asc, eq, gt, gte, isNull, lt, lte, ne, or, type SQL, sql } from "drizzle-orm"
import { writeUnaudited } from "../../core/write/commit"
import type { SiteDatabase } from "../../db/client"
import { deviceTokens } from "../../db/schema/sites/devices"
import { notificationRecipients, notifications, type Stop } from "../../db/schema/sites/notifications"
import { type FailureReason, pushClaims, pushFailures } from "../../db/schema/sites/push"
import { insertSelect, remove, update, type Write } from "../../db/write"
import { pushable } from "../notifications/audience"

export type Notification = typeof notifications.$inferSelect

/** Milliseconds that a claim lasts; longer than a run takes over what it claims at a time. */
const LEASE = 90_000

/** Answers in a row that take the message for no good, and end it. */
export const REFUSALS = 20

/** A device that this run is to send to. */
export interface Claimed {
  device: number
  /** How often it was claimed, this time included. */
  attempts: number
  /** When this claim ends, in milliseconds since 1970. */
  due: number
  /** Null for a device that was deleted or deactivated after it was counted. */
  token: string | null
  /** The row of its user's inbox, where there is one. */
  recipient: number | null
}

/** How a claim ended. */
export interface Settled {
  claim: Claimed
  /** Null for sent. */
  reason: FailureReason | null
  /** What becomes of the device's token. */
  device?: "delete" | "deactivate"
}

export interface Turn {
  settled: Settled[]
  /** Claims to be taken up again, and when, in milliseconds since 1970. */
  later: { claim: Claimed; at: number }[]
  /** Whether the provider has shown that the message is good. */
  proven: boolean
  /** Answers among the settled that took it for none, while that is not shown. */
  refusals: number
  /** Why nothing more is to be sent. */
  stop: Stop | null
  /** Devices to claim. */
  size: number
}

/** The claims of one run over one notification. */
export class Claims {
  readonly #db: SiteDatabase
  readonly #run: string
  readonly #notification: Notification
  #lease = 0

  /** @param run a name that no other run has */
  constructor(db: SiteDatabase, run: string, notification: Notification) {
    this.#db = db
    this.#run = run
    this.#notification = notification
  }

  /**
   * Settles, then claims: first what is due again, then the next devices. Where nothing is left, the notification is sent.
   * @returns the claimed, the notification as it is, and when the next waiting device is due, in milliseconds since 1970
   */
  async turn(turn: Turn): Promise<{ claimed: Claimed[]; notification: Notification; wakeAt: number | null }> {
    const now = Date.now()
    // No two claims of a run end at one moment: by its moment each is known.
    this.#lease = Math.max(now + LEASE, this.#lease + 1)
    const answers = await writeUnaudited({ db: this.#db }, "the progress of a notification whose creation is in the trail", [
      ...this.#settle(turn, now),
      ...(turn.stop ? this.#end(turn.stop, now) : [...this.#claim(turn.size, now), ...this.#finish(now)]),
      this.#selectClaimed(),
      this.#db.select().from(notifications).where(this.#isIt),
      this.#db
        .select({ at: sql<number | null>`min(${pushClaims.dueAt})` })
        .from(pushClaims)
        .where(and(this.#own, isNull(pushClaims.run))),
    ])
    const [claimed, [notification], [next]] = answers.slice(-3) as [Claimed[], Notification[], { at: number | null }[]]
    if (!notification) throw new Error("the notification was deleted")
    return { claimed, notification, wakeAt: next?.at ?? null }
  }

  get #isIt(): SQL {
    return eq(notifications.id, this.#notification.id)
  }

  /** All claims of the notification. */
  get #own(): SQL | undefined {
    return and(eq(pushClaims.siteId, this.#notification.siteId), eq(pushClaims.notificationId, this.#notification.id))
  }

  /** What this turn has claimed. */
  get #taken(): SQL | undefined {
    return and(this.#own, eq(pushClaims.dueAt, this.#lease), eq(pushClaims.run, this.#run))
  }

  #settle({ settled, later, proven, refusals }: Turn, now: number): Write[] {
    const { siteId, id } = this.#notification
    const ended = JSON.stringify(settled.map(({ claim, reason }) => [claim.due, claim.device, reason]))
    // What is not this run's any more was settled by another, and counts there.
    const ours = sql`(select ended.value ->> 2 as "reason" from json_each(${ended}) as ended
      join ${pushClaims} on ${and(this.#own, sql`${pushClaims.dueAt} = ended.value ->> 0`, sql`${pushClaims.deviceId} = ended.value ->> 1`)}
      where ${pushClaims.run} = ${this.#run})`
    const writes: Write[] = []
    if (settled.length || refusals || proven) {
      writes.push(
        update(notifications)
          .set({
            sentCount: sql`${notifications.sentCount} + (select count(*) from ${ours} where "reason" is null)`,
            failedCount: sql`${notifications.failedCount} + (select count(*) from ${ours} where "reason" is not null)`,
            proven: sql`max(${notifications.proven}, ${Number(proven)})`,
            refusals: sql`${notifications.refusals} + ${refusals}`,
            updatedAt: new Date(now),
          })
          .where(this.#isIt),
      )
    }
    if (settled.some(({ reason }) => reason)) {
      writes.push(
        insertSelect(
          pushFailures,
          { siteId, notificationId: id, reason: sql`"reason"`, total: sql`count(*)` },
          sql`from ${ours} where "reason" is not null group by "reason"`,
        ).onConflictDoUpdate({
          target: [pushFailures.siteId, pushFailures.notificationId, pushFailures.reason],
          set: { total: sql`${pushFailures.total} + excluded.total` },
        }),
      )
    }
    if (settled.length) writes.push(remove(pushClaims).where(this.#among(ended)))
    if (later.length) writes.push(...this.#postpone(later))
    return [...writes, ...this.#tidy(settled)]
  }

  /** Those of a list of `[due, device]` that are this run's. */
  #among(list: string): SQL {
    const { siteId, id } = this.#notification
    return sql`(${pushClaims.siteId}, ${pushClaims.notificationId}, ${pushClaims.dueAt}, ${pushClaims.deviceId}) in
      (select ${siteId}, ${id}, value ->> 0, value ->> 1 from json_each(${list})) and ${pushClaims.run} = ${this.#run}`
  }

  #postpone(later: Turn["later"]): Write[] {
    const list = JSON.stringify(later.map(({ claim, at }) => [claim.due, claim.device, at]))
    const at = sql`(select value ->> 2 from json_each(${list}) where value ->> 1 = ${pushClaims.deviceId})`
    const isOver = sql`not exists (select 1 from ${notifications} where ${this.#isIt} and ${notifications.status} = 'sending')`
    return [
      update(pushClaims).set({ dueAt: at, run: null }).where(this.#among(list)),
      // Another run has ended it meanwhile: nobody would come for these.
      remove(pushClaims).where(and(this.#own, isNull(pushClaims.run), isOver)),
    ]
  }

  /** Tokens that are good for nothing any more; not those that their device has traded for another meanwhile. */
  #tidy(settled: Settled[]): Write[] {
    const named = (fate: Settled["device"]) => {
      const list = settled.filter(({ device }) => device === fate).map(({ claim }) => [claim.device, claim.token])
      const among = sql`(${deviceTokens.id}, ${deviceTokens.token}) in (select value ->> 0, value ->> 1 from json_each(${JSON.stringify(list)}))`
      return list.length ? and(eq(deviceTokens.siteId, this.#notification.siteId), among) : null
    }
    const [gone, foreign] = [named("delete"), named("deactivate")]
    return [
      ...(gone ? [remove(deviceTokens).where(gone)] : []),
      ...(foreign ? [update(deviceTokens).set({ isActive: false }).where(foreign)] : []),
    ]
  }

  #claim(size: number, now: number): Write[] {
    const { siteId, id, target } = this.#notification
    // Until the message is proven one run at a time tries it, on no more devices than it takes to know.
    const others = sql`exists (select 1 from ${pushClaims} where ${and(
      this.#own,
      gt(pushClaims.dueAt, now),
      ne(pushClaims.run, this.#run),
    )})`
    const places = sql`(select coalesce((select iif(${notifications.proven}, ${size}, iif(${others}, 0, max(0, min(${size}, ${REFUSALS} - ${notifications.refusals}))))
      from ${notifications} where ${this.#isIt} and ${notifications.status} = 'sending' and ${notifications.lastDevice} is not null), 0))`
    const taken = sql`(select count(*) from ${pushClaims} where ${this.#taken})`
    const due = sql`select ${pushClaims.siteId}, ${pushClaims.notificationId}, ${pushClaims.dueAt}, ${pushClaims.deviceId}
      from ${pushClaims} where ${and(this.#own, lte(pushClaims.dueAt, now))} order by ${pushClaims.dueAt} limit ${places}`
    const isNext = and(
      pushable(siteId, target),
      sql`${deviceTokens.id} > (select ${notifications.reachedDevice} from ${notifications} where ${this.#isIt})`,
      sql`${deviceTokens.id} <= (select ${notifications.lastDevice} from ${notifications} where ${this.#isIt})`,
    )
    const furthest = sql`coalesce((select max(${pushClaims.deviceId}) from ${pushClaims} where ${this.#taken} and ${pushClaims.attempts} = 1), 0)`
    return [
      update(pushClaims)
        .set({ dueAt: this.#lease, run: this.#run, attempts: sql`${pushClaims.attempts} + 1` })
        .where(
          sql`(${pushClaims.siteId}, ${pushClaims.notificationId}, ${pushClaims.dueAt}, ${pushClaims.deviceId}) in (${due})`,
        ),
      insertSelect(
        pushClaims,
        {
          siteId,
          notificationId: id,
          dueAt: this.#lease,
          deviceId: sql`${deviceTokens.id}`,
          attempts: 1,
          run: this.#run,
        },
        sql`from ${deviceTokens} where ${isNext} order by ${deviceTokens.id} limit max(0, ${places} - ${taken})`,
      ),
      update(notifications)
        .set({
          // Fewer than there were places for: these were the last.
          reachedDevice: sql`iif(${taken} < ${places}, ${notifications.lastDevice}, max(${notifications.reachedDevice}, ${furthest}))`,
        })
        .where(and(this.#isIt, sql`${places} > 0`, lt(notifications.reachedDevice, notifications.lastDevice))),
    ]
  }

  /** Closes a notification of which nothing is left. What was counted and not found has gone meanwhile, and failed. */
  #finish(now: number): Write[] {
    const { siteId, id } = this.#notification
    const reason: FailureReason = "gone"
    const isOver = sql`${this.#isIt} and ${notifications.status} = 'sending' and ${notifications.reachedDevice} >= ${notifications.lastDevice}
      and not exists (select 1 from ${pushClaims} where ${this.#own})`
    const handled = sql`(${notifications.sentCount} + ${notifications.failedCount})`
    return [
      insertSelect(
        pushFailures,
        { siteId, notificationId: id, reason, total: sql`${notifications.devices} - ${handled}` },
        sql`from ${notifications} where ${isOver} and ${notifications.devices} > ${handled}`,
      ).onConflictDoUpdate({
        target: [pushFailures.siteId, pushFailures.notificationId, pushFailures.reason],
        set: { total: sql`${pushFailures.total} + excluded.total` },
      }),
      update(notifications)
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

  /** Ends a notification before its time. What other runs have claimed they settle themselves. */
  #end(stop: Stop, now: number): Write[] {
    return [
      update(notifications)
        .set({ status: "failed", stop, updatedAt: new Date(now) })
        .where(and(this.#isIt, eq(notifications.status, "sending"))),
      remove(pushClaims).where(
        and(this.#own, or(isNull(pushClaims.run), eq(pushClaims.run, this.#run), lte(pushClaims.dueAt, now))),
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
      .where(this.#taken)
      .orderBy(asc(pushClaims.deviceId))
  }
}
