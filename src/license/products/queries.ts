// Queries for licensed products.
import { asc, desc, eq, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { type Page, type PageRequest, readPage, selectCounter } from "../../core/list/page"
import type { CentralDatabase } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { licenseProducts } from "../../db/schema/central/licenses"
import { notFound } from "../refusals"
import type { Product } from "./schemas"

/** Subquery for the id of the product with a reference id. */
export const selectProductId = (referenceId: string): SQL =>
  sql`(select ${licenseProducts.id} from ${licenseProducts} where ${licenseProducts.referenceId} = ${referenceId})`

const hasReferenceId = (referenceId: string): SQL => eq(licenseProducts.referenceId, referenceId)

/** Prepared query for a product by its reference id. */
export const selectProductByReference = prepareRead<Product, { referenceId: string }>((db) =>
  db
    .select()
    .from(licenseProducts)
    .where(eq(licenseProducts.referenceId, param("referenceId"))),
)

/** Path segments of this form are tried as row ids too. */
export const ROW_ID_PATTERN = /^[1-9]\d{0,14}$/

/** A reference to a product: a path segment, which is an id or a reference id, or explicitly a reference id. */
export type ProductRef = { segment: string } | { referenceId: string }

/** Query for the product of a reference; `requireProduct` reads the result. */
export function selectProduct(db: CentralDatabase, ref: ProductRef) {
  const [id, isRowId] =
    "segment" in ref ? [ref.segment, ROW_ID_PATTERN.test(ref.segment)] : ([ref.referenceId, false] as const)
  return (
    db
      .select()
      .from(licenseProducts)
      .where(isRowId ? or(hasReferenceId(id), eq(licenseProducts.id, Number(id))) : hasReferenceId(id))
      // A reference id wins over another product's equal id.
      .orderBy(desc(sql`${licenseProducts.referenceId} = ${id}`))
      .limit(1)
  )
}

/**
 * Returns the first product of a result.
 * @throws Refusal `not_found` for an empty result
 */
export function requireProduct([product]: readonly Product[]): Product {
  if (!product) throw notFound("product_not_found")
  return product
}

/** @throws Refusal `not_found` */
export const loadProduct = async (ctx: Ctx, ref: ProductRef): Promise<Product> =>
  requireProduct(await selectProduct(ctx.db, ref))

/** Returns a page of products, newest first. */
export const readProductPage = (ctx: Ctx, page: PageRequest): Promise<Page<Product>> =>
  readPage<Product>(ctx.db, page, selectCounter("license_products"), ({ limit, offset }, direction) =>
    ctx.db
      .select()
      .from(licenseProducts)
      .orderBy(direction === "forward" ? desc(licenseProducts.id) : asc(licenseProducts.id))
      .limit(limit)
      .offset(offset),
  )
