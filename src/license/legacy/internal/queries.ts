// Products with their newest version, as older clients want them.
import { desc, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../../core/context"
import { batch } from "../../../db/client"
import { joined, named } from "../../../db/join-columns"
import { licenseProducts, licenseVersions } from "../../../db/schema/central/licenses"
import { oneProduct, productByReference } from "../../products/queries"
import type { Product } from "../../products/schemas"
import { selectNewest } from "../../versions/queries"
import type { Version } from "../../versions/schemas"

export interface ProductWithLatest {
  product: Product
  latest: Version | null
}

/** @throws Refusal `not_found` */
export async function productWithLatest(ctx: Ctx, referenceId: string): Promise<ProductWithLatest> {
  const [products, newest] = await batch(ctx.db, [
    productByReference({ referenceId }),
    selectNewest(ctx.db, referenceId, ctx.now),
  ])
  return { product: oneProduct(products), latest: newest[0] ?? null }
}

/** The old list has no pages; this is where it ends. */
const MOST_PRODUCTS = 500

/** The products, the newest first. */
export async function productsWithLatest(ctx: Ctx): Promise<ProductWithLatest[]> {
  // One, also where two compare as equal.
  const newest = sql`(select v.id from license_versions v
    where v.product_id = ${licenseProducts.id} and v.is_active = 1 and v.released_at <= ${ctx.now.getTime()}
    order by v.sort_key desc, v.id desc limit 1)`
  const rows = await ctx.db
    .select({ product: named(licenseProducts), latest: named(licenseVersions) })
    .from(licenseProducts)
    .leftJoin(licenseVersions, eq(licenseVersions.id, newest))
    .orderBy(desc(licenseProducts.id))
    .limit(MOST_PRODUCTS)
  return rows.map((row) => ({ product: row.product, latest: row.latest && joined(row.latest) }))
}
