// Which version there is for an installation.
import type * as z from "zod"
import { batch } from "../../db/client"
import { oneProduct, productByReference } from "../products/queries"
import type { Product } from "../products/schemas"
import { message } from "../refusal-messages"
import { missing } from "../refusals"
import { offeredUpdate } from "../rules/updates"
import type { LicenseCtx } from "../types"
import { selectNewest, selectNext } from "../versions/queries"
import type { Version } from "../versions/schemas"
import type { CheckUpdate, LatestVersion } from "./schemas"

/**
 * The version an installation is offered.
 * @returns null when it has the newest
 * @throws Refusal `not_found` for a product that is unknown or switched off
 */
export async function findUpdate(ctx: LicenseCtx, input: z.output<typeof CheckUpdate>): Promise<Version | null> {
  const { product_id, current_version } = input
  const [products, next, newest] = await batch(ctx.db, [
    productByReference({ referenceId: product_id }),
    selectNext(ctx.db, product_id, current_version, ctx.now),
    selectNewest(ctx.db, product_id, ctx.now),
  ])
  return offeredUpdate(onSale(products), [...next, ...newest], current_version, ctx.now)
}

/**
 * The newest version of a product that is out.
 * @throws Refusal `not_found` for a product that is unknown or switched off, or has no version
 */
export async function findLatest(ctx: LicenseCtx, input: z.output<typeof LatestVersion>) {
  const [products, newest] = await batch(ctx.db, [
    productByReference({ referenceId: input.product_id }),
    selectNewest(ctx.db, input.product_id, ctx.now),
  ])
  const product = onSale(products)
  const [version] = newest
  if (!version) throw missing("no_version")
  return { product, version }
}

function onSale(rows: readonly Product[]): Product {
  const product = oneProduct(rows)
  if (!product.isActive) throw missing("product_not_found")
  return product
}

/** A version as clients are told of it. Its date has two names. */
export const updateFields = (version: Version) => {
  const date = version.releasedAt?.toISOString().slice(0, 10) ?? null
  return {
    version: version.version,
    released_at: date,
    release_date: date,
    summary: version.summary,
    changelog: version.changelog,
    update_id: version.versionId,
    has_sql: version.sqlFile !== null,
  }
}

/** The words for an offer, or for its absence. */
export const offerMessage = (ctx: LicenseCtx, update: Version | null): string =>
  update ? message("update_available", ctx.language, { version: update.version }) : message("up_to_date", ctx.language)
