// Creates, reads, updates and (de)activates licensed products.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { type Precondition, versionTag } from "../../core/http/precondition"
import type { Page, PageRequest } from "../../core/list/page"
import { applyChange, commit, WriteConflict } from "../../core/write/commit"
import { read } from "../../db/client"
import { licenseProducts } from "../../db/schema/central/licenses"
import { insert, update } from "../../db/write"
import { type InputColumns, toColumns } from "../../lib/every-field"
import { randomBase62 } from "../../lib/hash"
import { auditChanged, auditCreated } from "../audit"
import { definedColumns } from "../fields"
import { loadProduct, type ProductRef, readProductPage, selectProductByReference } from "./queries"
import { type CreateProduct, type Product, productResource, type UpdateProduct } from "./schemas"

/** Lists products, newest first. */
export const listProducts = (ctx: Ctx, page: PageRequest): Promise<Page<Product>> => readProductPage(ctx, page)

/** @throws Refusal `not_found` */
export const readProduct = (ctx: Ctx, ref: ProductRef): Promise<Product> => loadProduct(ctx, ref)

/**
 * Creates a product, with a generated reference id unless one is given.
 * @throws Refusal `validation_failed` when the reference id is taken
 */
export async function createProduct(ctx: Ctx, input: Input<typeof CreateProduct>): Promise<Product> {
  const values = await input.completeBeforeCommit(async ({ reference_id: referenceId }) => ({
    reference_id:
      referenceId && (await read(ctx.db, selectProductByReference({ referenceId }))).length ? "taken" : null,
  }))
  const row = buildProduct(ctx, values)
  const { id, referenceId } = licenseProducts
  const idOf = ctx.db.select({ id }).from(licenseProducts).where(eq(referenceId, row.referenceId))
  const fields = productResource({ ...row, id: 0 })
  const [[product]] = await commit(ctx, {
    writes: [insert(licenseProducts).values(row).returning()],
    auditLog: [{ audit: { subject: "product", action: "created", id: sql`${idOf}`, ...auditCreated(fields) } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("reference_id", "taken") : cause
  })
  if (!product) throw new Error("the product was not stored")
  return product
}

/** The column that stores each field of the inputs. */
const INPUT_COLUMNS = {
  reference_id: { omitted: "generated when it is missing" },
  name: "name",
  description: "description",
  marketplace_id: "marketplaceId",
  envato_id: { omitted: "an alternative name of marketplace_id" },
  license_update: "licenseUpdate",
  serve_latest_updates: "serveLatestUpdates",
  is_active: "isActive",
} as const satisfies InputColumns<z.output<typeof CreateProduct> & z.output<typeof UpdateProduct>, Product>

const DEFAULT_PRODUCT = {
  description: null,
  licenseUpdate: true,
  serveLatestUpdates: true,
  isActive: true,
}

const buildProduct = (ctx: Ctx, input: z.output<typeof CreateProduct>): Omit<Product, "id"> => ({
  ...DEFAULT_PRODUCT,
  ...columnsOf(input),
  name: input.name,
  marketplaceId: input.marketplace_id ?? input.envato_id ?? null,
  referenceId: input.reference_id ?? randomBase62(8).toUpperCase(),
  revision: 1,
  createdAt: ctx.now,
  updatedAt: ctx.now,
})

/**
 * Updates the given fields.
 * @param precondition compares the `versionTag` of its id and revision
 * @throws Refusal `not_found`, `precondition_failed`
 */
export const updateProduct = (
  ctx: Ctx,
  ref: ProductRef,
  input: z.output<typeof UpdateProduct>,
  precondition?: Precondition,
): Promise<Product> =>
  applyChange(
    ctx,
    () => loadProduct(ctx, ref),
    (current) => {
      precondition?.(versionTag(current.id, current.revision))
      const columns = { ...columnsOf(input), updatedAt: ctx.now }
      const next = { ...current, ...columns }
      const difference = auditChanged(productResource(current), productResource(next))
      if (!difference) return { result: current }
      const isActiveChanged = current.isActive !== next.isActive
      const action = !isActiveChanged ? "changed" : next.isActive ? "activated" : "deactivated"
      return {
        result: next,
        change: {
          guard: update(licenseProducts)
            .set({ ...columns, revision: sql`${licenseProducts.revision} + 1` })
            .where(and(eq(licenseProducts.id, current.id), eq(licenseProducts.revision, current.revision))),
          auditLog: [{ audit: { subject: "product", action, id: current.id, ...difference } }],
        },
      }
    },
  )

const columnsOf = (input: z.output<typeof UpdateProduct>): Partial<Product> =>
  definedColumns({
    ...toColumns(input, INPUT_COLUMNS),
    marketplaceId: input.marketplace_id !== undefined ? input.marketplace_id : input.envato_id,
  })

/**
 * Activates or deactivates a product. Its licenses verify only while it is active.
 * @throws Refusal `not_found`
 */
export const setProductActive = (ctx: Ctx, ref: ProductRef, isActive: boolean): Promise<Product> =>
  updateProduct(ctx, ref, { is_active: isActive })
