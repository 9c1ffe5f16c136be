// Exports a shop's products, and imports them from CSV: a line with the slug of a product changes it, any other line
// creates one.
import { asc, gt } from "drizzle-orm"
import type * as z from "zod"
import { authenticate, type UserCtx } from "../../../content/user"
import { parseInput } from "../../../core/http/input"
import { type FieldErrors, invalid, Refusal } from "../../../core/http/refusal"
import { parseCsv, unescapeFormulas } from "../../../lib/csv"
import { parseAmount } from "../../../lib/intl"
import { isEmpty } from "../../../lib/is-empty"
import { products } from "../tables"
import { productColumns, selectProductsBySlug } from "./queries"
import { CreateProduct, type Product, UpdateProduct } from "./schemas"
import { compareWithInput, createProduct, updateProduct } from "./service"

/** Every line costs up to four round trips, and a request may have a thousand. */
export const MAX_IMPORT_LINES = 200

/** Characters of an import: 2,500 per line. */
export const MAX_IMPORT_LENGTH = 500_000

/** Products per chunk of an export. */
const CHUNK_SIZE = 200

/** The columns of a CSV file, in the order of the export. Others are ignored. */
export const CSV_COLUMNS = [
  "name",
  "slug",
  "price",
  "currency",
  "stock",
  "status",
  "description",
  "images",
  "seo_title",
  "seo_description",
] as const

type Column = (typeof CSV_COLUMNS)[number]

/** The values that a preview shows. */
type ShownValues = Pick<Product, "priceCents" | "currency" | "stock" | "status">

export interface ImportLine {
  /** One-based number of the line among those with content, including the head. */
  line: number
  name: string
  outcome: "create" | "update" | "error"
  errors: FieldErrors
  slug: string | null
  fields: Record<string, unknown>
  /** The columns whose values the line changes, or sets for a new product. */
  changed: Column[]
  /** The product that the line changes; null for any other line. */
  before: ShownValues | null
  /** The product with the line's values; null for a line with errors. */
  after: ShownValues | null
  /**
   * What the preview shows the line to be based on: `create`, `error`, or the stock of the product that it updates, as
   * in `7`, or `untracked`.
   */
  basis: string
}

/**
 * Decides what an import would do with each line. Changes nothing.
 * @param currency of new products whose line has none
 * @throws Refusal `unauthenticated`, `forbidden`; `validation_failed` for a text without lines, or with too many
 */
export async function planImport(ctx: UserCtx, text: string, currency: string): Promise<ImportLine[]> {
  const [head = [], ...rows] = parseCsv(text)
  const names = head.map((name) => name.trim().toLowerCase())
  if (!(names.includes("name") || names.includes("slug")) || !rows.length) throw invalid("csv", "format")
  if (rows.length > MAX_IMPORT_LINES) throw invalid("csv", "max_items", { max: MAX_IMPORT_LINES })
  const lines = rows.map((row) => toCells(names, row))
  const slugs = lines.flatMap(({ slug }) => (slug ? [slug] : []))
  const { results } = await authenticate(ctx, () => [selectProductsBySlug(ctx.site, slugs)], { role: "editor" })
  const existing = new Map(results[0].map((product) => [product.slug, product]))
  const newSlugs = new Set<string>()
  return lines.map((cells, index) => {
    const current = existing.get(cells.slug ?? "")
    const isUpdate = current !== undefined
    const { fields, errors } = toFields(cells, current?.currency ?? currency)
    const parsed = tryParse<NewValues | ChangedValues>(() =>
      isUpdate
        ? parseInput(UpdateProduct, fields).complete({ slug: null })
        : parseInput(CreateProduct, fields).complete({ slug: null }),
    )
    const found = { ...errors, ...parsed.errors }
    if (!isUpdate && cells.slug) {
      if (newSlugs.has(cells.slug)) found.slug ??= [{ rule: "duplicate" }]
      else if (isEmpty(found)) newSlugs.add(cells.slug)
    }
    const outcome = isEmpty(found) ? (isUpdate ? "update" : "create") : "error"
    const effect = outcome === "error" || !parsed.values ? NO_EFFECT : findEffect(current, parsed.values)
    // A later line with the same slug changes the product that this one leaves.
    if (current && effect.after) existing.set(current.slug, { ...current, ...effect.after })
    return {
      line: index + 2,
      name: cells.name || cells.slug || "",
      outcome,
      errors: found,
      slug: cells.slug || null,
      fields,
      changed: effect.changed,
      before: outcome === "update" ? (current ?? null) : null,
      after: effect.after,
      basis: current && outcome === "update" ? describeStock(current) : outcome,
    }
  })
}

const describeStock = ({ stock }: { stock: number | null }): string => String(stock ?? "untracked")

function toCells(names: readonly string[], row: readonly string[]): Partial<Record<Column, string>> {
  const cells: Partial<Record<Column, string>> = {}
  for (const column of CSV_COLUMNS) {
    const value = row[names.indexOf(column)]
    if (value !== undefined) cells[column] = unescapeFormulas(value).trim()
  }
  return cells
}

/**
 * Converts the cells of a line to the fields of a product. An empty cell is left out, except for the stock.
 * @param defaultCurrency the currency of a line without one
 */
function toFields(cells: Partial<Record<Column, string>>, defaultCurrency: string) {
  const { price, currency: ownCurrency, stock, images, ...texts } = cells
  const currency = ownCurrency || defaultCurrency
  const cents = price ? parseAmount(price, currency) : undefined
  const errors: FieldErrors = {}
  if (cents === null) errors.price = [{ rule: "format" }]
  // An amount means something else in another currency.
  else if (cents === undefined && currency.toUpperCase() !== defaultCurrency) errors.price = [{ rule: "required" }]
  const optional = { ...texts, status: texts.status?.toLowerCase() }
  const fields: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value)),
    ...(cents === undefined ? {} : { price_cents: cents ?? 0, currency }),
    ...(stock === undefined ? {} : { stock: toStock(stock) }),
    ...(images ? { images: images.split(/\s+/) } : {}),
  }
  return { fields, errors }
}

const toStock = (text: string): number | string | null =>
  text === "" ? null : /^\d{1,9}$/.test(text) ? Number(text) : text

/** The price is a column in units, so errors of the amount are about it. */
const COLUMN_OF: Record<string, string> = { price_cents: "price" }

/** The column whose change the preview shows for a field: a price includes its currency. */
const CHANGED_COLUMN_OF: Record<string, string> = { price_cents: "price", currency: "price", image: "images" }

type NewValues = z.output<typeof CreateProduct>
type ChangedValues = z.output<typeof UpdateProduct>

interface Effect {
  changed: Column[]
  after: Product | ShownValues | null
}

const NO_EFFECT: Effect = { changed: [], after: null }

/** Finds what a line without errors changes of a product, or sets of a new one. */
function findEffect(current: Product | undefined, values: NewValues | ChangedValues): Effect {
  if (current) {
    const { columns, changed } = compareWithInput(current, values)
    const names = new Set(Object.keys(changed).map((name) => CHANGED_COLUMN_OF[name] ?? name))
    return { changed: CSV_COLUMNS.filter((name) => names.has(name)), after: { ...current, ...columns } }
  }
  const { price_cents, currency, stock = null, status } = values as NewValues
  return {
    changed: stock === null ? ["price", "status"] : ["price", "stock", "status"],
    after: { priceCents: price_cents, currency, stock, status },
  }
}

/** Returns the values that `parse` accepts, or its errors by column. */
function tryParse<Values>(parse: () => Values): { values?: Values; errors?: FieldErrors } {
  try {
    return { values: parse() }
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== "validation_failed") throw thrown
    const { fields: found = {} } = thrown.facts
    return { errors: Object.fromEntries(Object.entries(found).map(([name, list]) => [COLUMN_OF[name] ?? name, list])) }
  }
}

const LINE_REFUSALS: readonly string[] = ["validation_failed", "limit_reached", "not_found", "precondition_failed"]

/**
 * Imports the lines without errors, one after the other. Refuses those that would now do something else than the
 * preview showed, so that an import undoes no sale since then.
 * @param lines as they are planned now
 * @param shown the basis of each line in the preview
 * @returns how many products were created and changed, and the lines that were refused
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function runImport(ctx: UserCtx, lines: readonly ImportLine[], shown: readonly string[]) {
  const result = { created: 0, updated: 0, refused: [] as { line: number; name: string; refusal: Refusal }[] }
  // lint: each line is a transaction, so that a refused one stops no other
  for (const [index, line] of lines.entries()) {
    const basis = shown[index] ?? ""
    if (line.outcome === "error" && basis === "error") continue
    try {
      const done = await importLine(ctx, line, basis)
      if (done) result[done] += 1
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || !LINE_REFUSALS.includes(thrown.code)) throw thrown
      result.refused.push({ line: line.line, name: line.name, refusal: thrown })
    }
  }
  return result
}

/** @returns null for a line that differs in nothing, which writes nothing */
async function importLine(
  ctx: UserCtx,
  { outcome, slug, fields }: ImportLine,
  shown: string,
): Promise<"created" | "updated" | null> {
  const shownOutcome = shown === "create" || shown === "error" ? shown : "update"
  if (outcome !== shownOutcome) throw new Refusal("precondition_failed")
  if (outcome === "create") {
    await createProduct(ctx, parseInput(CreateProduct, fields))
    return "created"
  }
  const { stock, ...others } = fields
  // The preview showed no change of the stock. Orders may have changed it since.
  const isStockShown = stock === undefined || describeStock({ stock: stock as number | null }) === shown
  const input = parseInput(UpdateProduct, isStockShown ? others : fields)
  const { updatedAt } = await updateProduct(ctx, slug ?? "", input, (product) => {
    if (!isStockShown && describeStock(product) !== shown) throw new Refusal("precondition_failed")
  })
  return updatedAt >= ctx.now ? "updated" : null
}

/**
 * Reads all products of a shop in chunks, for a member of the staff.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function* readAllProducts(ctx: UserCtx): AsyncGenerator<Product[]> {
  let last = 0
  for (;;) {
    const { results } = await authenticate(
      ctx,
      () => [
        ctx.site.db
          .select(productColumns)
          .from(products)
          .where(gt(products.id, last))
          .orderBy(asc(products.id))
          .limit(CHUNK_SIZE),
      ],
      { role: "viewer" },
    )
    const [rows] = results
    if (rows.length) yield [...rows]
    if (rows.length < CHUNK_SIZE) return
    last = rows.at(-1)?.id ?? last
  }
}
