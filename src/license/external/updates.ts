// Finds the version that an installation can update to, and the latest version of a product.
import type * as z from "zod"
import { batch } from "../../db/client"
import { requireProduct, selectProductByReference } from "../products/queries"
import type { Product } from "../products/schemas"
import { formatMessage } from "../refusal-messages"
import { notFound } from "../refusals"
import { findOfferedUpdate } from "../rules/updates"
import type { LicenseCtx } from "../types"
import { selectNewest, selectNext } from "../versions/queries"
import type { Version } from "../versions/schemas"
import type { CheckUpdate, LatestVersion } from "./schemas"

/**
 * Finds the update for an installation.
 * @returns null when it is up to date
 * @throws Refusal `not_found` for an unknown or inactive product
 */
export async function findUpdate(ctx: LicenseCtx, input: z.output<typeof CheckUpdate>): Promise<Version | null> {
  const { product_id, current_version } = input
  const [products, next, newest] = await batch(ctx.db, [
    selectProductByReference({ referenceId: product_id }),
    selectNext(ctx.db, product_id, current_version, ctx.now),
    selectNewest(ctx.db, product_id, ctx.now),
  ])
  return findOfferedUpdate(requireActiveProduct(products), [...next, ...newest], current_version, ctx.now)
}

/**
 * Finds the latest released version of a product.
 * @throws Refusal `not_found` for an unknown or inactive product, or one without a released version
 */
export async function findLatest(ctx: LicenseCtx, input: z.output<typeof LatestVersion>) {
  const [products, newest] = await batch(ctx.db, [
    selectProductByReference({ referenceId: input.product_id }),
    selectNewest(ctx.db, input.product_id, ctx.now),
  ])
  const product = requireActiveProduct(products)
  const [version] = newest
  if (!version) throw notFound("no_version")
  return { product, version }
}

/** @throws Refusal `not_found` for an unknown or inactive product */
export function requireActiveProduct(rows: readonly Product[]): Product {
  const product = requireProduct(rows)
  if (!product.isActive) throw notFound("product_not_found")
  return product
}

/** Serialises a version for clients. `release_date` is the legacy name of `released_at`. */
export const toUpdateResource = (version: Version) => {
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

/** Returns the message for an available update, or for none. */
export const getUpdateMessage = (ctx: LicenseCtx, update: Version | null): string =>
  update
    ? formatMessage("update_available", ctx.language, { version: update.version })
    : formatMessage("up_to_date", ctx.language)
