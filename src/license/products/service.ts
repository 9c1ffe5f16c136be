// The verbs of a product.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import type { Page, PageRequest } from "../../core/page"
import { invalid } from "../../core/refusal"
import { licenseProducts } from "../../db/schema/central/licenses"
import { randomBase62 } from "../../lib/hash"
import { given } from "../fields"
import { loadProduct, type ProductName, pageOfProducts } from "./queries"
import type { CreateProduct, Product, UpdateProduct } from "./schemas"

/** A page of products, the newest first. */
export const listProducts = (ctx: Ctx, page: PageRequest): Promise<Page<Product>> => pageOfProducts(ctx, page)

/** @throws Refusal `not_found` */
export const readProduct = (ctx: Ctx, name: ProductName): Promise<Product> => loadProduct(ctx, name)

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
 * @throws Refusal `not_found`
 */
export const updateProduct = (ctx: Ctx, name: ProductName, input: z.output<typeof UpdateProduct>): Promise<Product> =>
  change(
    ctx,
    () => loadProduct(ctx, name),
    (product) => {
      const columns = { ...columnsOf(input), updatedAt: ctx.now }
      return {
        answer: { ...product, ...columns },
        change: {
          guard: ctx.db
            .update(licenseProducts)
            .set({ ...columns, revision: sql`${licenseProducts.revision} + 1` })
            .where(and(eq(licenseProducts.id, product.id), eq(licenseProducts.revision, product.revision))),
        },
      }
    },
  )

const columnsOf = (input: z.output<typeof UpdateProduct>): Partial<Product> =>
  given({
    name: input.name,
    description: input.description,
    marketplaceId: input.marketplace_id !== undefined ? input.marketplace_id : input.envato_id,
    licenseUpdate: input.license_update,
    serveLatestUpdates: input.serve_latest_updates,
    isActive: input.is_active,
  })

/**
 * Switches a product on or off; its licenses verify only while it is on.
 * @throws Refusal `not_found`
 */
export const switchProduct = (ctx: Ctx, name: ProductName, isActive: boolean): Promise<Product> =>
  updateProduct(ctx, name, { is_active: isActive })
