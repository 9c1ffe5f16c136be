// Queries for versions of licensed products.
import { and, asc, desc, eq, gt, lte, type SQL } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { batch, type CentralDatabase } from "../../db/client"
import { aliasedColumns } from "../../db/join-columns"
import { licenseProducts, licenseVersions } from "../../db/schema/central/licenses"
import { requireProduct, selectProduct, selectProductId } from "../products/queries"
import type { Product } from "../products/schemas"
import { compareVersions, versionSortKey } from "../rules/version-order"
import type { Version } from "./schemas"

/** A version and its product. */
export interface VersionWithProduct {
  version: Version
  product: Product
}

/** Query for a version by its public id; `firstVersion` reads the result. */
export const selectVersion = (db: CentralDatabase, versionId: string) =>
  db
    .select({ version: aliasedColumns(licenseVersions), product: aliasedColumns(licenseProducts) })
    .from(licenseVersions)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenseVersions.productId))
    .where(eq(licenseVersions.versionId, versionId))

/** Returns the result of `selectVersion`, or null. */
export const firstVersion = ([found]: readonly VersionWithProduct[]): VersionWithProduct | null => found ?? null

/**
 * Loads a version of the product in a path.
 * @throws Refusal `not_found`
 */
export async function loadVersion(ctx: Ctx, product: string, versionId: string): Promise<VersionWithProduct> {
  const [products, versions] = await batch(ctx.db, [
    selectProduct(ctx.db, { segment: product }),
    selectVersion(ctx.db, versionId),
  ])
  const found = firstVersion(versions)
  if (!found || found.product.id !== requireProduct(products).id) throw new Refusal("not_found")
  return found
}

/** Of two versions that compare as equal, such as 1.0.0 and v1.0.0, the one that was added last is newer. */
const NEWEST_FIRST = [desc(licenseVersions.sortKey), desc(licenseVersions.id)]

/**
 * Loads all versions of a product, newest first.
 * @throws Refusal `not_found`
 */
export async function loadVersions(ctx: Ctx, segment: string): Promise<{ product: Product; versions: Version[] }> {
  const product = requireProduct(await selectProduct(ctx.db, { segment }))
  const versions = await ctx.db
    .select()
    .from(licenseVersions)
    .where(eq(licenseVersions.productId, product.id))
    .orderBy(...NEWEST_FIRST)
  return { product, versions: versions.sort((a, b) => compareVersions(b.version, a.version)) }
}

const selectReleased = (db: CentralDatabase, product: string, now: Date, more?: SQL) =>
  db
    .select()
    .from(licenseVersions)
    .where(
      and(
        eq(licenseVersions.productId, selectProductId(product)),
        eq(licenseVersions.isActive, true),
        lte(licenseVersions.releasedAt, now),
        more,
      ),
    )
    .$dynamic()
    .limit(1)

/** Query for the latest released version of a product. */
export const selectNewest = (db: CentralDatabase, product: string, now: Date) =>
  selectReleased(db, product, now).orderBy(...NEWEST_FIRST)

/** Query for the lowest released version above another one; of equal versions the newer one. */
export const selectNext = (db: CentralDatabase, product: string, above: string, now: Date) =>
  selectReleased(db, product, now, gt(licenseVersions.sortKey, versionSortKey(above))).orderBy(
    asc(licenseVersions.sortKey),
    desc(licenseVersions.id),
  )
