// Reads and saves what invoices need from the operator: the seller, the tax rates by country, and whether prices
// include the tax.
import { and, eq, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { booleanText, emptyAsNull, multilineText, text, violates } from "../../core/http/validation"
import { applyChange } from "../../core/write/commit"
import { batch } from "../../db/client"
import { prepareRead } from "../../db/prepared"
import { settings } from "../../db/schema/central/settings"
import { insertSelect } from "../../db/write"
import { normalizeTaxNumber } from "../../lib/tax-numbers"
import {
  DEFAULT_CREDIT_NOTE_PREFIX,
  hasCreditNote,
  isSamePrefix,
  NumberPrefix,
  receiptPrefix,
  selectPrefixes,
} from "../invoices/prefixes"

/** Name of the row in the settings table. */
const SETTING_NAME = "tax"

const StoredSettings = z.object({
  prices_include_tax: z.boolean().default(false),
  seller_name: z.string().default(""),
  seller_address: z.string().default(""),
  seller_country: z.string().default(""),
  seller_tax_number: z.string().default(""),
  credit_note_prefix: z.string().default(DEFAULT_CREDIT_NOTE_PREFIX),
  rates: z.record(z.string(), z.object({ rate: z.int(), name: z.string() })).default({}),
})

export type TaxSettings = z.output<typeof StoredSettings>

/** An ISO 3166 country code; case is ignored. */
export const CountryCode = z
  .string()
  .trim()
  .max(2)
  .transform((code) => code.toUpperCase())
  .refine((code) => /^[A-Z]{2}$/.test(code), violates("format"))

export const SaveTaxSettings = z.object({
  prices_include_tax: booleanText.optional().describe("true or false: whether the prices of plans include the tax"),
  seller_name: text({ max: 120 }).optional().describe("seller's name on invoices"),
  seller_address: multilineText({ max: 500 }).optional().describe("seller's address on invoices"),
  seller_country: CountryCode.optional().describe("seller's country, such as DE"),
  seller_tax_number: z
    .string()
    .max(40)
    .transform(normalizeTaxNumber)
    .optional()
    .describe("seller's tax number on invoices"),
  credit_note_prefix: NumberPrefix.optional().describe(
    "prefix of credit note numbers; locked once the first credit note exists",
  ),
})

/** Percent with up to two decimals, in basis points. */
const RateInPercent = z
  .union([z.number(), z.string().trim()])
  .transform(String)
  .refine((value) => /^\d{1,2}([.,]\d{1,2})?$/.test(value), violates("format"))
  .transform((value) => Math.round(Number(value.replace(",", ".")) * 100))

export const SaveTaxRate = z.object({
  country: CountryCode.describe("buyer's country, such as DE"),
  rate: RateInPercent.describe("rate in percent, such as 19 or 5.5; 0 removes the country"),
  name: emptyAsNull(text({ max: 40 })).describe("name of the tax, VAT by default"),
})

/** Selects the settings; `parseTaxSettings` parses the result. */
export const selectTaxSettings = prepareRead<typeof settings.$inferSelect, object>((db) =>
  db.select().from(settings).where(eq(settings.name, SETTING_NAME)),
)

/** Parses the result of `selectTaxSettings`; missing settings get their defaults. */
export const parseTaxSettings = ([row]: readonly { value: unknown }[]): TaxSettings =>
  StoredSettings.parse(row?.value ?? {})

/** Reads the settings, and whether a credit note locks the prefix of their numbers. */
export async function readTaxSettings(ctx: Pick<Ctx, "db">): Promise<{ tax: TaxSettings; isPrefixLocked: boolean }> {
  const { rows, prefixes } = await loadTaxSettings(ctx)
  return { tax: parseTaxSettings(rows), isPrefixLocked: prefixes?.isCreditNoteLocked ?? false }
}

async function loadTaxSettings(ctx: Pick<Ctx, "db">) {
  const [rows, [prefixes]] = await batch(ctx.db, [selectTaxSettings({}), selectPrefixes(ctx.db)])
  return { rows, prefixes }
}

/**
 * Changes the given settings; others stay the same.
 * @throws Refusal `prefix_locked` for another prefix once a credit note exists; `validation_failed` for that of
 *   invoices
 */
export const saveTaxSettings = (ctx: Ctx, input: z.output<typeof SaveTaxSettings>): Promise<TaxSettings> =>
  changeSettings(ctx, (current) => ({
    ...current,
    ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
  }))

/**
 * Sets or removes the tax rate of a country. Issued invoices and open orders keep theirs.
 * @returns the settings; `isNew` when the country had no rate and has one now
 */
export async function saveTaxRate(
  ctx: Ctx,
  { country, rate, name }: z.output<typeof SaveTaxRate>,
): Promise<TaxSettings & { isNew: boolean }> {
  let isNew = false
  const saved = await changeSettings(ctx, (current) => {
    const { [country]: before, ...rates } = current.rates
    isNew = rate !== 0 && before === undefined
    return { ...current, rates: rate === 0 ? rates : { ...rates, [country]: { rate, name: name ?? "VAT" } } }
  })
  return { ...saved, isNew }
}

/** Applies a change to the settings that were read. A concurrent change makes it start again. */
const changeSettings = (ctx: Ctx, change: (current: TaxSettings) => TaxSettings): Promise<TaxSettings> =>
  applyChange(
    ctx,
    () => loadTaxSettings(ctx),
    ({ rows, prefixes }) => {
      const current = parseTaxSettings(rows)
      const next = change(current)
      const [row] = rows
      if (JSON.stringify(next) === JSON.stringify(current)) return { result: current }
      let isPrefixFree: SQL | undefined
      if (next.credit_note_prefix !== current.credit_note_prefix) {
        if (prefixes?.isCreditNoteLocked) throw new Refusal("prefix_locked")
        if (isSamePrefix(next.credit_note_prefix, prefixes?.receipt ?? "")) throw invalid("credit_note_prefix", "taken")
        isPrefixFree = sql`not ${hasCreditNote} and lower(${receiptPrefix}) <> ${next.credit_note_prefix.toLowerCase()}`
      }
      const isUnchanged = sql`(select json(${settings.value}) from ${settings} where ${settings.name} = ${SETTING_NAME}) is json(${row ? JSON.stringify(row.value) : null})`
      return {
        result: next,
        change: {
          guard: insertSelect(
            settings,
            { name: SETTING_NAME, value: next },
            sql`where ${and(isUnchanged, isPrefixFree)}`,
          ).onConflictDoUpdate({ target: settings.name, set: { value: sql`excluded.value` } }),
          auditLog: [
            { audit: { subject: "settings", id: SETTING_NAME, action: "changed", before: current, after: next } },
          ],
        },
      }
    },
  )
