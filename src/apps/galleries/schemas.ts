// Request and response schemas of galleries.

import * as z from "zod"
import { image, imageUrl, slug } from "../../content/blog/fields"
import { pageQuery } from "../../content/pagination"
import { emptyAsNull, multilineText, text, withLookups } from "../../core/http/validation"
import { formatTimestamp } from "../../lib/time"
import type { galleries, pictures } from "./tables"

export type Gallery = typeof galleries.$inferSelect
export type Picture = Pick<typeof pictures.$inferSelect, "image" | "caption">

const STATUSES = ["published", "draft"] as const

/** Pictures of one gallery. */
export const MAX_PICTURES = 100

const fields = {
  name: text({ max: 250 }),
  slug,
  description: emptyAsNull(multilineText({ max: 2000 })),
  image,
  status: z.enum(STATUSES),
  /** In order. When present, they replace the current pictures. */
  pictures: z
    .array(z.object({ image: imageUrl, caption: emptyAsNull(multilineText({ max: 500 })) }))
    .max(MAX_PICTURES)
    .optional(),
}

export const CreateGallery = withLookups(z.object({ ...fields, status: fields.status.default("published") }), "slug")

export const UpdateGallery = withLookups(
  z.object({ ...fields, name: fields.name.optional(), status: fields.status.optional() }),
  "slug",
)

export const ListGalleries = z.object({ ...pageQuery(), status: z.enum(STATUSES).default("published") })

export const ListedGallery = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    image: z.string().nullable(),
    status: z.enum(STATUSES),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ListedGallery" })

export const GalleryResource = ListedGallery.extend({
  pictures: z.array(z.object({ image: z.string(), caption: z.string().nullable() })),
}).meta({ id: "Gallery" })

export const listedGallery = (row: Gallery): z.input<typeof ListedGallery> => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  image: row.image,
  status: row.status,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
})

/** Gallery with its pictures in order. */
export interface GalleryWithPictures {
  gallery: Gallery
  pictures: readonly Picture[]
}

export const galleryResource = ({ gallery, pictures }: GalleryWithPictures): z.input<typeof GalleryResource> => ({
  ...listedGallery(gallery),
  pictures: pictures.map(({ image, caption }) => ({ image, caption })),
})
