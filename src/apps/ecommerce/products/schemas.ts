// Request and response schemas of products.

import * as z from "zod"
import { image, imageUrl, markup, slug } from "../../../content/blog/fields"
import { foldCase } from "../../../content/case-folding"
import { pageQuery } from "../../../content/pagination"
import {
  emptyAsNull,
  listOf,
  multilineText,
  searchTerm,
  text,
  violates,
  withLookups,
} from "../../../core/http/validation"
import { MAX_PRICE_CENTS } from "../../../lib/money"
import { formatTimestamp } from "../../../lib/time"
import type { products } from "../tables"

export type Product = Omit<typeof products.$inferSelect, "searchText" | "nameKey">

const STATUSES = ["published", "draft"] as const

/** Images of one product. */
export const MAX_IMAGES = 10

const fields = {
  name: text({ max: 250 }),
  slug,
  description: markup.nullish(),
  image,
  images: listOf(imageUrl, { max: MAX_IMAGES })
    .refine((images) => new Set(images).size === images.length, violates("duplicate"))
    .nullish(),
  seo_title: emptyAsNull(text({ max: 120 })),
  seo_description: emptyAsNull(multilineText({ max: 400 })),
  price_cents: z.int().min(0).max(MAX_PRICE_CENTS),
  currency: z
    .string()
    .regex(/^[A-Za-z]{3}$/)
    .transform((code) => code.toUpperCase()),
  stock: z.int().min(0).max(999_999_999).nullish(),
  status: z.enum(STATUSES),
}

export const CreateProduct = withLookups(z.object({ ...fields, status: fields.status.default("published") }), "slug")

export const UpdateProduct = withLookups(
  z.object({
    ...fields,
    name: fields.name.optional(),
    price_cents: fields.price_cents.optional(),
    currency: fields.currency.optional(),
    status: fields.status.optional(),
  }),
  "slug",
)

const SORTS = ["created_at", "name", "price", "id"] as const

export const ListProducts = z.object({
  ...pageQuery(),
  status: z.enum(STATUSES).default("published"),
  search: searchTerm((value) => foldCase(value).replaceAll("\0", "").trim()).optional(),
  sort_by: z.enum(SORTS).default("created_at"),
  order: z.enum(["asc", "desc"]).default("desc"),
})

export const ListedProduct = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    image: z.string().nullable(),
    images: z.array(z.string()),
    price_cents: z.int(),
    currency: z.string(),
    stock: z.int().nullable(),
    in_stock: z.boolean(),
    status: z.enum(STATUSES),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ListedProduct" })
export const ProductResource = ListedProduct.extend({
  description: z.string().nullable(),
  seo_title: z.string().nullable(),
  seo_description: z.string().nullable(),
}).meta({ id: "Product" })

/** A product in a list, without its texts. */
export type ListedRow = Omit<Product, "description" | "seoTitle" | "seoDescription">

/** Lists the images of a product; the first is its cover. */
export const listImages = ({ image, images }: Pick<Product, "image" | "images">): string[] =>
  images ?? (image === null ? [] : [image])

export const listedProduct = (row: ListedRow): z.input<typeof ListedProduct> => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  image: row.image,
  images: listImages(row),
  price_cents: row.priceCents,
  currency: row.currency,
  stock: row.stock,
  in_stock: row.stock !== 0,
  status: row.status,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
})

export const productResource = (row: Product): z.input<typeof ProductResource> => ({
  ...listedProduct(row),
  description: row.description,
  seo_title: row.seoTitle,
  seo_description: row.seoDescription,
})
