// The fields of the checkout form and what they are in the request of an order.
import type { Translations } from "../../../../core/i18n/locale"
import type { FormFields } from "../../../../storefront/visitor/page"
import type { CartLine } from "./rules"
import * as W from "./strings"

/** The fields in the order of the form, with their labels. */
export const LABELS = {
  email: W.EMAIL,
  name: W.NAME,
  phone: W.PHONE,
  shipping_method: W.DELIVERY,
  line1: W.LINE1,
  line2: W.LINE2,
  postal_code: W.POSTAL_CODE,
  city: W.CITY,
  state: W.STATE,
  country: W.COUNTRY,
  payment_method: W.PAYMENT_METHOD,
  note: W.NOTE,
} satisfies Record<string, Translations>

export type FieldName = keyof typeof LABELS

export const FIELDS = Object.keys(LABELS) as FieldName[]

const CUSTOMER = ["name", "email", "phone"] as const
const ADDRESS = ["line1", "line2", "city", "state", "postal_code", "country"] as const

const pick = (values: FormFields, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, values[name]?.trim() || undefined]))

/** Builds the body of `POST /orders`. Pick-up hides the address, so what its fields contain is not sent. */
export function toOrder(lines: readonly CartLine[], values: FormFields): unknown {
  return {
    items: lines.map(({ productId, quantity }) => ({ product_id: productId, quantity })),
    customer: pick(values, CUSTOMER),
    shipping_address: values.shipping_method === "pickup" ? undefined : pick(values, ADDRESS),
    shipping_method: values.shipping_method || undefined,
    payment_method: values.payment_method || undefined,
    note: values.note?.trim() || undefined,
  }
}
