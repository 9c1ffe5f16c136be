// The fields of the checkout form: what they are in the request of an order, and the errors that it gets back.
import type { FieldError, FieldErrors } from "../../../../core/http/refusal"
import { fieldMessages } from "../../../../core/i18n/field-messages"
import type { Translations } from "../../../../core/i18n/locale"
import type { View } from "../../../../storefront/view"
import type { FormFields } from "../../../../storefront/visitor/page"
import type { CartLine } from "./rules"
import * as W from "./strings"

/** The fields in the order of the form, with their labels. */
const LABELS = {
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

/** Builds the body of `POST /orders`. Without pick-up, the address is required. */
export function toOrder(lines: readonly CartLine[], values: FormFields): unknown {
  const address = pick(values, ADDRESS)
  const hasAddress = Object.values(address).some((value) => value !== undefined)
  return {
    items: lines.map(({ productId, quantity }) => ({ product_id: productId, quantity })),
    customer: pick(values, CUSTOMER),
    shipping_address: hasAddress || values.shipping_method !== "pickup" ? address : undefined,
    shipping_method: values.shipping_method || undefined,
    payment_method: values.payment_method || undefined,
    note: values.note?.trim() || undefined,
  }
}

/** Converts the errors of an order to messages of the form's fields, in the order of the form. Lines say theirs. */
export function toFormErrors(view: View, errors: FieldErrors): Record<string, string[]> {
  const found = new Map<string, FieldError[]>()
  for (const [path, list] of Object.entries(errors)) found.set(path.split(".").at(-1) ?? path, list)
  return Object.fromEntries(
    FIELDS.flatMap((name) => {
      const list = found.get(name)
      return list ? [[name, messagesOf(view, view.translate(LABELS[name]), list)]] : []
    }),
  )
}

const messagesOf = (view: View, label: string, list: FieldError[]): string[] =>
  Object.values(fieldMessages({ [label]: list }, view.language)).flat()

/** The label of a field. */
export const labelOf = (name: FieldName): Translations => LABELS[name]
