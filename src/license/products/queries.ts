// Reads of products.
import { asc, desc, eq, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, readPage } from "../../core/page"
import type { CentralDatabase } from "../../db/client"
import { licenseProducts } from "../../db/schema/central/licenses"
import { missing } from "../envelope"
import type { Product } from "./schemas"

/** The condition that names a product by its reference id. */
const isProduct = (referenceId: string): SQL => eq(licenseProducts.referenceId, referenceId)

/** The statement that reads the product a client says it is. */
export const selectProduct = (db: CentralDatabase, referenceId: string) =>
  db.select().from(licenseProducts).where(isProduct(referenceId))

const ROW_ID = /^[1-9]\d{0,14}$/

/**
 * The statement that reads the product in a path: by its reference id, or else by its number. `oneProduct` reads the answer.
 */
export const selectProductAt = (db: CentralDatabase, segment: string) =>
  db
    .select()
    .from(licenseProducts)
    .where(ROW_ID.test(segment) ? or(isProduct(segment), eq(licenseProducts.id, Number(segment))) : isProduct(segment))
    // A reference id that looks like another product's number goes first.
    .orderBy(desc(sql`${licenseProducts.referenceId} = ${segment}`))
    .limit(1)

/**
 * The product in the answer of a statement.
 * @throws Refusal `not_found`
 */
export function oneProduct(rows: unknown): Product {
  const [product] = rows as Product[]
  if (!product) throw missing("product_not_found")
  return product
}

/** @throws Refusal `not_found` */
export const loadProduct = async (ctx: Ctx, segment: string): Promise<Product> =>
  oneProduct(await selectProductAt(ctx.db, segment))

/** A page of products, the newest first. */
export const pageOfProducts = (ctx: Ctx, page: PageRequest): Promise<Page<Product>> =>
  readPage<Product>(ctx.db, page, counted("license_products"), ({ limit, offset }, direction) =>
    ctx.db
      .select()
      .from(licenseProducts)
      .orderBy(direction === "forward" ? desc(licenseProducts.id) : asc(licenseProducts.id))
      .limit(limit)
      .offset(offset),
  )
