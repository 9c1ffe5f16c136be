// Reads and saves what invoices need from the operator: the seller, the tax rates by country, and whether prices include
// the tax.
import { eq, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { emptyAsNull, multilineText, text, violates } from "../../core/http/validation"
import { applyChange } from "../../core/write/commit"
import { read } from "../../db/client"
import { prepareRead } from "../../db/prepared"
import { settings } from "../../db/schema/central/settings"
import { insertSelect } from "../../db/write"
import { normalizeTaxNumber } from "../../lib/tax-numbers"

/** Name of the row in the settings table. */
const SETTING_NAME = "tax"

const StoredSettings = z.object({
  prices_include_tax: z.boolean().default(false),
  seller_name: z.string().default(""),
  seller_address: z.string().default(""),
  seller_country: z.string().default(""),
  seller_tax_number: z.string().default(""),
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

const flag = z
  .union([z.boolean(), z.literal(["true", "false", "on", "off", "1", "0"])])
  .transform((value) => value === true || value === "true" || value === "on" || value === "1")

export const SaveTaxSettings = z.object({
  prices_include_tax: flag.optional().describe("true or false: whether the prices of plans include the tax"),
  seller_name: text({ max: 120 }).optional().describe("seller's name on invoices"),
  seller_address: multilineText({ max: 500 }).optional().describe("seller's address on invoices"),
  seller_country: CountryCode.optional().describe("seller's country, such as DE"),
  seller_tax_number: z
    .string()
    .max(40)
    .transform(normalizeTaxNumber)
    .optional()
    .describe("seller's tax number on invoices"),
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

/** Changes the given settings; others stay the same. */
export const saveTaxSettings = (ctx: Ctx, input: z.output<typeof SaveTaxSettings>): Promise<TaxSettings> =>
  changeSettings(ctx, (current) => ({
    ...current,
    ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
  }))

/** Sets or removes the tax rate of a country. Issued invoices and open orders keep theirs. */
export const saveTaxRate = (ctx: Ctx, { country, rate, name }: z.output<typeof SaveTaxRate>): Promise<TaxSettings> =>
  changeSettings(ctx, (current) => {
    const { [country]: _, ...rates } = current.rates
    return { ...current, rates: rate === 0 ? rates : { ...rates, [country]: { rate, name: name ?? "VAT" } } }
  })

/** Applies a change to the settings that were read. A concurrent change makes it start again. */
const changeSettings = (ctx: Ctx, change: (current: TaxSettings) => TaxSettings): Promise<TaxSettings> =>
  applyChange(
    ctx,
    () => read(ctx.db, selectTaxSettings({})),
    (rows) => {
      const current = parseTaxSettings(rows)
      const next = change(current)
      const [row] = rows
      if (JSON.stringify(next) === JSON.stringify(current)) return { result: current }
      const isUnchanged = sql`(select json(${settings.value}) from ${settings} where ${settings.name} = ${SETTING_NAME}) is json(${row ? JSON.stringify(row.value) : null})`
      return {
        result: next,
        change: {
          guard: insertSelect(
            settings,
            { name: SETTING_NAME, value: next },
            sql`where ${isUnchanged}`,
          ).onConflictDoUpdate({ target: settings.name, set: { value: sql`excluded.value` } }),
          auditLog: [
            { audit: { subject: "settings", id: SETTING_NAME, action: "changed", before: current, after: next } },
          ],
        },
      }
    },
  )
