// Reads of versions.
import { and, asc, desc, eq, gt, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { batch, type CentralDatabase } from "../../db/client"
import { named } from "../../db/join-columns"
import { licenseProducts, licenseVersions } from "../../db/schema/central/licenses"
import { oneProduct, selectProductNamed } from "../products/queries"
import type { Product } from "../products/schemas"
import { compareVersions, versionKey } from "../rules/version-order"
import type { Version } from "./schemas"

/** A version and the product it is of. */
export interface VersionOfProduct {
  version: Version
  product: Product
}

/** The statement that reads a version by the id that clients know it by; `oneVersion` reads the answer. */
export const selectVersion = (db: CentralDatabase, versionId: string) =>
  db
    .select({ version: named(licenseVersions), product: named(licenseProducts) })
    .from(licenseVersions)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenseVersions.productId))
    .where(eq(licenseVersions.versionId, versionId))

/** What `selectVersion` found, or null. */
export const oneVersion = ([found]: readonly VersionOfProduct[]): VersionOfProduct | null => found ?? null

/**
 * A version of the product in a path.
 * @throws Refusal `not_found`
 */
export async function loadVersion(ctx: Ctx, product: string, versionId: string): Promise<VersionOfProduct> {
  const [products, versions] = await batch(ctx.db, [
    selectProductNamed(ctx.db, { segment: product }),
    selectVersion(ctx.db, versionId),
  ])
  const found = oneVersion(versions)
  if (!found || found.product.id !== oneProduct(products).id) throw new Refusal("not_found")
  return found
}

/** Of two versions that compare as equal, as 1.0.0 and v1.0.0 do, the one that was added last is the newer one. */
const newestFirst = [desc(licenseVersions.sortKey), desc(licenseVersions.id)]

/**
 * All versions of a product, the newest first.
 * @throws Refusal `not_found`
 */
export async function versionsOf(ctx: Ctx, segment: string): Promise<{ product: Product; versions: Version[] }> {
  const product = oneProduct(await selectProductNamed(ctx.db, { segment }))
  const versions = await ctx.db
    .select()
    .from(licenseVersions)
    .where(eq(licenseVersions.productId, product.id))
    .orderBy(...newestFirst)
  return { product, versions: versions.sort((a, b) => compareVersions(b.version, a.version)) }
}

const productNumber = (referenceId: string): SQL =>
  sql`(select ${licenseProducts.id} from ${licenseProducts} where ${licenseProducts.referenceId} = ${referenceId})`

const released = (db: CentralDatabase, product: string, now: Date, more?: SQL) =>
  db
    .select()
    .from(licenseVersions)
    .where(
      and(
        eq(licenseVersions.productId, productNumber(product)),
        eq(licenseVersions.isActive, true),
        lte(licenseVersions.releasedAt, now),
        more,
      ),
    )
    .$dynamic()
    .limit(1)

/** The statement that reads the newest version of a product that is out. */
export const selectNewest = (db: CentralDatabase, product: string, now: Date) =>
  released(db, product, now).orderBy(...newestFirst)

/** The statement that reads the lowest version of a product that is out and above another one; of equals the newer one. */
export const selectNext = (db: CentralDatabase, product: string, above: string, now: Date) =>
  released(db, product, now, gt(licenseVersions.sortKey, versionKey(above))).orderBy(
    asc(licenseVersions.sortKey),
    desc(licenseVersions.id),
  )
