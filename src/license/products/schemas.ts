// Request and response schemas for products. `envato_id` is the legacy name of `marketplace_id`; both are accepted and
// returned.
import * as z from "zod"
import { multilineText, text, withLookups } from "../../core/http/validation"
import type { licenseProducts } from "../../db/schema/central/licenses"
import type { PublishedColumns } from "../../lib/every-field"
import { formatTimestamp } from "../../lib/time"
import { clearable, flag, optional, pageQuery } from "../fields"

export type Product = typeof licenseProducts.$inferSelect

/** The columns that are joined to licenses: without the description, which may be long and is not needed there. */
export const PRODUCT_SUMMARY_COLUMNS = [
  "id",
  "referenceId",
  "name",
  "isActive",
  "licenseUpdate",
  "serveLatestUpdates",
] as const

export type ProductSummary = Pick<Product, (typeof PRODUCT_SUMMARY_COLUMNS)[number]>

/** Letters, digits, `-`, `_` and `.`. It is a path segment, so `.` and `..` are not allowed. */
const referenceId = text({ max: 50 }).pipe(z.string().regex(/^(?!\.{1,2}$)[\w.-]+$/))

/** The only string that may be sent as a number, because that is how the marketplace represents it. */
const marketplaceId = z.preprocess(
  (value) => (typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value),
  text({ max: 50 }),
)

const editableFields = {
  description: clearable(multilineText({ max: 10_000 })),
  marketplace_id: clearable(marketplaceId),
  envato_id: clearable(marketplaceId),
  license_update: optional(flag()),
  serve_latest_updates: optional(flag()),
  is_active: optional(flag()),
}

export const CreateProduct = withLookups(
  z.object({ name: text({ max: 255 }), reference_id: optional(referenceId), ...editableFields }),
  "reference_id",
)

/** A name cannot be cleared. A sent `reference_id` is ignored: deployed clients identify the product by it. */
export const UpdateProduct = z.object({ name: text({ max: 255 }).optional(), ...editableFields })

export const ListProducts = z.object(pageQuery)

const nullableTimestamp = z.string().nullable()

export const ProductResource = z
  .object({
    id: z.int(),
    name: z.string(),
    reference_id: z.string(),
    envato_id: z.string().nullable(),
    marketplace_id: z.string().nullable(),
    description: z.string().nullable(),
    license_update: z.boolean(),
    serve_latest_updates: z.boolean(),
    is_active: z.boolean(),
    created_at: nullableTimestamp,
    updated_at: nullableTimestamp,
  } satisfies PublishedColumns<Product, "revision">)
  .meta({ id: "LicenseProduct" })

export const productResource = (product: Product): z.input<typeof ProductResource> => ({
  id: product.id,
  name: product.name,
  reference_id: product.referenceId,
  envato_id: product.marketplaceId,
  marketplace_id: product.marketplaceId,
  description: product.description,
  license_update: product.licenseUpdate,
  serve_latest_updates: product.serveLatestUpdates,
  is_active: product.isActive,
  created_at: formatTimestamp(product.createdAt),
  updated_at: formatTimestamp(product.updatedAt),
})
