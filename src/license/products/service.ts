// The verbs of a product.
import { eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Page, PageRequest } from "../../core/page"
import { invalid } from "../../core/refusal"
import { licenseProducts } from "../../db/schema/central/licenses"
import { randomBase62 } from "../../lib/hash"
import { missing } from "../envelope"
import { loadProduct, pageOfProducts } from "./queries"
import type { CreateProduct, Product, UpdateProduct } from "./schemas"

/** A page of products, the newest first. */
export const listProducts = (ctx: Ctx, page: PageRequest): Promise<Page<Product>> => pageOfProducts(ctx, page)

/**
 * @param segment the product in the path: its reference id or its number
 * @throws Refusal `not_found`
 */
export const readProduct = (ctx: Ctx, segment: string): Promise<Product> => loadProduct(ctx, segment)

/**
 * Creates a product; without a reference id it is given one.
 * @throws Refusal `validation_failed` when the reference id is taken
 */
export async function createProduct(ctx: Ctx, input: z.output<typeof CreateProduct>): Promise<Product> {
  const [product] = await ctx.db
    .insert(licenseProducts)
    .values({
      referenceId: input.reference_id ?? randomBase62(8).toUpperCase(),
      name: input.name,
      description: input.description ?? null,
      marketplaceId: input.marketplace_id ?? input.envato_id ?? null,
      licenseUpdate: input.license_update ?? true,
      serveLatestUpdates: input.serve_latest_updates ?? true,
      isActive: input.is_active ?? true,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .onConflictDoNothing()
    .returning()
  if (!product) throw invalid("reference_id", "taken")
  return product
}

/**
 * Changes the fields that are given.
 * @param segment the product in the path: its reference id or its number
 * @throws Refusal `not_found`
 */
export async function updateProduct(
  ctx: Ctx,
  segment: string,
  input: z.output<typeof UpdateProduct>,
): Promise<Product> {
  const known = await loadProduct(ctx, segment)
  const marketplaceId = input.marketplace_id !== undefined ? input.marketplace_id : input.envato_id
  const [product] = await ctx.db
    .update(licenseProducts)
    .set({
      name: input.name,
      description: input.description,
      marketplaceId,
      licenseUpdate: input.license_update,
      serveLatestUpdates: input.serve_latest_updates,
      isActive: input.is_active,
      updatedAt: ctx.now,
    })
    .where(eq(licenseProducts.id, known.id))
    .returning()
  if (!product) throw missing("product_not_found")
  return product
}

/**
 * Switches a product on or off; its licenses verify only while it is on.
 * @throws Refusal `not_found`
 */
export const switchProduct = (ctx: Ctx, segment: string, isActive: boolean): Promise<Product> =>
  updateProduct(ctx, segment, { is_active: isActive })
