// Queries for products with their latest version, for legacy clients.
import { desc, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../../core/context"
import { batch } from "../../../db/client"
import { aliasedColumns, nullIfUnmatched } from "../../../db/join-columns"
import { licenseProducts, licenseVersions } from "../../../db/schema/central/licenses"
import { requireProduct, selectProductByReference } from "../../products/queries"
import type { Product } from "../../products/schemas"
import { selectNewest } from "../../versions/queries"
import type { Version } from "../../versions/schemas"

export interface ProductWithLatest {
  product: Product
  latest: Version | null
}

/** @throws Refusal `not_found` */
export async function loadProductWithLatest(ctx: Ctx, referenceId: string): Promise<ProductWithLatest> {
  const [products, newest] = await batch(ctx.db, [
    selectProductByReference({ referenceId }),
    selectNewest(ctx.db, referenceId, ctx.now),
  ])
  return { product: requireProduct(products), latest: newest[0] ?? null }
}

/** The legacy list is not paginated; further products are omitted. */
const MAX_PRODUCTS = 500

/** Lists products, newest first, each with its latest version. */
export async function loadProductsWithLatest(ctx: Ctx): Promise<ProductWithLatest[]> {
  // The limit matters: two versions can compare as equal.
  const newest = sql`(select v.id from license_versions v
    where v.product_id = ${licenseProducts.id} and v.is_active = 1 and v.released_at <= ${ctx.now.getTime()}
    order by v.sort_key desc, v.id desc limit 1)`
  const rows = await ctx.db
    .select({ product: aliasedColumns(licenseProducts), latest: aliasedColumns(licenseVersions) })
    .from(licenseProducts)
    .leftJoin(licenseVersions, eq(licenseVersions.id, newest))
    .orderBy(desc(licenseProducts.id))
    .limit(MAX_PRODUCTS)
  return rows.map((row) => ({ product: row.product, latest: row.latest && nullIfUnmatched(row.latest) }))
}
