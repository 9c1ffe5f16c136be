// Reads and saves the bank-transfer settings: whether they are enabled, the payment instructions, and the receipt
// prefix.
import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Precondition } from "../../core/http/precondition"
import { invalid, Refusal } from "../../core/http/refusal"
import { booleanText, multilineText, text } from "../../core/http/validation"
import { type Locale, localize } from "../../core/i18n/locale"
import { applyChange } from "../../core/write/commit"
import { batch } from "../../db/client"
import { prepareRead } from "../../db/prepared"
import { settings } from "../../db/schema/central/settings"
import { insertSelect } from "../../db/write"
import {
  creditNotePrefix,
  DEFAULT_RECEIPT_PREFIX,
  hasReceipt,
  isSamePrefix,
  NumberPrefix,
  selectPrefixes,
} from "../invoices/prefixes"

/** Name of the row in the settings table. */
const SETTING_NAME = "offline"

const DEFAULT_LABEL = localize("Bank transfer", "Transferencia bancaria", "Virement bancaire", "Chuyển khoản")

const StoredSettings = z.object({
  enabled: z.boolean().default(false),
  label: z.string().default(DEFAULT_LABEL.en),
  instructions: z.string().default(""),
  receipt_prefix: z.string().default(DEFAULT_RECEIPT_PREFIX),
})

export type OfflineSettings = z.output<typeof StoredSettings>

export const SaveOfflineSettings = z.object({
  enabled: booleanText.optional().describe("true or false: whether owners can order by bank transfer"),
  label: text({ max: 120 }).optional().describe("name of the payment method, as shown to owners"),
  instructions: z
    .union([z.literal(""), multilineText({ max: 2000 })])
    .optional()
    .describe("payment instructions, as shown to owners"),
  receipt_prefix: NumberPrefix.optional().describe("prefix of receipt numbers; locked once the first receipt exists"),
})

/** Selects the settings; `parseOfflineSettings` parses the result. */
export const selectOfflineSettings = prepareRead<typeof settings.$inferSelect, object>((db) =>
  db.select().from(settings).where(eq(settings.name, SETTING_NAME)),
)

/** Parses the result of `selectOfflineSettings`; missing settings get their defaults. */
export const parseOfflineSettings = ([row]: readonly { value: unknown }[]): OfflineSettings =>
  StoredSettings.parse(row?.value ?? {})

/**
 * Returns the label for a page. The default label is in the language of the page, also when an operator saves a form
 * that contains it. A label that an operator chose stays as it is.
 */
export const labelForPage = ({ label }: Pick<OfflineSettings, "label">, locale: Locale): string =>
  label === DEFAULT_LABEL.en ? DEFAULT_LABEL[locale] : label

/** Loads the settings, and whether a numbered receipt locks the prefix. */
async function loadOfflineSettings(ctx: Ctx) {
  const [rows, [prefixes]] = await batch(ctx.db, [selectOfflineSettings({}), selectPrefixes(ctx.db)])
  return { rows, prefixes }
}

/** Whether the stored settings are still the ones that were read, for compare-and-swap. */
const isRowUnchanged = ([row]: readonly { value: unknown }[]) =>
  sql`(select json(${settings.value}) from ${settings} where ${settings.name} = ${SETTING_NAME}) is json(${row ? JSON.stringify(row.value) : null})`

/** The version of the settings. */
export const offlineTag = (offline: OfflineSettings): string => JSON.stringify(offline)

/**
 * Changes the given settings. A concurrent change of other settings is not overwritten.
 * @param precondition compares their `offlineTag`
 * @throws Refusal `precondition_failed`; `prefix_locked` for another prefix once a receipt exists; `validation_failed` for that of credit
 *   notes
 */
export const saveOfflineSettings = (
  ctx: Ctx,
  input: z.output<typeof SaveOfflineSettings>,
  precondition?: Precondition,
): Promise<OfflineSettings> =>
  applyChange(
    ctx,
    () => loadOfflineSettings(ctx),
    ({ rows, prefixes }) => {
      const current = parseOfflineSettings(rows)
      precondition?.(offlineTag(current))
      const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
      if (!Object.keys(changes).length) return { result: current }
      const next = { ...current, ...changes }
      const changesPrefix = next.receipt_prefix !== current.receipt_prefix
      if (changesPrefix && prefixes?.isReceiptLocked) throw new Refusal("prefix_locked")
      if (changesPrefix && isSamePrefix(next.receipt_prefix, prefixes?.creditNote ?? ""))
        throw invalid("receipt_prefix", "taken")
      const isUnlocked = changesPrefix
        ? sql`not ${hasReceipt} and lower(${creditNotePrefix}) <> ${next.receipt_prefix.toLowerCase()}`
        : undefined
      return {
        result: next,
        change: {
          guard: insertSelect(
            settings,
            { name: SETTING_NAME, value: next },
            sql`where ${and(isRowUnchanged(rows), isUnlocked)}`,
          ).onConflictDoUpdate({ target: settings.name, set: { value: sql`excluded.value` } }),
          auditLog: [
            { audit: { subject: "settings", id: SETTING_NAME, action: "changed", before: current, after: next } },
          ],
        },
      }
    },
  )
