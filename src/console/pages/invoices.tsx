// Invoices and credit notes: the list, its export, each document as page and PDF, and crediting an invoice.
import type { Context } from "hono"
import type { Child } from "hono/jsx"
import { LOCALES, type Locale } from "../../core/i18n/locale"
import { decimalAmount } from "../../lib/intl"
import { type CsvCell, createCsvResponse } from "../../page-kit/csv"
import { Disclosure } from "../../page-kit/disclosure"
import { ExportLink } from "../../page-kit/export-link"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, DescriptionList, EmptyState, formatMoney, Note, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { describeInvoice } from "../../platform/invoices/describe"
import {
  INVOICE_KINDS,
  INVOICES_PAGE_SIZE,
  SearchInvoices,
  searchInvoices,
  streamInvoices,
} from "../../platform/invoices/search"
import {
  CreditInvoice,
  creditInvoice,
  getCredited,
  type Invoice,
  invoiceResource,
  previewCredit,
  readInvoice,
} from "../../platform/invoices/service"
import { pathParam } from "../form-handler"
import { CREATED_COLUMN, CreatedSortFilter } from "../kit/created-sort"
import { Filters } from "../kit/filters"
import { IncompleteResults } from "../kit/incomplete"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { INVOICES, STORES } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const CreditForm = CreditInvoice.pick({ amount: true })

const PDF_SUFFIX = ".pdf"

export const getInvoicePath = (number: string): string => `${INVOICES}/${encodeURIComponent(number)}`

export const invoices = createPages()
  .get(INVOICES, (c) => renderInvoices(c))
  .get(`${INVOICES}.csv`, (c) => {
    const { ctx } = c.var
    const { input } = parseQuery(c, SearchInvoices)
    async function* rows() {
      for await (const chunk of streamInvoices(ctx, input)) yield chunk.map(invoiceResource)
    }
    return createCsvResponse(CSV_COLUMNS, rows(), "invoices")
  })
  .get(`${INVOICES}/:number`, async (c) => {
    const name = pathParam(c, "number")
    if (!name.endsWith(PDF_SUFFIX)) return renderInvoice(c)
    const { invoice } = await readInvoice(c.var.ctx, name.slice(0, -PDF_SUFFIX.length))
    const { renderInvoicePdf } = await import("../../platform/invoices/pdf")
    return c.body(await renderInvoicePdf(c.env, invoice, getLanguage(c)), 200, {
      "Content-Type": "application/pdf",
      "Content-Disposition": `inline; filename="${invoice.number}.pdf"`,
    })
  })
  .confirmed(`${INVOICES}/:number/credit`, {
    roles: ["finance"],
    password: "issue a credit note",
    schema: CreditForm,
    async preview(c, { amount }) {
      const number = pathParam(c, "number")
      const { invoice, gross, tax, credited } = await previewCredit(c.var.ctx, { number, amount })
      const money = (cents: number) => formatMoney(cents, invoice.currency)
      return {
        title: W.invoices.credit_title(number, invoice.storeId),
        crumbs: [
          [W.invoices.title, INVOICES],
          [number, getInvoicePath(number)],
        ],
        back: getInvoicePath(number),
        state: [number, credited],
        changes: [
          { label: W.invoices.credit_amount, before: W.common.none, after: money(gross) },
          { label: W.invoices.tax_in_it, before: W.common.none, after: money(tax) },
          {
            label: W.invoices.remaining,
            before: money(invoice.grossCents - credited),
            after: money(invoice.grossCents - credited - gross),
          },
        ],
        effects: W.invoices.credit_effects,
        submitLabel: W.invoices.credit,
        isHarmful: false,
        requiresReason: W.invoices.reason_hint,
      }
    },
    async run(c, { amount }, { reason }) {
      const note = await creditInvoice(c.var.ctx, { number: pathParam(c, "number"), amount, reason: reason ?? "" })
      return withNotice(getInvoicePath(note.number), "invoice_credited")
    },
    renderForm: (c, state) => renderInvoice(c, state),
  })

const getLanguage = (c: Context<ConsoleEnv>): Locale =>
  LOCALES.find((locale) => locale === c.req.query("language")) ?? "en"

type Resource = ReturnType<typeof invoiceResource>

/** Amounts are decimal numbers, as accounting software imports them. */
const amount = (pick: (row: Resource) => number) => (row: Resource) => decimalAmount(pick(row), row.currency)

const CSV_COLUMNS: Record<string, CsvCell<Resource>> = {
  number: (row) => row.number,
  kind: (row) => row.kind,
  issued_at: (row) => row.issued_at,
  invoice: (row) => row.invoice,
  store: (row) => row.store,
  buyer_name: ({ buyer }) => buyer.name,
  buyer_country: ({ buyer }) => buyer.country,
  buyer_tax_number: ({ buyer }) => buyer.tax_number,
  plan: (row) => row.plan,
  period_from: (row) => row.period?.from,
  period_to: (row) => row.period?.to,
  method: (row) => row.method,
  currency: (row) => row.currency,
  net: amount((row) => row.net_cents),
  tax: amount((row) => row.tax_cents),
  gross: amount((row) => row.gross_cents),
  tax_name: (row) => row.tax?.name,
  tax_rate_percent: (row) => (row.tax ? row.tax.rate / 100 : ""),
  reverse_charge: (row) => row.reverse_charge,
  reason: (row) => row.reason,
}

async function renderInvoices(c: Context<ConsoleEnv>) {
  const { input } = parseQuery(c, SearchInvoices)
  const { rows, more, scanned } = await searchInvoices(c.var.ctx, input)
  return page(c, {
    title: W.invoices.title,
    actions: <ExportLink path={INVOICES} />,
    children: (
      <>
        <Filters live="invoices">
          <TextFilter name="q" label={W.invoices.number_begins} type="search" />
          <SelectFilter
            name="kind"
            label={W.invoices.kind}
            choices={INVOICE_KINDS.map((value) => ({ value, label: W.invoices.kinds[value] }))}
          />
          <TextFilter name="store" />
          <TextFilter name="since" type="datetime-local" />
          <TextFilter name="until" type="datetime-local" />
          <CreatedSortFilter />
        </Filters>
        <div id="invoices">
          {rows.length === 0 ? <EmptyState text={W.invoices.empty} /> : <InvoiceTable rows={rows} hasColumnChoice />}
          <Pager page={input.page} pageSize={INVOICES_PAGE_SIZE} hasMore={more} />
          <IncompleteResults scanned={scanned} />
        </div>
      </>
    ),
  })
}

/** A table of invoices and credit notes. */
const InvoiceTable = ({ rows, hasColumnChoice }: { rows: readonly Invoice[]; hasColumnChoice?: boolean }) => (
  <Table
    label={W.invoices.title}
    rows={rows}
    hasColumnChoice={hasColumnChoice}
    columns={[
      { head: W.invoices.number, cell: (row) => <a href={getInvoicePath(row.number)}>{row.number}</a> },
      { head: W.invoices.kind, cell: (row) => W.invoices.kinds[row.kind] },
      { head: W.invoices.buyer, cell: (row) => row.document.buyer.name },
      { head: W.stores.store, cell: (row) => <a href={`${STORES}/${row.storeId}/billing`}>{row.storeId}</a> },
      { head: W.invoices.net, isNumeric: true, cell: (row) => formatMoney(row.document.net_cents, row.currency) },
      { head: W.invoices.tax, isNumeric: true, cell: (row) => formatMoney(row.document.tax_cents, row.currency) },
      { head: W.invoices.total, isNumeric: true, cell: (row) => formatMoney(row.grossCents, row.currency) },
      {
        head: W.invoices.issued,
        sort: hasColumnChoice ? CREATED_COLUMN : undefined,
        cell: (row) => <Time at={row.issuedAt} />,
      },
    ]}
  />
)

async function renderInvoice(c: Context<ConsoleEnv>, state?: FormState) {
  const { invoice, credits, isStored, order } = await readInvoice(c.var.ctx, pathParam(c, "number"))
  const path = getInvoicePath(invoice.number)
  const { title, seller, buyer, facts, amounts, notes } = describeInvoice(invoice, "en")
  const left = invoice.grossCents - getCredited(credits).gross
  const isCreditable = isStored && invoice.kind === "invoice"
  return page(c, {
    title: invoice.number,
    crumbs: [[W.invoices.title, INVOICES]],
    state,
    actions: (
      <>
        {LOCALES.map((locale) => (
          <a class="button" data-quiet href={`${path}${PDF_SUFFIX}?language=${locale}`} hreflang={locale}>
            PDF <span class="sub">{locale}</span>
          </a>
        ))}
      </>
    ),
    children: (
      <>
        {!isStored && (
          <Note>
            <p>{W.invoices.receipt_only}</p>
          </Note>
        )}
        <Card title={title} id="document">
          <DescriptionList
            items={[
              [W.invoices.seller, seller.length > 0 ? <Lines lines={seller} /> : null],
              [W.invoices.buyer, <Lines lines={[...buyer, invoice.document.buyer.email]} />],
              ...facts.map(([label, value]): [string, Child] => [
                label,
                value === invoice.invoiceNumber ? <a href={getInvoicePath(value)}>{value}</a> : value,
              ]),
              ...amounts,
              ...notes.map((note): [string, string] => [W.invoices.note, note]),
              [W.stores.store, <a href={`${STORES}/${invoice.storeId}/billing`}>{invoice.storeId}</a>],
              order ? [W.orders.order, <a href={`/console/orders/${order}`}>{order}</a>] : null,
              isCreditable ? [W.invoices.remaining, formatMoney(left, invoice.currency)] : null,
            ]}
          />
        </Card>
        {credits.length > 0 && (
          <Card title={W.invoices.credit_notes} id="credit-notes">
            <InvoiceTable rows={credits} />
          </Card>
        )}
        {isCreditable && left > 0 && (
          <Disclosure label={W.invoices.credit} action={`${path}/credit`} id="credit">
            <Form action={`${path}/credit`} submitLabel={W.invoices.credit}>
              <Field
                name="amount"
                label={W.invoices.amount_in(invoice.currency)}
                value={decimalAmount(left, invoice.currency)}
                required
                maxlength={13}
                hint={W.invoices.amount_hint(formatMoney(left, invoice.currency))}
              />
            </Form>
          </Disclosure>
        )}
      </>
    ),
  })
}

const Lines = ({ lines }: { lines: readonly string[] }) => (
  <>
    {lines.map((line, index) => (
      <>
        {index > 0 && <br />}
        {line}
      </>
    ))}
  </>
)
