// The form of a product, for the pages of staff and of operators.
import type { Child } from "hono/jsx"
import type { Product } from "../apps/ecommerce/products/schemas"
import type { Form } from "../core/http/body"
import { type FieldErrors, Refusal } from "../core/http/refusal"
import { decimalAmount, parseAmount } from "../lib/intl"
import { MAX_PRICE_CENTS } from "../lib/money"
import { Field, Select, TextArea } from "../page-kit/form"
import type { FormState } from "../page-kit/form-state"
import { createVersionGuard, ShownVersion } from "../page-kit/version-guard"
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

/** The hidden field with the stock that an edit form shows. */
const SHOWN_STOCK = "shown_stock"

const versionOf = ({ updatedAt }: Product): string => String(updatedAt.getTime())

const stockOf = ({ stock }: Product): string => String(stock ?? "")

const getText = (form: Form | undefined, name: string): string | undefined => form?.get(name)?.at(-1)?.trim()

/** Protects what others changed in a product. Orders change its stock without its version, so the form shows both. */
export function createProductGuard(form: Form) {
  const version = createVersionGuard(form)
  const [shown, entered] = [getText(form, SHOWN_STOCK), getText(form, "stock")]
  let current: string | undefined
  return {
    /** Omits a stock that the member did not edit, so that saving does not undo orders. */
    omitUneditedStock({ stock, ...fields }: Record<string, unknown>): Record<string, unknown> {
      return entered !== shown && stock !== undefined ? { ...fields, stock } : fields
    },
    /** @throws Refusal `precondition_failed` when the form shows another version, or another stock than it edits */
    assertUnchanged(product: Product): void {
      current = stockOf(product)
      version.assertUnchanged(versionOf(product))
      if (shown !== undefined && entered !== shown && current !== shown) throw new Refusal("precondition_failed")
    },
    /** Makes a form that `assertUnchanged` refused show the current stock, and overwrite it when it is sent again. */
    refresh(state: FormState): FormState {
      const { values, ...rest } = version.refresh(state)
      if (current === undefined || current === shown) return { ...rest, values }
      return { ...rest, values: new Map([...values, [SHOWN_STOCK, [current]], ["stock", [current]]]) }
    },
  }
}

/** The version and the stock that an edit form shows. A refused or restored form retains those it was made from. */
const ShownState = ({ product }: { product: Product }) => (
  <>
    <ShownVersion version={versionOf(product)} />
    <input
      type="hidden"
      name={SHOWN_STOCK}
      value={getText(FormContext.use()?.values, SHOWN_STOCK) ?? stockOf(product)}
    />
  </>
)

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
