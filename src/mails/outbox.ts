// The outbox: a mail is a row in the commit of what it tells, so that none is lost with the Worker that made the change. It is
// leased before it is sent, so that no two runs send it; what a run that dies has leased is sent when its lease is over.
import { and, asc, eq, getTableColumns, isNotNull, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { acceptedLocale } from "../core/i18n/locale"
import { sendMail } from "../core/mail/send"
import { deleteExpired } from "../core/queue/delete-expired"
import { runOverlappingJob } from "../core/queue/leased-jobs"
import { writeUnaudited } from "../core/write/commit"
import { mails } from "../db/schema/central/mails"
import { siteSettings } from "../db/schema/central/sites"
import { stores } from "../db/schema/central/stores"
import { insert, update, type Write } from "../db/write"
import { DAY, later, MINUTE } from "../lib/time"
import { type MailFacts, writeMail } from "./enqueue"
import { confirmationUrl } from "./signup-link"
import type { MailKind } from "./strings"

/** A mail about to be written into the outbox. */
export interface MailDraft {
  kind: MailKind
  /** What makes it this mail and no other; a second one of the same key is not written. */
  key: string
  to: string
  /** The store it is about, in whose language it is written; null for a mail that brings its own. */
  storeId: string | null
  /** The incarnation (`stores.seq`) of that store. */
  storeSeq?: number
  locale?: string
  facts: MailFacts
}

/**
 * The write that puts a mail into the outbox; belongs into the commit of what it tells.
 * @param fill facts that exist only inside the batch
 */
export function mailWrite(ctx: Ctx, draft: MailDraft, fill: Record<string, SQL> = {}): Write {
  const late = Object.entries(fill).map(([name, value]) => sql`, ${`$.${name}`}, ${value}`)
  return insert(mails)
    .values({
      key: draft.key,
      kind: draft.kind,
      storeId: draft.storeId,
      storeSeq: draft.storeSeq ?? null,
      recipient: draft.to,
      // Fixed now: once it is sent, a later store of that name may have another language.
      locale: draft.locale ?? languageOf(draft.storeId),
      data: late.length ? sql`json_set(${JSON.stringify(draft.facts)}${sql.join(late)})` : draft.facts,
      // Due at once, also where the clock of a test runs ahead.
      dueAt: new Date(0),
      createdAt: ctx.now,
    })
    .onConflictDoNothing()
}

/** The language of a store's settings, as SQL; null where none is set. */
const languageOf = (storeId: string | null): SQL | null =>
  storeId === null
    ? null
    : sql`(select ${siteSettings.language} from ${siteSettings} where ${siteSettings.siteId} = ${storeId})`

/** Whether the store that a mail is about was deleted; a later store of the same name is another one. */
const isOfDeletedStore = sql<number>`${mails.storeSeq} is not null
  and not exists (select 1 from ${stores} where ${stores.seq} = ${mails.storeSeq})`

/** Has the outbox emptied behind the answer; what the queue loses, the cron finds. */
export const postMails = (ctx: Ctx): void => ctx.after(ctx.env.JOB_QUEUE.send({ job: "mails" }))

/** How long a mail is kept that was sent, or given up: longer than a provider tries to collect an invoice. */
const KEPT = 90 * DAY

/** Forgets mails past their time. Ids grow with time, so the oldest stand first. */
export const forgetMails = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    "mails past their time",
    mails,
    (limit) => sql`select id from (select * from ${mails} order by id limit ${limit})
      where due_at is null and created_at <= ${later(ctx.now, -KEPT).getTime()}`,
  )

/** Mails a run sends at most. */
const BATCH = 20

/** Tries of one mail before it is given up. */
const ATTEMPTS = 6

/** Milliseconds that a mail belongs to the run that sends it: no invocation lives longer. */
const LEASE = 15 * MINUTE

/** Mails that are sent even though their store was deleted meanwhile: records of what happened. All others ask for something to be done there. */
const RECORDS: ReadonlySet<string> = new Set<MailKind>(["receipt", "order_rejected", "support_access"])

/**
 * Sends what waits in the outbox, the oldest first, and enqueues another run when there is more.
 * @param lease the token of the job's lease
 */
export const sendWaitingMails = (ctx: Ctx, lease?: string): Promise<void> =>
  runOverlappingJob(ctx, { job: "mails", lease }, async () => {
    const waiting = await ctx.db
      .select({ id: mails.id })
      .from(mails)
      .where(and(isNotNull(mails.dueAt), lte(mails.dueAt, ctx.now)))
      .orderBy(asc(mails.dueAt), asc(mails.id))
      .limit(BATCH)
    for (const { id } of waiting) await sendOne(ctx, id)
    return waiting.length === BATCH ? { job: "mails" } : null
  })

async function sendOne(ctx: Ctx, id: number): Promise<void> {
  const lease = later(new Date(Math.max(ctx.now.getTime(), Date.now())), LEASE)
  const [[mail]] = await writeUnaudited(ctx, "a mail is leased", [
    update(mails)
      .set({ dueAt: lease, attempts: sql`${mails.attempts} + 1` })
      .where(and(eq(mails.id, id), lte(mails.dueAt, ctx.now)))
      .returning({ ...getTableColumns(mails), isOfDeletedStore }),
  ])
  if (!mail) return
  const { attempts } = mail
  if (mail.isOfDeletedStore && !RECORDS.has(mail.kind)) return settle(ctx, id, { dueAt: null })
  // Runs that died, each with the mail: it is what kills them.
  if (attempts > ATTEMPTS) return settle(ctx, id, { dueAt: null })
  try {
    const locale = acceptedLocale(mail.locale)
    // A link that is a secret is made here, so that nobody can read it from the outbox.
    const { reservation } = mail.data
    const link = typeof reservation === "number" && { url: await confirmationUrl(ctx.settings, reservation) }
    // Its link would lead to whoever has that name next.
    const facts = { ...mail.data, ...link, ...(mail.isOfDeletedStore && { url: null }) }
    await sendMail(ctx, writeMail(mail.kind as MailKind, mail.recipient, facts, locale, ctx.settings.APP_NAME))
    await settle(ctx, id, { dueAt: null, sentAt: ctx.now })
  } catch (cause) {
    ctx.log.error("a mail could not be sent", cause, { mail: id, kind: mail.kind, attempt: attempts })
    const dueAt = attempts < ATTEMPTS ? later(ctx.now, 2 ** attempts * MINUTE) : null
    await settle(ctx, id, { dueAt })
  }
}

async function settle(ctx: Ctx, id: number, values: Partial<typeof mails.$inferInsert>): Promise<void> {
  await writeUnaudited(ctx, "how a mail went", [update(mails).set(values).where(eq(mails.id, id))])
}
