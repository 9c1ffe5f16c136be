// The seller on invoices, the tax rates by country, and whether prices include tax.
import type { Context } from "hono"
import { ActionButton, Checkbox, Field, Form, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, DescriptionList, Note } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import {
  readTaxSettings,
  SaveTaxRate,
  SaveTaxSettings,
  saveTaxRate,
  saveTaxSettings,
} from "../../platform/tax/settings"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/tax"

const RATES = `${PATH}/rates`

const formatRate = (rate: { rate: number; name: string } | undefined): string =>
  rate ? `${rate.name} ${rate.rate / 100} %` : W.common.none

const formatSetting = (value: string | boolean): string =>
  typeof value === "boolean" ? (value ? W.common.yes : W.common.no) : value || W.common.none

/** The settings in the order of their form. */
const SETTING_NAMES = [
  "seller_name",
  "seller_address",
  "seller_country",
  "seller_tax_number",
  "credit_note_prefix",
  "prices_include_tax",
] as const

export const tax = createPages()
  .get(PATH, (c) => renderTax(c))
  .confirmed(`${PATH}/edit`, {
    roles: ["finance"],
    password: "change the seller on invoices",
    schema: SaveTaxSettings,
    isEdit: true,
    async preview(c, input) {
      const { tax: current } = await readTaxSettings(c.var.ctx)
      const names = Object.keys(input) as (keyof typeof input)[]
      const changesPrices = (input.prices_include_tax ?? current.prices_include_tax) !== current.prices_include_tax
      return {
        title: W.tax.save_title,
        crumbs: [[W.tax.title, PATH]],
        back: PATH,
        state: current,
        changes: names.flatMap((name) => {
          const after = input[name]
          if (after === undefined || after === current[name]) return []
          return [{ label: W.tax.settings[name], before: formatSetting(current[name]), after: formatSetting(after) }]
        }),
        effects: [
          W.tax.issued_stay,
          ...(changesPrices ? [input.prices_include_tax ? W.tax.includes_effect : W.tax.excludes_effect] : []),
        ],
        submitLabel: W.common.save,
        isHarmful: false,
      }
    },
    async run(c, input) {
      await saveTaxSettings(c.var.ctx, input)
      return withNotice(PATH, "saved")
    },
    renderForm: (c, state) => renderTax(c, state),
  })
  .confirmed(RATES, {
    roles: ["finance"],
    password: "change a tax rate",
    schema: SaveTaxRate,
    async preview(c, { country, rate, name }) {
      const { tax: current } = await readTaxSettings(c.var.ctx)
      const before = current.rates[country]
      return {
        title: W.tax.rate_title(country),
        crumbs: [[W.tax.title, PATH]],
        back: PATH,
        state: before ?? null,
        changes: [
          {
            label: country,
            before: formatRate(before),
            after: formatRate(rate === 0 ? undefined : { rate, name: name ?? W.tax.default_name }),
          },
        ],
        effects: [W.tax.rate_effect(country), W.tax.issued_stay],
        submitLabel: rate === 0 ? W.tax.remove_rate : W.tax.save_rate,
        isHarmful: rate === 0,
      }
    },
    async run(c, input) {
      await saveTaxRate(c.var.ctx, input)
      return withNotice(PATH, "saved")
    },
    renderForm: (c, state) => renderTax(c, state),
  })

async function renderTax(c: Context<ConsoleEnv>, state?: FormState) {
  const { tax: current, isPrefixLocked } = await readTaxSettings(c.var.ctx)
  const rates = Object.entries(current.rates).sort(([a], [b]) => (a < b ? -1 : 1))
  return page(c, {
    title: W.tax.title,
    state,
    children: (
      <>
        {!current.seller_name && (
          <Note tone="warn">
            <p>{W.tax.no_seller}</p>
          </Note>
        )}
        <div class="grid">
          <Card title={W.tax.seller} id="seller">
            <Form
              action={`${PATH}/edit`}
              submitLabel={W.common.save}
              readOnly={
                <DescriptionList
                  items={SETTING_NAMES.map((name) => [W.tax.settings[name], formatSetting(current[name])])}
                />
              }
            >
              <Field
                name="seller_name"
                label={W.tax.settings.seller_name}
                value={current.seller_name}
                required
                maxlength={120}
              />
              <TextArea
                name="seller_address"
                label={W.tax.settings.seller_address}
                value={current.seller_address}
                required
                maxlength={500}
              />
              <Field
                name="seller_country"
                label={W.tax.settings.seller_country}
                value={current.seller_country}
                required
                maxlength={2}
                hint={W.tax.country_hint}
              />
              <Field
                name="seller_tax_number"
                label={W.tax.settings.seller_tax_number}
                value={current.seller_tax_number}
                maxlength={40}
              />
              <Field
                name="credit_note_prefix"
                label={W.tax.settings.credit_note_prefix}
                value={current.credit_note_prefix}
                required
                maxlength={20}
                hint={isPrefixLocked ? W.tax.prefix_locked : W.tax.prefix_hint}
              />
              <Checkbox
                name="prices_include_tax"
                label={W.tax.settings.prices_include_tax}
                isChecked={current.prices_include_tax}
              />
            </Form>
          </Card>
          <Card title={W.tax.rates} id="rates">
            <p class="sub">{W.tax.rates_hint}</p>
            {rates.length > 0 && (
              <Table
                label={W.tax.rates}
                rows={rates}
                columns={[
                  { head: W.tax.country, cell: ([country]) => country },
                  { head: W.tax.rate, cell: ([, rate]) => formatRate(rate) },
                  {
                    head: W.common.actions,
                    hasActions: true,
                    cell: ([country]) => (
                      <ActionButton
                        action={RATES}
                        hidden={{ country, rate: "0" }}
                        label={W.tax.remove_rate}
                        about={country}
                        danger
                      />
                    ),
                  },
                ]}
              />
            )}
            <Form action={RATES} submitLabel={W.tax.save_rate}>
              <Field name="country" label={W.tax.country} required maxlength={2} hint={W.tax.country_hint} />
              <Field name="rate" label={W.tax.percent} required maxlength={5} hint={W.tax.percent_hint} />
              <Field name="name" label={W.tax.name} maxlength={40} hint={W.tax.name_hint} />
            </Form>
          </Card>
        </div>
      </>
    ),
  })
}
