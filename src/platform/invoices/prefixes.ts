// The prefixes of invoice and credit note numbers. They differ, because both kinds of documents share one namespace.
import { isNotNull, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { CentralDatabase } from "../../db/client"
import { invoices } from "../../db/schema/central/invoices"
import { payments } from "../../db/schema/central/orders"
import { settings } from "../../db/schema/central/settings"

/** A prefix of numbers, such as INV. */
export const NumberPrefix = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,19}$/)

export const DEFAULT_RECEIPT_PREFIX = "INV"
export const DEFAULT_CREDIT_NOTE_PREFIX = "CN"

/** The prefix of invoices at the time when the statement runs. */
export const receiptPrefix: SQL<string> = sql<string>`coalesce((select ${settings.value} ->> '$.receipt_prefix' from ${settings} where ${settings.name} = 'offline'), 'INV')`

/** The prefix of credit notes at the time when the statement runs. */
export const creditNotePrefix: SQL<string> = sql<string>`coalesce((select ${settings.value} ->> '$.credit_note_prefix' from ${settings} where ${settings.name} = 'tax'), 'CN')`

/** Whether a number uses the prefix, which is then locked. */
export const hasReceipt: SQL<number> = sql<number>`exists (select 1 from ${payments} where ${isNotNull(payments.number)})`

export const hasCreditNote: SQL<number> = sql<number>`exists (select 1 from ${invoices} where ${isNotNull(invoices.invoiceNumber)})`

/** Selects both prefixes, and which of them are locked. */
export const selectPrefixes = (db: CentralDatabase) =>
  db
    .select({
      receipt: receiptPrefix,
      creditNote: creditNotePrefix,
      isReceiptLocked: sql`${hasReceipt}`.mapWith(Boolean),
      isCreditNoteLocked: sql`${hasCreditNote}`.mapWith(Boolean),
    })
    .from(sql`(select 1)`)

/** Whether two prefixes give the same numbers. Searches ignore case. */
export const isSamePrefix = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
