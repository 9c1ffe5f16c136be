// The outbox of account mails: a mail is a row in the transaction that causes it. The row is deleted once the mail is
// sent or given up.
import { integer, text } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"
import { siteTable } from "../site-table"

/** Mails whose purpose determines their text. */
const ACCOUNT_MAILS = ["verify", "reset", "email_changed", "invite", "contact_email"] as const
export type AccountMailPurpose = (typeof ACCOUNT_MAILS)[number]

/** Whether the purpose determines the mail's text. */
export const isAccountMail = (purpose: AccountMailPurpose | NoticePurpose): purpose is AccountMailPurpose =>
  (ACCOUNT_MAILS as readonly string[]).includes(purpose)

/** Mails about orders and messages, which have the text that their app wrote. */
export type NoticePurpose =
  | "order"
  | "order_received"
  | "order_sent"
  | "order_cancelled"
  | "contact_reply"
  | "contact_received"

/** A mail whose text was written with its row. `:number` and `:token` are placeholders in title and path. */
export interface MailNotice {
  title: string
  paragraphs: string[]
  action: { label: string; path: string } | null
  notes: string[]
  /** The address that answers go to; null for the sender's. */
  replyTo: string | null
}

export const accountMails = siteTable("account_mails", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  siteId: text("site_id").notNull(),
  /** The incarnation (`stores.seq`) of the store; null for the central site. */
  storeSeq: integer("store_seq"),
  purpose: text("purpose").$type<AccountMailPurpose | NoticePurpose>().notNull(),
  recipient: text("recipient").notNull(),
  /** The mail's language. */
  locale: text("locale").notNull(),
  /** The token in the mail, encrypted; null for a notice. */
  token: text("token"),
  /** The text of a notice; null for a mail whose purpose determines it. */
  content: json<MailNotice>("content"),
  /** The number of the order that a notice is about. */
  orderNumber: integer("order_number"),
  /** When the token expires, after which the mail is not sent; null for a notice. */
  expiresAt: timestamp("expires_at"),
  /** The client's address, for the limit of mails per network. */
  address: text("address"),
  /** Whether the recipient had confirmed the address at this site. */
  isConfirmed: flag("is_confirmed").notNull(),
  /** Whether the mail was counted against the limits of mails. */
  isCounted: flag("is_counted").notNull(),
  /** When it may be sent next, postponed while a run sends it. */
  dueAt: timestamp("due_at").notNull(),
  /** Attempts that were started. */
  attempts: integer("attempts").notNull().default(0),
  /** Attempts whose result was not recorded: the mail may have been sent. */
  unconfirmed: integer("unconfirmed").notNull().default(0),
  createdAt: timestamp("created_at").notNull(),
})
