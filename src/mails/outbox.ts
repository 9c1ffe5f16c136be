// Transactional outbox of the platform's mails: a mail is a row in the commit that causes it, so it is not lost if the
// Worker dies. A run leases each mail before it sends it; an expired lease makes it due again. Each occasion has one
// row, and delivery is at least once (core/mail/attempts.ts).

import { and, asc, eq, getTableColumns, isNotNull, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { loadStrings } from "../core/i18n/load-strings"
import { acceptedLocale } from "../core/i18n/locale"
import { isExhausted, leaseMail, sendLeasedMail } from "../core/mail/attempts"
import type { Mail } from "../core/mail/send"
import { deleteExpired } from "../core/queue/delete-expired"
import { enqueueJob, startJob } from "../core/queue/leased-jobs"
import type { Job } from "../core/queue/messages"
import { writeUnaudited } from "../core/write/commit"
import { mails } from "../db/schema/central/mails"
import { siteSettings } from "../db/schema/central/sites"
import { stores } from "../db/schema/central/stores"
import { insert, remove, update, type Write } from "../db/write"
import { addMs, DAY } from "../lib/time"
import { type MailParams, renderMail } from "./render"
import { buildConfirmationUrl, buildExportUrl, buildInvitationUrl } from "./signed-link"
import { listStoresOf } from "./store-list"
import type { MailKind, MailStrings } from "./strings"

/** A mail to insert into the outbox. */
export interface MailDraft {
  kind: MailKind
  /** Idempotency key; a second mail with the same key is not inserted. */
  key: string
  to: string
  /** The store that the mail is about, whose language it uses; null for a mail with its own `locale`. */
  storeId: string | null
  /** The incarnation (`stores.seq`) of that store. */
  storeSeq?: number
  locale?: string
  facts: MailParams
}

/**
 * Builds the write that inserts a mail into the outbox, for the commit that causes the mail.
 * @param fill facts as SQL, for values that exist only inside the batch
 */
export function buildMailWrite(ctx: Ctx, draft: MailDraft, fill: Record<string, SQL> = {}): Write {
  const late = Object.entries(fill).map(([name, value]) => sql`, ${`$.${name}`}, ${value}`)
  return insert(mails)
    .values({
      key: draft.key,
      kind: draft.kind,
      storeId: draft.storeId,
      storeSeq: draft.storeSeq ?? null,
      recipient: draft.to,
      // Fixed now: by the time it is sent, a later store of that name may have another language.
      locale: draft.locale ?? selectStoreLanguage(draft.storeId),
      data: late.length ? sql`json_set(${JSON.stringify(draft.facts)}${sql.join(late)})` : draft.facts,
      // Due immediately, even if a test runs the clock ahead.
      dueAt: new Date(0),
      createdAt: ctx.now,
    })
    .onConflictDoNothing()
}

/** Selects the language in a store's settings; null if none is set. */
const selectStoreLanguage = (storeId: string | null): SQL | null =>
  storeId === null
    ? null
    : sql`(select ${siteSettings.language} from ${siteSettings} where ${siteSettings.siteId} = ${storeId})`

/** Whether the mail's store was deleted; a later store of the same name does not count. */
const isOfDeletedStore = sql<number>`${mails.storeSeq} is not null
  and not exists (select 1 from ${stores} where ${stores.seq} = ${mails.storeSeq})`

/** Enqueues a run of the outbox if a mail is due: the messages that commits sent may be lost. */
export async function enqueueDueMails(ctx: Ctx): Promise<void> {
  const [due] = await selectDueMails(ctx, 1)
  if (due) await enqueueJob(ctx, { job: "mails" })
}

const selectDueMails = (ctx: Ctx, limit: number) =>
  ctx.db
    .select({ id: mails.id })
    .from(mails)
    .where(and(isNotNull(mails.dueAt), lte(mails.dueAt, ctx.now)))
    .orderBy(asc(mails.dueAt), asc(mails.id))
    .limit(limit)

/** Enqueues a run of the outbox in the background; the cron runs it anyway if the message is lost. */
export const enqueueMailRun = (ctx: Ctx): void => startJob(ctx, { job: "mails" })

/** Retention of sent and failed mails: longer than a payment provider retries an invoice. */
const RETENTION_MS = 90 * DAY

/** Deletes mails past their retention. Ids grow with time, so the oldest rows come first. */
export const deleteExpiredMails = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    mails,
    (limit) => sql`select id from (select * from ${mails} order by id limit ${limit})
      where due_at is null and created_at <= ${addMs(ctx.now, -RETENTION_MS).getTime()}`,
  )

/** Mails per run. */
const BATCH_SIZE = 20

/**
 * Mails that are sent even if their store was deleted in the meantime: they document what happened. All others call for
 * an action.
 */
const KINDS_SENT_AFTER_DELETION: ReadonlySet<string> = new Set<MailKind>([
  "receipt",
  "credit_note",
  "order_rejected",
  "order_paid_by_card",
  "support_access",
  "operator_store_deleted",
])

/**
 * Sends due mails of the outbox, oldest first. Runs may overlap.
 * @returns another step if there are more; null otherwise
 */
export async function sendDueMails(ctx: Ctx): Promise<Job | null> {
  const due = await selectDueMails(ctx, BATCH_SIZE)
  // lint: each mail is sent and recorded separately
  for (const { id } of due) {
    if (ctx.run.isOutOfTime()) return { job: "mails" }
    await sendDueMail(ctx, id)
  }
  return due.length === BATCH_SIZE ? { job: "mails" } : null
}

async function sendDueMail(ctx: Ctx, id: number): Promise<void> {
  const [[mail]] = await leaseMail(ctx, mails, (values, isLeasable) =>
    writeUnaudited(ctx, "coordination", [
      update(mails)
        .set(values)
        .where(and(eq(mails.id, id), isLeasable))
        .returning({ ...getTableColumns(mails), isOfDeletedStore }),
    ]),
  )
  if (!mail) return
  const { kind, unconfirmed, dueAt: lease } = mail
  const list = kind === "sign_in" ? await listStoresOf(ctx, mail.recipient) : undefined
  // Anyone can type an address, so one without a store is not retained.
  if (list === null) return void (await writeUnaudited(ctx, "cleanup", [remove(mails).where(eq(mails.id, id))]))
  if (isExhausted(mail)) ctx.log.warn("a mail was given up", { mail: id, kind })
  const isObsolete = mail.isOfDeletedStore && !KINDS_SENT_AFTER_DELETION.has(kind)
  if (isObsolete || isExhausted(mail)) return updateMail(ctx, eq(mails.id, id), { dueAt: null })
  const isLeased = and(eq(mails.id, id), sql`${mails.dueAt} is ${lease?.getTime() ?? null}`)
  await sendLeasedMail(
    ctx,
    mail,
    () => buildMail(ctx, mail, { list }),
    {
      sent: () => updateMail(ctx, eq(mails.id, id), { dueAt: null, sentAt: ctx.now }),
      failed: (dueAt) => updateMail(ctx, isLeased, { dueAt, unconfirmed: unconfirmed - 1 }),
    },
    { mail: id, kind },
  )
}

/**
 * Renders a mail of the outbox.
 * @param current facts that are read when the mail is sent
 */
async function buildMail(
  ctx: Ctx,
  mail: typeof mails.$inferSelect & { isOfDeletedStore: number },
  current: { list?: string | undefined },
): Promise<Mail> {
  // A secret link is built only now, so that it cannot be read from the outbox.
  const link = await buildSecretLink(ctx, mail.data)
  // The link of a deleted store would lead to a later store of the same name.
  const list = current.list !== undefined && { list: current.list }
  const { APP_NAME, MAIL_REPLY_TO: replyTo } = ctx.settings
  const facts = {
    ...mail.data,
    ...(link && { url: link }),
    ...list,
    ...(mail.isOfDeletedStore && { url: null }),
    reply_to: replyTo || null,
  }
  const strings = (await loadStrings<Record<MailKind, MailStrings>>(ctx.env, "mail-strings.json"))[
    mail.kind as MailKind
  ]
  const rendered = renderMail(strings, mail.recipient, facts, acceptedLocale(mail.locale), APP_NAME)
  return { ...rendered, replyTo, reference: `mail-${mail.id}` }
}

async function buildSecretLink(
  { settings }: Ctx,
  { reservation, invitation, archive, host, expires }: typeof mails.$inferSelect.data,
): Promise<string | null> {
  if (typeof archive === "number" && typeof host === "string" && typeof expires === "number")
    return buildExportUrl(settings, host, archive, expires)
  if (typeof reservation === "number") return buildConfirmationUrl(settings, reservation)
  if (typeof invitation !== "number" || typeof expires !== "number") return null
  return buildInvitationUrl(settings, invitation, expires)
}

async function updateMail(ctx: Ctx, where: SQL | undefined, values: Partial<typeof mails.$inferInsert>): Promise<void> {
  await writeUnaudited(ctx, "progress", [update(mails).set(values).where(where)])
}
