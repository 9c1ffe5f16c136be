// Transactional outbox of a site's account mails: a mail is a row in the transaction that causes it, in the site's
// database. The token of its link is stored encrypted, and the row is deleted once the mail is sent or given up.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { loadStrings } from "../../core/i18n/load-strings"
import { acceptedLocale, type Locale } from "../../core/i18n/locale"
import { isExhausted, leaseMail, sendLeasedMail } from "../../core/mail/attempts"
import type { Mail } from "../../core/mail/send"
import { forEachDatabase } from "../../core/queue/for-each-database"
import { enqueueJob, startJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { writeUnaudited } from "../../core/write/commit"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { siteSettings } from "../../db/schema/central/sites"
import { stores } from "../../db/schema/central/stores"
import {
  type AccountMailPurpose,
  accountMails,
  isAccountMail,
  type MailNotice,
  type NoticePurpose,
} from "../../db/schema/sites/account-mails"
import { acrossSites, inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { publicUrl } from "../../env"
import { decrypt } from "../../lib/cipher"
import { buildMailedLink, type NewToken, tokenExpiry } from "../accounts/mailed-tokens"
import { countMail } from "../rate-limits"
import { CENTRAL_SITE, type SiteCtx, type SiteRef } from "../site"
import { renderAccountMail, renderNotice } from "./account"
import type { AccountMailStrings } from "./account-strings"

interface AccountMailDraft {
  purpose: AccountMailPurpose
  /** The address, or the expression for it in `from`. */
  to: string | SQL
  /** Whether the owner had confirmed the address at this site, or the expression for it in `from`. */
  isConfirmed: boolean | SQL<boolean>
  /** Whether the mail was counted against the limits of mails. If not, it is counted before it is sent. */
  isCounted: boolean | SQL<boolean>
  /** The token to mail; absent for a notice. */
  token?: NewToken
}

/**
 * Builds the write that inserts a mail into the site's outbox, for the transaction that causes the mail.
 * @param from a `from … where …` that selects one row per mail
 */
export function buildAccountMailWrite(ctx: SiteCtx, draft: AccountMailDraft, from: SQL): Write {
  const { purpose, to, isConfirmed, isCounted, token } = draft
  return inSite(ctx.site.id).insertSelect(
    accountMails,
    {
      storeSeq: ctx.site.store?.seq ?? null,
      purpose,
      recipient: to,
      locale: ctx.locale,
      token: token?.encrypted ?? null,
      expiresAt: token ? tokenExpiry(ctx, token.purpose) : null,
      address: ctx.address,
      isConfirmed,
      isCounted,
      // Due immediately, even if a test runs the clock ahead.
      dueAt: new Date(0),
      attempts: 0,
      unconfirmed: 0,
      createdAt: ctx.now,
    },
    from,
  )
}

interface NoticeDraft extends Pick<AccountMailDraft, "to" | "isConfirmed" | "isCounted"> {
  purpose: NoticePurpose
  locale: Locale
  content: MailNotice
  /** The value of the placeholder `:token`, encrypted. */
  token: string | null
  /** The path of the action, which only the batch knows; absent if `content` has it. */
  path?: SQL<string>
  /** The value of the placeholder `:number`, which only the batch knows; null for none. */
  number: SQL<number> | null
}

/** The part of a request's or a job's context that writing a notice requires. */
export interface NoticeCtx extends Pick<Ctx, "now" | "address"> {
  readonly site: Pick<SiteRef, "id" | "store">
}

/**
 * Builds the write that inserts a mail with a custom text into the site's outbox.
 * @param from a `from … where …` that selects one row per mail
 */
export function buildNoticeWrite(ctx: NoticeCtx, draft: NoticeDraft, from: SQL): Write {
  const { purpose, to, isConfirmed, isCounted, token, content, path, locale, number } = draft
  return inSite(ctx.site.id).insertSelect(
    accountMails,
    {
      storeSeq: ctx.site.store?.seq ?? null,
      purpose,
      recipient: to,
      locale,
      token,
      content: path ? sql`json_set(${JSON.stringify(content)}, '$.action.path', ${path})` : content,
      orderNumber: number,
      address: ctx.address,
      isConfirmed,
      isCounted,
      dueAt: new Date(0),
      attempts: 0,
      unconfirmed: 0,
      createdAt: ctx.now,
    },
    from,
  )
}

/** Enqueues a run of the site's outbox in the background; the cron runs it anyway if the message is lost. */
export const enqueueAccountMails = (ctx: Ctx & { readonly site: Pick<SiteRef, "database"> }): void =>
  startJob(ctx, { job: "account_mails", database: ctx.site.database })

/** Enqueues a run of every outbox with a due mail: the messages that requests sent may be lost. */
export async function enqueueDueAccountMails(ctx: Ctx): Promise<void> {
  await forEachDatabase(ctx, "mail-outbox", async (database) => {
    const [due] = await selectDueMails(ctx, openOutbox(ctx, database), 1)
    if (due) await enqueueJob(ctx, { job: "account_mails", database })
  })
}

/** All outboxes of a site database are one table. */
const allOutboxes = acrossSites("account_mails")

const openOutbox = (ctx: Ctx, database: string): SiteDatabase => siteDatabase(ctx.env, database, allOutboxes)

const selectDueMails = (ctx: Ctx, db: SiteDatabase, limit: number) =>
  db
    .select({ id: accountMails.id })
    .from(accountMails)
    .where(lte(accountMails.dueAt, ctx.now))
    .orderBy(asc(accountMails.id))
    .limit(limit)

/** Mails per run. */
const BATCH_SIZE = 20

/**
 * Sends due mails of a site database's outbox, oldest first. Runs may overlap.
 * @param database binding of a site database
 * @returns another step if there are more; null otherwise
 */
export async function sendDueAccountMails(ctx: Ctx, database: string): Promise<Job | null> {
  const db = openOutbox(ctx, database)
  const due = await selectDueMails(ctx, db, BATCH_SIZE)
  // lint: each mail is sent and recorded separately
  for (const { id } of due) {
    if (ctx.run.isOutOfTime()) return { job: "account_mails", database }
    await sendDueMail(ctx, db, id)
  }
  return due.length === BATCH_SIZE ? { job: "account_mails", database } : null
}

type AccountMail = typeof accountMails.$inferSelect

async function sendDueMail(ctx: Ctx, db: SiteDatabase, id: number): Promise<void> {
  const [[mail]] = await leaseMail(ctx, accountMails, (values, isLeasable) =>
    writeUnaudited({ db }, "coordination", [
      allOutboxes
        .update(accountMails)
        .set(values)
        .where(and(eq(accountMails.id, id), isLeasable))
        .returning(),
    ]),
  )
  if (!mail) return
  const facts = { account_mail: id, kind: mail.purpose, site: mail.siteId }
  const deleteMail = () =>
    writeUnaudited({ db }, "cleanup", [inSite(mail.siteId).remove(accountMails).where(eq(accountMails.id, id))])
  const retryLater = (dueAt: Date) =>
    writeUnaudited({ db }, "progress", [
      inSite(mail.siteId)
        .update(accountMails)
        .set({ dueAt, unconfirmed: mail.unconfirmed - 1, isCounted: true })
        .where(and(eq(accountMails.id, id), eq(accountMails.dueAt, mail.dueAt))),
    ])
  if (isExhausted(mail) || isExpired(ctx, mail)) {
    ctx.log.warn("a mail was given up", facts)
    return void (await deleteMail())
  }
  const sender = await findSender(ctx, mail)
  if (!sender) return void (await deleteMail())
  if (!(mail.isCounted || (await isAllowed(ctx, mail)))) {
    ctx.log.warn("a mail was dropped because of a rate limit", facts)
    return void (await deleteMail())
  }
  await sendLeasedMail(
    ctx,
    mail,
    () => buildMail(ctx, mail, sender),
    { sent: deleteMail, failed: (retryAt) => (retryAt ? retryLater(retryAt) : deleteMail()) },
    facts,
  )
}

const isExpired = ({ now }: Ctx, { expiresAt }: AccountMail): boolean => expiresAt !== null && expiresAt <= now

/** Counts a mail against the limits of mails, and returns whether it may be sent. */
const isAllowed = (ctx: Ctx, { siteId, address, purpose, recipient, isConfirmed }: AccountMail): Promise<boolean> =>
  countMail({ ...ctx, address, site: { id: siteId } }, { purpose, to: recipient, isConfirmed })

interface Sender {
  name: string
  /** The site's primary host. */
  host: string
  /** Whether users of the site can only sign in with a confirmed address. */
  isConfirmationRequired: boolean
}

/** Returns a mail's sender; undefined when its store was deleted. */
async function findSender(ctx: Ctx, { siteId, storeSeq }: AccountMail): Promise<Sender | undefined> {
  if (siteId === CENTRAL_SITE)
    return { name: ctx.settings.APP_NAME, host: ctx.settings.CENTRAL_DOMAIN, isConfirmationRequired: true }
  const [sender] = await ctx.db
    .select({ name: stores.name, host: domains.domain, isConfirmationRequired: siteSettings.emailVerification })
    .from(stores)
    .innerJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .leftJoin(siteSettings, eq(siteSettings.siteId, stores.id))
    // The mail of a deleted store must not go out in the name of a later store with the same id.
    .where(and(eq(stores.id, siteId), eq(stores.seq, storeSeq ?? 0)))
  return sender && { ...sender, isConfirmationRequired: sender.isConfirmationRequired ?? false }
}

async function buildMail(ctx: Ctx, mail: AccountMail, { name, host, isConfirmationRequired }: Sender): Promise<Mail> {
  const { purpose, recipient: to } = mail
  const token = mail.token === null ? null : await decrypt(ctx.settings.APP_KEY, mail.token)
  if (mail.token !== null && token === null) throw new Error("The token cannot be decrypted")
  const reference = `account-mail-${mail.siteId}-${mail.storeSeq ?? 0}-${mail.id}`
  const locale = acceptedLocale(mail.locale)
  if (mail.content) {
    const facts = { number: mail.orderNumber, token }
    const baseUrl = publicUrl(ctx.settings, host)
    return { ...renderNotice(mail.content, { to, sender: name, locale, baseUrl, facts }), reference }
  }
  if (!isAccountMail(purpose)) throw new Error("The mail has no text")
  const link =
    token === null || purpose === "email_changed"
      ? null
      : buildMailedLink(ctx.settings, host, purpose, { token, email: to })
  const strings = await loadStrings<Record<AccountMailPurpose, AccountMailStrings>>(
    ctx.env,
    "account-mail-strings.json",
  )
  const rendered = renderAccountMail(strings[purpose], { to, sender: name, locale, link, isConfirmationRequired })
  return { ...rendered, reference }
}
