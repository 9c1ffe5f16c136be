// The verbs of a product.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import type { Page, PageRequest } from "../../core/list/page"
import { change, commit, WriteConflict } from "../../core/write/commit"
import { licenseProducts } from "../../db/schema/central/licenses"
import { insert, update } from "../../db/write"
import { randomBase62 } from "../../lib/hash"
import { changed, made } from "../audit"
import { given } from "../fields"
import { loadProduct, type ProductName, pageOfProducts } from "./queries"
import { type CreateProduct, type Product, productResource, type UpdateProduct } from "./schemas"

/** A page of products, the newest first. */
export const listProducts = (ctx: Ctx, page: PageRequest): Promise<Page<Product>> => pageOfProducts(ctx, page)

/** @throws Refusal `not_found` */
export const readProduct = (ctx: Ctx, name: ProductName): Promise<Product> => loadProduct(ctx, name)

/**
 * Creates a product; without a reference id it is given one.
 * @throws Refusal `validation_failed` when the reference id is taken
 */
export async function createProduct(ctx: Ctx, input: z.output<typeof CreateProduct>): Promise<Product> {
  const row = newProduct(ctx, input)
  const { id, referenceId } = licenseProducts
  const idOf = ctx.db.select({ id }).from(licenseProducts).where(eq(referenceId, row.referenceId))
  const fields = productResource({ ...row, id: 0 })
  const [[product]] = await commit(ctx, {
    writes: [insert(licenseProducts).values(row).returning()],
    trail: [{ audit: { subject: "product", deed: "created", id: sql`${idOf}`, ...made(fields) } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? invalid("reference_id", "taken") : cause
  })
  if (!product) throw new Error("the product was not stored")
  return product
}

const newProduct = (ctx: Ctx, input: z.output<typeof CreateProduct>): Omit<Product, "id"> => ({
  referenceId: input.reference_id ?? randomBase62(8).toUpperCase(),
  name: input.name,
  description: input.description ?? null,
  marketplaceId: input.marketplace_id ?? input.envato_id ?? null,
  licenseUpdate: input.license_update ?? true,
  serveLatestUpdates: input.serve_latest_updates ?? true,
  isActive: input.is_active ?? true,
  revision: 1,
  createdAt: ctx.now,
  updatedAt: ctx.now,
})

/**
 * Changes the fields that are given.
 * @throws Refusal `not_found`
 */
export const updateProduct = (ctx: Ctx, name: ProductName, input: z.output<typeof UpdateProduct>): Promise<Product> =>
  change(
    ctx,
    () => loadProduct(ctx, name),
    (known) => {
      const columns = { ...columnsOf(input), updatedAt: ctx.now }
      const answer = { ...known, ...columns }
      const difference = changed(productResource(known), productResource(answer))
      if (!difference) return { answer: known }
      const isSwitched = known.isActive !== answer.isActive
      const deed = !isSwitched ? "changed" : answer.isActive ? "activated" : "deactivated"
      return {
        answer,
        change: {
          guard: update(licenseProducts)
            .set({ ...columns, revision: sql`${licenseProducts.revision} + 1` })
            .where(and(eq(licenseProducts.id, known.id), eq(licenseProducts.revision, known.revision))),
          trail: [{ audit: { subject: "product", deed, id: known.id, ...difference } }],
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
