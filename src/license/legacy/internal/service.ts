// Service functions that only the legacy internal API needs; its other routes use the current ones.
import type { Ctx } from "../../../core/context"
import { loadProductsWithLatest, loadProductWithLatest, type ProductWithLatest } from "./queries"

/**
 * Returns a product with its latest version.
 * @throws Refusal `not_found`
 */
export const readProductWithLatest = (ctx: Ctx, referenceId: string): Promise<ProductWithLatest> =>
  loadProductWithLatest(ctx, referenceId)

/** Lists products, newest first, each with its latest version. */
export const listProductsWithLatest = (ctx: Ctx): Promise<ProductWithLatest[]> => loadProductsWithLatest(ctx)
