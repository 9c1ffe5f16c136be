// Reads of products.
import { asc, desc, eq, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, readPage } from "../../core/list/page"
import type { CentralDatabase } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { licenseProducts } from "../../db/schema/central/licenses"
import { missing } from "../refusals"
import type { Product } from "./schemas"

/** The condition that names a product by its reference id. */
const isProduct = (referenceId: string): SQL => eq(licenseProducts.referenceId, referenceId)

/** The statement that reads the product a client says it is. */
export const productByReference = compiled<Product, { referenceId: string }>((db) =>
  db
    .select()
    .from(licenseProducts)
    .where(eq(licenseProducts.referenceId, given("referenceId"))),
)

const ROW_ID = /^[1-9]\d{0,14}$/

/** Which product is meant: by the segment of a path, a reference id or a number, or by its reference id and nothing else. */
export type ProductName = { segment: string } | { referenceId: string }

/** The statement that reads the product that is meant; `oneProduct` reads the answer. */
export function selectProductNamed(db: CentralDatabase, name: ProductName) {
  const [id, isNumber] =
    "segment" in name ? [name.segment, ROW_ID.test(name.segment)] : ([name.referenceId, false] as const)
  return (
    db
      .select()
      .from(licenseProducts)
      .where(isNumber ? or(isProduct(id), eq(licenseProducts.id, Number(id))) : isProduct(id))
      // A reference id that looks like another product's number goes first.
      .orderBy(desc(sql`${licenseProducts.referenceId} = ${id}`))
      .limit(1)
  )
}

/**
 * The product in the answer of a statement.
 * @throws Refusal `not_found`
 */
export function oneProduct([product]: readonly Product[]): Product {
  if (!product) throw missing("product_not_found")
  return product
}

/** @throws Refusal `not_found` */
export const loadProduct = async (ctx: Ctx, name: ProductName): Promise<Product> =>
  oneProduct(await selectProductNamed(ctx.db, name))

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
