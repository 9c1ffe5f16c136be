// What older clients of the internal API ask in their own way; all else they ask of the verbs that everybody uses.
import type { Ctx } from "../../../core/context"
import { type ProductWithLatest, productsWithLatest, productWithLatest } from "./queries"

/**
 * A product and its newest version.
 * @throws Refusal `not_found`
 */
export const readProductWithLatest = (ctx: Ctx, referenceId: string): Promise<ProductWithLatest> =>
  productWithLatest(ctx, referenceId)

/** The products, the newest first, each with its newest version. */
export const listProductsWithLatest = (ctx: Ctx): Promise<ProductWithLatest[]> => productsWithLatest(ctx)
