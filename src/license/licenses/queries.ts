// Queries for licenses. Each takes one round trip.
import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { type Page, readMatches, readPage, type Slice, selectCounter } from "../../core/list/page"
import { streamRows } from "../../core/list/stream"
import { type CentralDatabase, read } from "../../db/client"
import { aliasedColumns } from "../../db/join-columns"
import { type PreparedRead, param, prepareRead } from "../../db/prepared"
import { licenseProducts, licenses } from "../../db/schema/central/licenses"
import { ROW_ID_PATTERN, selectProductId } from "../products/queries"
import { PRODUCT_SUMMARY_COLUMNS } from "../products/schemas"
import { notFound } from "../refusals"
import { type LicenseWithProduct, type ListLicenses, normaliseCode } from "./schemas"

const selectWithProduct = (db: CentralDatabase) =>
  db
    .select({ license: aliasedColumns(licenses), product: aliasedColumns(licenseProducts, PRODUCT_SUMMARY_COLUMNS) })
    .from(licenses)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
    .$dynamic()

/** A reference to a license: a path segment, which is an id or a code, or explicitly one of both. */
export type LicenseRef = { segment: string } | { code: string } | { id: number }

/** Builds the condition for a reference. A segment can match two licenses: one by its id and one by its code. */
export function matchesLicenseRef(ref: LicenseRef): SQL | undefined {
  if ("id" in ref) return eq(licenses.id, ref.id)
  if ("code" in ref) return eq(licenses.codeKey, normaliseCode(ref.code))
  const { segment } = ref
  if (!ROW_ID_PATTERN.test(segment)) return eq(licenses.codeKey, normaliseCode(segment))
  return or(eq(licenses.id, Number(segment)), eq(licenses.codeKey, segment))
}

const byCode = prepareRead<LicenseWithProduct, { code: string }>((db) =>
  selectWithProduct(db).where(eq(licenses.codeKey, param("code"))),
)

const byId = prepareRead<LicenseWithProduct, { id: number }>((db) =>
  selectWithProduct(db).where(eq(licenses.id, param("id"))),
)

const byIdOrCode = prepareRead<LicenseWithProduct, { id: number; code: string }>((db) =>
  selectWithProduct(db)
    .where(or(eq(licenses.id, param("id")), eq(licenses.codeKey, param("code"))))
    // A code wins over another license's equal id. Reads and writes share this order, so they resolve to the same
    // license.
    .orderBy(desc(sql`${licenses.codeKey} = ${param("code")}`))
    .limit(1),
)

/** Query for the license of a reference; `requireLicense` reads the result. */
export function selectLicense(ref: LicenseRef): PreparedRead<LicenseWithProduct> {
  if ("id" in ref) return byId({ id: ref.id })
  if ("code" in ref) return byCode({ code: normaliseCode(ref.code) })
  const { segment } = ref
  return ROW_ID_PATTERN.test(segment)
    ? byIdOrCode({ id: Number(segment), code: segment })
    : byCode({ code: normaliseCode(segment) })
}

/**
 * Returns the first license of a result.
 * @throws Refusal `not_found` for an empty result
 */
export function requireLicense([found]: readonly LicenseWithProduct[]): LicenseWithProduct {
  if (!found) throw notFound("license_not_found")
  return found
}

/** @throws Refusal `not_found` */
export const loadLicense = async (ctx: Pick<Ctx, "db">, ref: LicenseRef): Promise<LicenseWithProduct> =>
  requireLicense(await read(ctx.db, selectLicense(ref)))

/**
 * Returns a page of licenses, newest first. The ids of the page are selected before the join, so that a deep page does
 * not join the rows that it skips.
 * @param filter with the search term already folded
 */
export function readLicensePage(ctx: Ctx, filter: z.output<typeof ListLicenses>): Promise<Page<LicenseWithProduct>> {
  const { db } = ctx
  const { search, product_reference_id: product } = filter
  const customer = filter.customer_id?.trim().toLowerCase()
  const where = and(
    product ? eq(licenses.productId, selectProductId(product)) : undefined,
    customer ? eq(licenses.customerKey, customer) : undefined,
    search ? inArray(licenses.id, matchingIds(search)) : undefined,
  )
  const slice = ({ limit, offset }: Slice, direction: "forward" | "backward") => {
    const order = direction === "forward" ? desc(licenses.id) : asc(licenses.id)
    const pageIds = db
      .select({ id: licenses.id })
      .from(licenses)
      .where(where)
      .orderBy(order)
      .limit(limit)
      .offset(offset)
    return selectWithProduct(db).where(inArray(licenses.id, pageIds)).orderBy(order)
  }
  return search
    ? readMatches(db, filter, db.select({ total: count() }).from(licenses).where(where), slice)
    : readPage(db, filter, countLicenses(product, customer), slice)
}

/** Streams all matching licenses with their products, newest first. */
export async function* streamLicenseChunks(
  { db }: Ctx,
  { search, product_reference_id: product }: Pick<z.output<typeof ListLicenses>, "search" | "product_reference_id">,
): AsyncGenerator<LicenseWithProduct[]> {
  const chunks = streamRows(db, licenses, licenses.id, {
    indexed: product ? eq(licenses.productId, selectProductId(product)) : undefined,
    filter: search ? inArray(licenses.id, matchingIds(search)) : undefined,
  })
  for await (const chunk of chunks) {
    const ids = JSON.stringify(chunk.map(({ id }) => id))
    yield selectWithProduct(db)
      .where(inArray(licenses.id, sql`(select value from json_each(${ids}))`))
      .orderBy(desc(licenses.id))
  }
}

function countLicenses(product: string | undefined, customer: string | undefined): SQL {
  const parts = [product && sql`'p:' || ${selectProductId(product)}`, customer && sql`'c:' || ${customer}`].filter(
    Boolean,
  )
  return selectCounter("licenses", parts.length ? sql.join(parts as SQL[], sql` || '|' || `) : "")
}

/** The search index contains trigrams. */
const TRIGRAM_LENGTH = 3

/**
 * Subquery for the ids of licenses that contain a term. Terms shorter than a trigram match the trigrams that start with
 * them.
 */
const matchingIds = (term: string): SQL =>
  [...term].length >= TRIGRAM_LENGTH
    ? sql`(select rowid from licenses_search where licenses_search match ${`"${term.replaceAll('"', '""')}"`})`
    : sql`(select doc from licenses_runs where term >= ${term} and term < ${`${term}\u{10FFFF}`})`
