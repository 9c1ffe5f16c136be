// The form of a product, for the pages of staff and of operators.
import type { Child } from "hono/jsx"
import type { Product } from "../apps/ecommerce/products/schemas"
import type { Form } from "../core/http/body"
import { type FieldErrors, Refusal } from "../core/http/refusal"
import { decimalAmount, parseAmount } from "../lib/intl"
import { MAX_PRICE_CENTS } from "../lib/money"
import { Field, Select, TextArea } from "../page-kit/form"
import type { FormState } from "../page-kit/form-state"
import { FormContext } from "../page-kit/view"

export const MAX_NAME_LENGTH = 250

interface ProductTexts {
  statuses: Record<Product["status"], string>
  price_in: (currency: string) => string
  stock_hint: string
  text_hint: string
  slug_hint: string
  search_engines: string
}

/** Lists the pictures of a product; the first is its cover. */
export const listImages = ({ image, images }: Pick<Product, "image" | "images">): string[] =>
  images ?? (image === null ? [] : [image])

/**
 * Converts the price of a product's form, in units of the currency, and its pictures to the fields of its schema.
 * @param currency of the product, or of the shop for a new one
 * @param isEdit whether a form without a price leaves it unchanged
 */
export function convertProduct(form: Form, parsed: Record<string, unknown>, currency: string, isEdit = false) {
  // Other lists are also separated by commas, which URLs may have.
  const lines = form.get("images")?.flatMap((text) => text.split("\n")) ?? []
  const images = lines.map((line) => line.trim()).filter(Boolean)
  const fields = images.length ? { ...parsed, images } : parsed
  const chosen = (form.get("currency")?.at(-1) || currency).toUpperCase()
  const text = form.get("price")?.at(-1)?.trim()
  const errors: FieldErrors = {}
  if (text === undefined && isEdit) return { fields, errors }
  const cents = text ? parseAmount(text, chosen) : null
  if (!text) errors.price = [{ rule: "required" }]
  else if (cents === null) errors.price = [{ rule: "format" }]
  else if (cents > MAX_PRICE_CENTS)
    errors.price = [{ rule: "max_value", facts: { max: decimalAmount(MAX_PRICE_CENTS, chosen) } }]
  return { fields: { ...fields, price_cents: errors.price ? 0 : cents, currency: chosen }, errors }
}

/** The hidden fields of an edit form: the state of the product that it shows. */
const VERSION = "version"
const SHOWN_STOCK = "shown_stock"

const versionOf = ({ updatedAt }: Product): string => String(updatedAt.getTime())

const stockOf = ({ stock }: Product): string => String(stock ?? "")

const getText = (form: Form, name: string): string | undefined => form.get(name)?.at(-1)?.trim()

/**
 * Protects what changed in a product since its edit form was shown. Orders change the stock without the time of the
 * update, so the form has both.
 */
export function createEditGuard(form: Form) {
  const [version, shownStock, stock] = [VERSION, SHOWN_STOCK, "stock"].map((name) => getText(form, name))
  const isStockEdited = stock !== shownStock
  let changed: Product | null = null
  return {
    /** Omits a stock that the member did not edit, so that saving does not undo orders. */
    omitUneditedStock({ stock: parsed, ...fields }: Record<string, unknown>): Record<string, unknown> {
      return isStockEdited && parsed !== undefined ? { ...fields, stock: parsed } : fields
    },
    /** @throws Refusal `precondition_failed` */
    assertUnchanged(product: Product): void {
      const isOtherVersion = version !== undefined && version !== versionOf(product)
      const isOtherStock = isStockEdited && shownStock !== undefined && shownStock !== stockOf(product)
      if (!isOtherVersion && !isOtherStock) return
      changed = product
      throw new Refusal("precondition_failed")
    },
    /** Shows a form that `assertUnchanged` refused with the current stock; sending it again saves it. */
    refresh(state: FormState): FormState {
      if (!changed) return state
      const current = stockOf(changed)
      const values = new Map([...state.values, [VERSION, [versionOf(changed)]], [SHOWN_STOCK, [current]]])
      return { ...state, values: current === shownStock ? values : values.set("stock", [current]) }
    },
  }
}

/** A refused or restored form keeps the state that it was made from. */
function ShownState({ product }: { product: Product }) {
  const values = FormContext.use()?.values
  return (
    <>
      <input type="hidden" name={VERSION} value={values?.get(VERSION)?.at(-1) ?? versionOf(product)} />
      <input type="hidden" name={SHOWN_STOCK} value={values?.get(SHOWN_STOCK)?.at(-1) ?? stockOf(product)} />
    </>
  )
}

interface ProductFieldsProps {
  /** Missing for a new product. */
  product?: Product | undefined
  currency: string
  /** The field `currency`; missing where the currency cannot be changed. */
  currencyField?: Child
  texts: ProductTexts
  /** The field `images`, with one picture per line. */
  pictures: Child
}

/** The fields of a product. */
export const ProductFields = ({ product, currency, currencyField, texts: t, pictures }: ProductFieldsProps) => (
  <>
    {product && <ShownState product={product} />}
    <Field name="name" required maxlength={MAX_NAME_LENGTH} value={product?.name} />
    <Field
      name="price"
      label={currencyField === undefined ? t.price_in(currency) : undefined}
      required
      value={product && decimalAmount(product.priceCents, currency)}
      pattern="\d{1,9}([.,]\d{1,3})?"
      inputmode="decimal"
    />
    {currencyField ?? <input type="hidden" name="currency" value={currency} />}
    <Field name="stock" type="number" min={0} value={product?.stock} hint={t.stock_hint} />
    <Select
      name="status"
      value={product?.status ?? "published"}
      choices={[
        { value: "published", label: t.statuses.published },
        { value: "draft", label: t.statuses.draft },
      ]}
    />
    <TextArea name="description" rows={8} value={product?.description} hint={t.text_hint} />
    {pictures}
    <Field name="slug" maxlength={120} value={product?.slug} hint={t.slug_hint} required={product !== undefined} />
    <fieldset class="field">
      <legend>{t.search_engines}</legend>
      <Field name="seo_title" maxlength={120} value={product?.seoTitle} />
      <TextArea name="seo_description" rows={2} maxlength={400} value={product?.seoDescription} />
    </fieldset>
  </>
)
