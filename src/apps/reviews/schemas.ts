// Request and response schemas of reviews.

import * as z from "zod"
import { pageQuery } from "../../content/pagination"
import { emptyAsNull, multilineText, violates, withLookups } from "../../core/http/validation"
import { fullName } from "../../lib/full-name"
import { formatTimestamp } from "../../lib/time"
import { REVIEW_STATUSES, type reviews } from "./tables"

const rating = z.int().min(1).max(5)
const comment = emptyAsNull(multilineText({ max: 2000 }))

export const CreateReview = withLookups(z.object({ product_id: z.int().min(1), rating, comment }), "product_id")

export const UpdateReview = z.object({ rating: rating.optional(), comment })

export const ListReviews = z.object({
  ...pageQuery(),
  product_id: z
    .string()
    .refine((value) => /^[1-9]\d{0,14}$/.test(value), violates("integer"))
    .transform(Number)
    .meta({ type: "integer", minimum: 1, maximum: 999_999_999_999_999 }),
  status: z.enum(REVIEW_STATUSES).default("published"),
})

export const ReviewResource = z
  .object({
    id: z.int(),
    product_id: z.int(),
    rating: z.int(),
    comment: z.string().nullable(),
    status: z.enum(REVIEW_STATUSES),
    author: z.object({ id: z.int(), name: z.string() }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Review" })

/** Average rating of a product; null while it has no reviews. */
export const RatingResource = z.object({ average: z.number().nullable(), count: z.int() })

/** Review with the name of its author. */
export interface ReviewWithAuthor {
  review: typeof reviews.$inferSelect
  author: { firstName: string; lastName: string }
}

export const reviewResource = ({ review, author }: ReviewWithAuthor): z.input<typeof ReviewResource> => ({
  id: review.id,
  product_id: review.productId,
  rating: review.rating,
  comment: review.comment,
  status: review.status,
  author: { id: review.userId, name: fullName(author) },
  created_at: formatTimestamp(review.createdAt),
  updated_at: formatTimestamp(review.updatedAt),
})

/** Review in the list of all reviews of a site. */
export interface ReviewOfProduct extends ReviewWithAuthor {
  product: { id: number; name: string }
}

/** Computes the average rating, rounded to one decimal, from the number of reviews per rating. */
export function ratingResource(totals: readonly { rating: number; total: number }[]): z.input<typeof RatingResource> {
  const count = totals.reduce((sum, { total }) => sum + total, 0)
  const points = totals.reduce((sum, { rating, total }) => sum + rating * total, 0)
  return { average: count ? Math.round((points / count) * 10) / 10 : null, count }
}
