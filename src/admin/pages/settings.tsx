// The shop's settings: name, contact, currency, taxes, shipping, payment and orders of guests.
import type { Context } from "hono"
import { resourceTag } from "../../content/blog/caching"
import { resendContactLink } from "../../content/shop/contact-email"
import { MAX_ITEM_QUANTITY, UpdateShopSettings } from "../../content/shop/schemas"
import { readSettingsAndContact, updateShopSettings } from "../../content/shop/service"
import type { FieldErrors } from "../../core/http/refusal"
import { LANGUAGE_NAMES, LOCALES } from "../../core/i18n/locale"
import { decimalAmount, listCurrencies, parseAmount } from "../../lib/intl"
import { listTimeZones } from "../../lib/time-zone"
import { ActionButton, Checkbox, Field, Form, Select, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, DescriptionList, Note } from "../../page-kit/parts"
import { ShownVersion } from "../../page-kit/version-guard"
import { createAdminPages, requireRole } from "../access"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { CLOSE, SETTINGS } from "../paths"
import { getCtx } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"

type C = Context<AdminEnv>
type Page = Awaited<ReturnType<typeof readSettingsAndContact>>
type Settings = Page["settings"]

/** The form that mails another link to the address that gets the shop's mails. */
const RESEND = `${SETTINGS}/contact-email`

export const settings = createAdminPages()
  .get(SETTINGS, (c) => renderSettings(c))
  .post(SETTINGS, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: UpdateShopSettings,
      isEdit: true,
      convert: (fields) => convertAmounts(c, fields),
      run: async (input, assertUnchanged) => {
        await updateShopSettings(getCtx(c), input, assertUnchanged)
        return withNotice(SETTINGS, "settings_saved")
      },
      render: (state) => renderSettings(c, state),
    }),
  )
  .post(RESEND, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await resendContactLink(getCtx(c))
        return withNotice(SETTINGS, "contact_link_sent")
      },
      render: (state) => renderSettings(c, state),
    }),
  )

/** The amounts of the form, in units of the currency, and the setting that each becomes. */
const AMOUNTS = { "shipping.flat": "flat_cents", "shipping.free_above": "free_above_cents" } as const

function convertAmounts(c: C, fields: Record<string, unknown>) {
  const { session, form } = c.var
  const currency = form.get("currency")?.at(-1)?.trim().toUpperCase() || session?.shop.currency || "USD"
  const errors: FieldErrors = {}
  const shipping: Record<string, unknown> = { ...(fields.shipping as Record<string, unknown> | undefined) }
  for (const [name, setting] of Object.entries(AMOUNTS)) {
    const text = form.get(name)?.at(-1)?.trim()
    if (text === undefined) continue
    const cents = text ? parseAmount(text, currency) : null
    if (text && cents === null) errors[name] = [{ rule: "format" }]
    else shipping[setting] = setting === "flat_cents" ? (cents ?? 0) : cents
  }
  // Many languages separate decimals by a comma, as for prices.
  const rate = form.get("tax_rate")?.at(-1)?.trim().replace(",", ".")
  const taxRate = rate && /^\d{1,3}(\.\d{1,9})?$/.test(rate) ? { tax_rate: Number(rate) } : {}
  return { fields: { ...fields, ...taxRate, shipping }, errors }
}

async function renderSettings(c: C, state?: FormState) {
  const { strings } = c.var
  const { settings: found, contact } = await readSettingsAndContact(getCtx(c))
  const version = await resourceTag(found)
  return page(c, {
    title: strings.nav.settings,
    state,
    children: (
      <>
        {contact.email !== null && !contact.isConfirmed && <Unconfirmed email={contact.email} />}
        <Form action={SETTINGS} submitLabel={strings.common.save} readOnly={<Summary found={found} />}>
          <ShownVersion version={version} />
          <SettingsFields found={found} isConfirmed={found.contact_email !== null && contact.isConfirmed} />
        </Form>
        <CloseLink />
      </>
    ),
  })
}

function Unconfirmed({ email }: { email: string }) {
  const { settings: t } = useT()
  return (
    <Note tone="warn">
      <p>{t.contact_unconfirmed(email)}</p>
      <ActionButton action={RESEND} label={t.send_contact_link} />
    </Note>
  )
}

function CloseLink() {
  const { canPost, t } = useAdminView()
  if (!canPost(CLOSE)) return null
  return (
    <p>
      <a class="button" data-danger href={CLOSE}>
        {t.close.link}
      </a>
    </p>
  )
}

/** The read-only view for members who may not change the settings. */
function Summary({ found }: { found: Settings }) {
  const { settings: t, kit } = useT()
  return (
    <Card>
      <DescriptionList
        items={[
          [kit.fields.name ?? "", found.name],
          [t.contact_email, found.contact_email],
          [t.currency, found.currency],
          [t.timezone, found.timezone],
          [t.address, found.address],
          [t.tax_rate, `${found.tax_rate} %`],
        ]}
      />
    </Card>
  )
}

/** @param isConfirmed whether there is a contact address of the shop, and it is confirmed */
function SettingsFields({ found, isConfirmed }: { found: Settings; isConfirmed: boolean }) {
  const { settings: t } = useT()
  const { shipping, payment, currency } = found
  const amount = (cents: number | null) => (cents === null ? null : decimalAmount(cents, currency))
  return (
    <>
      <Card title={t.shop}>
        <Field name="name" required maxlength={120} value={found.name} />
        <Field
          name="contact_email"
          label={t.contact_email}
          type="email"
          maxlength={190}
          value={found.contact_email}
          hint={
            <>
              {t.contact_email_hint} {isConfirmed && <Badge status="verified" text={t.contact_confirmed} />}
            </>
          }
        />
        <Select
          name="language"
          label={t.language}
          value={found.language}
          choices={LOCALES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
        <Field
          name="currency"
          label={t.currency}
          required
          maxlength={3}
          value={currency}
          hint={t.currency_hint}
          suggestions={listCurrencies()}
        />
        <Field
          name="timezone"
          label={t.timezone}
          required
          value={found.timezone}
          hint={t.timezone_hint}
          suggestions={listTimeZones()}
        />
        <button type="button" data-quiet data-browser-zone="timezone" hidden>
          {t.browser_zone}
        </button>
        <TextArea
          name="address"
          label={t.address}
          rows={3}
          maxlength={500}
          hint={t.address_hint}
          value={found.address}
        />
      </Card>
      <Card title={t.taxes}>
        <Field name="tax_number" label={t.tax_number} maxlength={60} value={found.tax_number} />
        <Field name="tax_rate" label={t.tax_rate} required value={found.tax_rate} inputmode="decimal" />
        <Checkbox name="prices_include_tax" label={t.prices_include_tax} isChecked={found.prices_include_tax} />
      </Card>
      <Card title={t.shipping}>
        <Field name="shipping.flat" label={t.flat(currency)} value={amount(shipping.flat_cents)} inputmode="decimal" />
        <Field
          name="shipping.free_above"
          label={t.free_above(currency)}
          value={amount(shipping.free_above_cents)}
          inputmode="decimal"
          hint={t.free_above_hint}
        />
        <Checkbox name="shipping.pickup" label={t.pickup} isChecked={shipping.pickup} />
      </Card>
      <Card title={t.payment} id="payment">
        <p class="sub">{t.payment_hint}</p>
        <TextArea name="payment.transfer" label={t.transfer} rows={3} maxlength={2000} value={payment.transfer} />
        <TextArea
          name="payment.on_delivery"
          label={t.on_delivery}
          rows={3}
          maxlength={2000}
          value={payment.on_delivery}
        />
      </Card>
      <Card title={t.orders}>
        <Checkbox name="guest_orders" label={t.guest_orders} isChecked={found.guest_orders} />
        <Field
          name="max_item_quantity"
          label={t.max_item_quantity}
          type="number"
          required
          min={1}
          max={MAX_ITEM_QUANTITY}
          value={found.max_item_quantity}
          hint={t.max_item_quantity_hint}
        />
        <TextArea
          name="legal_pages"
          label={t.legal_pages}
          rows={2}
          value={found.legal_pages.join("\n")}
          hint={t.legal_pages_hint}
        />
        <TextArea
          name="cors_origins"
          label={t.cors_origins}
          rows={2}
          value={found.cors_origins.join("\n")}
          hint={t.cors_origins_hint}
        />
      </Card>
    </>
  )
}
