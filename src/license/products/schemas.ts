// Products as the internal API takes and shows them. A marketplace's number has two names, and both are read and written.
import * as z from "zod"
import { prose, text } from "../../core/http/validation"
import type { licenseProducts } from "../../db/schema/central/licenses"
import { timestamp } from "../../lib/time"
import { clearable, flag, maybe, pageQuery } from "../fields"

export type Product = typeof licenseProducts.$inferSelect

/** What is read of a product beside its licenses: a description may be long, and verifying a license is not about it. */
export const NAMED_PRODUCT = ["id", "referenceId", "name", "isActive", "licenseUpdate", "serveLatestUpdates"] as const

export type NamedProduct = Pick<Product, (typeof NAMED_PRODUCT)[number]>

/** Letters, digits, `-`, `_` and `.`: it stands in paths, where `.` and `..` alone would lead elsewhere. */
const referenceId = text({ max: 50 }).pipe(z.string().regex(/^(?!\.{1,2}$)[\w.-]+$/))

/** The one text that may come as a number, because that is how the marketplace writes it. */
const marketplaceId = z.preprocess(
  (value) => (typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value),
  text({ max: 50 }),
)

const edited = {
  description: clearable(prose({ max: 10_000 })),
  marketplace_id: clearable(marketplaceId),
  envato_id: clearable(marketplaceId),
  license_update: maybe(flag()),
  serve_latest_updates: maybe(flag()),
  is_active: maybe(flag()),
}

export const CreateProduct = z.object({ name: text({ max: 255 }), reference_id: maybe(referenceId), ...edited })

/** A name may be left alone and not be emptied. A reference id that is sent along stays: clients in the field know the product by it. */
export const UpdateProduct = z.object({ name: text({ max: 255 }).optional(), ...edited })

export const ListProducts = z.object(pageQuery)

const moment = z.string().nullable()

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
    created_at: moment,
    updated_at: moment,
  })
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
  created_at: timestamp(product.createdAt),
  updated_at: timestamp(product.updatedAt),
})
