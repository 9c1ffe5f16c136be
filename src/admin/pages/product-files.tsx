// Exports a shop's products as CSV, and imports them after a preview of what happens with each line.
import type { Context } from "hono"
import * as z from "zod"
import {
  CSV_COLUMNS,
  type ImportLine,
  MAX_IMPORT_LENGTH,
  MAX_IMPORT_LINES,
  planImport,
  readAllProducts,
  runImport,
} from "../../apps/ecommerce/products/import"
import { listImages } from "../../apps/ecommerce/products/schemas"
import { isContentRefusal } from "../../content/envelope"
import { fieldMessages, toAttribute } from "../../core/i18n/field-messages"
import { decimalAmount, money, withColon } from "../../lib/intl"
import { createCsvResponse } from "../../page-kit/csv"
import { Form, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Badge, Card, Note } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { createAdminPages, requireRole } from "../access"
import { requireShop } from "../apps"
import { getRefusalMessage, handleForm } from "../forms"
import { page } from "../page"
import { PRODUCTS } from "../paths"
import { getCtx, getSession } from "../session"
import type { AdminStrings } from "../strings/types"
import type { AdminEnv } from "../types"

type C = Context<AdminEnv>

const IMPORT_PATH = `${PRODUCTS}/import`

const Import = z.object({
  csv: z.string().min(1).max(MAX_IMPORT_LENGTH),
  /** The basis of each line in the preview that the form confirms. */
  shown: z.array(z.string().max(20)).max(MAX_IMPORT_LINES).optional(),
})

export const productFiles = createAdminPages()
  .get(`${PRODUCTS}.csv`, requireShop, (c) =>
    createCsvResponse(
      {
        name: (row) => row.name,
        slug: (row) => row.slug,
        price: (row) => decimalAmount(row.priceCents, row.currency),
        currency: (row) => row.currency,
        stock: (row) => row.stock,
        status: (row) => row.status,
        description: (row) => row.description,
        images: (row) => listImages(row).join(" "),
        seo_title: (row) => row.seoTitle,
        seo_description: (row) => row.seoDescription,
      },
      readAllProducts(getCtx(c)),
      "products",
    ),
  )
  .get(IMPORT_PATH, requireShop, requireRole("editor"), (c) => renderImport(c, emptyForm()))
  .post(IMPORT_PATH, requireRole("editor"), requireShop, (c) =>
    handleForm(c, {
      schema: Import,
      run: async ({ csv, shown }) => {
        const lines = await planImport(getCtx(c), csv, getSession(c).shop.currency)
        if (!shown) return renderPreview(c, csv, lines)
        const { created, updated, refused } = await runImport(getCtx(c), lines, shown)
        if (refused.length > 0) return renderResult(c, { created, updated, refused })
        return `${IMPORT_PATH}?${new URLSearchParams({ created: String(created), updated: String(updated) })}`
      },
      render: (state) => renderImport(c, state),
    }),
  )

const crumbs = (c: C): [string, string][] => [[c.var.strings.nav.products, PRODUCTS]]

/** The counts of an import that is complete. */
const Imported = z
  .object({
    created: z.coerce.number().int().min(0).max(MAX_IMPORT_LINES),
    updated: z.coerce.number().int().min(0).max(MAX_IMPORT_LINES),
  })
  .partial()

function renderImport(c: C, state: FormState) {
  const { products: t } = c.var.strings
  const { created, updated } = pickQuery(Imported, c.req.query()).input
  return page(c, {
    title: t.import,
    crumbs: crumbs(c),
    state,
    children: (
      <>
        {created !== undefined && updated !== undefined && (
          <Note tone="good">
            <p role="status">{t.imported(created, updated)}</p>
          </Note>
        )}
        <Form action={IMPORT_PATH} submitLabel={t.import_check}>
          <TextArea
            name="csv"
            label={t.import_text}
            rows={12}
            maxlength={MAX_IMPORT_LENGTH}
            required
            accept=".csv,text/csv"
            hint={t.import_hint(CSV_COLUMNS.join(", "), MAX_IMPORT_LINES)}
          />
        </Form>
      </>
    ),
  })
}

/** Shows what happens with each line. The text travels with the form, and is checked again, also against this preview. */
function renderPreview(c: C, csv: string, lines: readonly ImportLine[]) {
  const { products: t, kit } = c.var.strings
  const count = lines.filter(({ outcome }) => outcome !== "error").length
  const labels: Readonly<Record<string, string>> = kit.fields
  const nameColumn = (name: string) => (labels[name] === undefined ? undefined : toAttribute(labels[name]))
  const problem = ({ errors }: ImportLine) =>
    Object.values(fieldMessages(errors, c.var.ctx.locale, nameColumn))
      .flat()
      .join(" ")
  return page(c, {
    title: t.import,
    crumbs: crumbs(c),
    children: (
      <>
        <Table
          label={t.import}
          rows={lines}
          columns={[
            { head: t.line, isNumeric: true, cell: ({ line }) => line },
            { head: kit.fields.name ?? "", cell: ({ name }) => name },
            {
              head: t.outcome,
              cell: (row) => <Outcome row={row} labels={t.outcomes} />,
            },
            { head: t.changes, isLong: true, cell: (row) => listChanges(c, row).join("; ") },
            { head: t.problem, isLong: true, cell: problem },
          ]}
        />
        {count > 0 && (
          <Form action={IMPORT_PATH} submitLabel={t.import_run(count)}>
            <input type="hidden" name="csv" value={csv} />
            <input type="hidden" name="shown" value={lines.map(({ basis }) => basis).join()} />
          </Form>
        )}
        <p>
          <a href={IMPORT_PATH}>{c.var.strings.common.back}</a>
        </p>
      </>
    ),
  })
}

function Outcome({ row, labels }: { row: ImportLine; labels: AdminStrings["products"]["outcomes"] }) {
  const { outcome, changed } = row
  if (outcome === "update" && changed.length === 0) return <Badge status="off" text={labels.unchanged} />
  return <Badge status={outcome === "error" ? "failed" : "ok"} text={labels[outcome]} />
}

/** Lists the fields that a line changes or sets: the price, stock and status with their values, other fields by name. */
function listChanges(c: C, { changed, before, after }: ImportLine): string[] {
  const { products: t, kit } = c.var.strings
  const { locale } = c.var.ctx
  const labels: Readonly<Record<string, string>> = kit.fields
  const formats: Partial<Record<string, (values: NonNullable<ImportLine["after"]>) => string>> = {
    price: ({ priceCents, currency }) => money(priceCents, currency, locale),
    stock: ({ stock }) => String(stock ?? "–"),
    status: ({ status }) => t.statuses[status],
  }
  return changed.map((name) => {
    const label = labels[name] ?? name
    const format = formats[name]
    if (!format || !after) return label
    return `${withColon(label, locale)} ${before ? `${format(before)} → ` : ""}${format(after)}`
  })
}

/** Shows the rejected lines, which the shop's staff correct and import again. */
function renderResult(c: C, { created, updated, refused }: Awaited<ReturnType<typeof runImport>>) {
  const { products: t, kit } = c.var.strings
  return page(c, {
    title: t.import,
    crumbs: crumbs(c),
    children: (
      <>
        <Note tone="good">
          <p role="status">{t.imported(created, updated)}</p>
        </Note>
        {refused.length > 0 && (
          <Card title={t.refused_lines}>
            <Table
              label={t.refused_lines}
              rows={refused}
              columns={[
                { head: t.line, isNumeric: true, cell: ({ line }) => line },
                { head: kit.fields.name ?? "", cell: ({ name }) => name },
                {
                  head: t.problem,
                  isLong: true,
                  cell: ({ refusal }) => (isContentRefusal(refusal) ? getRefusalMessage(c, refusal) : refusal.code),
                },
              ]}
            />
          </Card>
        )}
        <p>
          <a href={PRODUCTS}>{c.var.strings.nav.products}</a>
        </p>
      </>
    ),
  })
}
