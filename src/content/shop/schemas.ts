// The request and response schemas of the shop's settings.
import * as z from "zod"
import { email, emptyAsNull, listOf, multilineText, shortText, text, withLookups } from "../../core/http/validation"
import { LOCALES } from "../../core/i18n/locale"
import { MAX_PRICE_CENTS } from "../../lib/money"
import { originList } from "../keys/schemas"
import { currency, timezone } from "../settings/schemas"

/** The highest `max_item_quantity` that a shop can set: no order has more of a product. */
export const MAX_ITEM_QUANTITY = 1000

/** Tax rates are rounded to thousandths of a percent. */
const TAX_RATE_UNITS = 1000

const cents = z.int().min(0).max(MAX_PRICE_CENTS)

export const UpdateShopSettings = withLookups(
  z.object({
    name: text({ max: 120 }).optional(),
    contact_email: emptyAsNull(email(190)),
    language: z.enum(LOCALES).optional(),
    currency: currency.optional(),
    timezone: timezone.optional(),
    address: emptyAsNull(multilineText({ max: 500 })),
    tax_number: emptyAsNull(text({ max: 60 })),
    tax_rate: z
      .number()
      .min(0)
      .max(100)
      .transform((rate) => Math.round(rate * TAX_RATE_UNITS) / TAX_RATE_UNITS)
      .optional(),
    prices_include_tax: z.boolean().optional(),
    shipping: z
      .object({
        flat_cents: cents.optional(),
        free_above_cents: cents.nullish(),
        pickup: z.boolean().optional(),
      })
      .optional(),
    payment: z
      .object({
        transfer: emptyAsNull(multilineText({ max: 2000 })),
        on_delivery: emptyAsNull(multilineText({ max: 2000 })),
      })
      .optional(),
    guest_orders: z.boolean().optional(),
    max_item_quantity: z.int().min(1).max(MAX_ITEM_QUANTITY).optional(),
    cors_origins: originList.optional(),
    legal_pages: listOf(shortText(250), { max: 10 }).optional(),
  }),
  "cors_origins",
  "legal_pages",
)

export const ShopSettings = z
  .object({
    name: z.string(),
    contact_email: z.string().nullable(),
    language: z.enum(LOCALES),
    currency: z.string(),
    timezone: z.string(),
    address: z.string().nullable(),
    tax_number: z.string().nullable(),
    tax_rate: z.number(),
    prices_include_tax: z.boolean(),
    shipping: z.object({
      flat_cents: z.int(),
      free_above_cents: z.int().nullable(),
      pickup: z.boolean(),
    }),
    payment: z.object({ transfer: z.string().nullable(), on_delivery: z.string().nullable() }),
    guest_orders: z.boolean(),
    max_item_quantity: z.int(),
    cors_origins: z.array(z.string()),
    legal_pages: z.array(z.string()),
  })
  .meta({ id: "ShopSettings" })
