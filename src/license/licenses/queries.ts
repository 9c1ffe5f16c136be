// Reads of licenses, each one round trip.
import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { counted, type Page, readMatches, readPage, type Slice } from "../../core/list/page"
import { type CentralDatabase, read } from "../../db/client"
import { named } from "../../db/join-columns"
import { type CompiledRead, compiled, given } from "../../db/prepared"
import { licenseProducts, licenses } from "../../db/schema/central/licenses"
import { NAMED_PRODUCT } from "../products/schemas"
import { missing } from "../refusals"
import { codeKey, type LicenseOfProduct, type ListLicenses } from "./schemas"

const withProduct = (db: CentralDatabase) =>
  db
    .select({ license: named(licenses), product: named(licenseProducts, NAMED_PRODUCT) })
    .from(licenses)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
    .$dynamic()

const ROW_ID = /^[1-9]\d{0,14}$/

/** Which license is meant: by the segment of a path, a code or a number, or by its code and nothing else. */
export type LicenseName = { segment: string } | { code: string }

/** That a license may be the one that is meant: its code is a segment, or its number is. Two may be. */
export function mayBe(name: LicenseName): SQL | undefined {
  if ("code" in name) return eq(licenses.codeKey, codeKey(name.code))
  const { segment } = name
  if (!ROW_ID.test(segment)) return eq(licenses.codeKey, codeKey(segment))
  return or(eq(licenses.id, Number(segment)), eq(licenses.codeKey, segment))
}

const byCode = compiled<LicenseOfProduct, { code: string }>((db) =>
  withProduct(db).where(eq(licenses.codeKey, given("code"))),
)

const byNumberOrCode = compiled<LicenseOfProduct, { id: number; code: string }>((db) =>
  withProduct(db)
    .where(or(eq(licenses.id, given("id")), eq(licenses.codeKey, given("code"))))
    // A code that looks like another license's number goes first, for reads and for writes: what was read is what is changed.
    .orderBy(desc(sql`${licenses.codeKey} = ${given("code")}`))
    .limit(1),
)

/** The statement that reads the license that is meant; `oneLicense` reads the answer. */
export function selectLicense(name: LicenseName): CompiledRead<LicenseOfProduct> {
  if ("code" in name) return byCode({ code: codeKey(name.code) })
  const { segment } = name
  return ROW_ID.test(segment)
    ? byNumberOrCode({ id: Number(segment), code: segment })
    : byCode({ code: codeKey(segment) })
}

/**
 * The license in the answer of a statement.
 * @throws Refusal `not_found`
 */
export function oneLicense([found]: readonly LicenseOfProduct[]): LicenseOfProduct {
  if (!found) throw missing("license_not_found")
  return found
}

/** @throws Refusal `not_found` */
export const loadLicense = async (ctx: Pick<Ctx, "db">, name: LicenseName): Promise<LicenseOfProduct> =>
  oneLicense(await read(ctx.db, selectLicense(name)))

/** The license of a code, in any spelling, or null. */
export async function licenseByCode(ctx: Pick<Ctx, "db">, code: string): Promise<LicenseOfProduct | null> {
  const [found] = await read(ctx.db, selectLicense({ code }))
  return found ?? null
}

/**
 * A page of licenses, the newest first. Which licenses is settled before anything is joined to them, so that a deep page does
 * not look up what it skips.
 * @param filter its term is folded already
 */
export function pageOfLicenses(ctx: Ctx, filter: z.output<typeof ListLicenses>): Promise<Page<LicenseOfProduct>> {
  const { db } = ctx
  const { search, product_reference_id: product } = filter
  const customer = filter.customer_id?.trim().toLowerCase()
  const where = and(
    product ? eq(licenses.productId, productNumber(product)) : undefined,
    customer ? eq(licenses.customerKey, customer) : undefined,
    search ? inArray(licenses.id, matches(search)) : undefined,
  )
  const slice = ({ limit, offset }: Slice, direction: "forward" | "backward") => {
    const order = direction === "forward" ? desc(licenses.id) : asc(licenses.id)
    const shown = db.select({ id: licenses.id }).from(licenses).where(where).orderBy(order).limit(limit).offset(offset)
    return withProduct(db).where(inArray(licenses.id, shown)).orderBy(order)
  }
  return search
    ? readMatches(db, filter, db.select({ total: count() }).from(licenses).where(where), slice)
    : readPage(db, filter, totalOf(product, customer), slice)
}

const productNumber = (referenceId: string): SQL =>
  sql`(select ${licenseProducts.id} from ${licenseProducts} where ${licenseProducts.referenceId} = ${referenceId})`

function totalOf(product: string | undefined, customer: string | undefined): SQL {
  const parts = [product && sql`'p:' || ${productNumber(product)}`, customer && sql`'c:' || ${customer}`].filter(
    Boolean,
  )
  return counted("licenses", parts.length ? sql.join(parts as SQL[], sql` || '|' || `) : "")
}

/** The index holds runs of three characters. */
const RUN = 3

/** The numbers of licenses that hold a text: by its runs where it has any, else by the runs that begin with it. */
const matches = (term: string): SQL =>
  [...term].length >= RUN
    ? sql`(select rowid from licenses_search where licenses_search match ${`"${term.replaceAll('"', '""')}"`})`
    : sql`(select doc from licenses_runs where term >= ${term} and term < ${`${term}\u{10FFFF}`})`
