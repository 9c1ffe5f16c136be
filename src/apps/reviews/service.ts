// Operations on reviews: every user reads the published ones and writes one per product that was bought; staff may hide
// and remove any.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { writeAsStaff } from "../../content/staff/write"
import { authenticate, type User, type UserCtx, writeAsUser } from "../../content/user"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { type Page, pageFrom } from "../../core/list/page"
import { retryOnConflict, WriteConflict } from "../../core/write/commit"
import type { ShopEventDraft } from "../../core/write/site-events"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { fullName } from "../../lib/full-name"
import { isEmpty } from "../../lib/is-empty"
import { assertCanListStatus, assertStaff } from "../authorization"
import {
  insertReview,
  selectPages,
  selectPublishedProduct,
  selectPurchase,
  selectRatings,
  selectReview,
  selectReviewOfUser,
  selectReviewsOfSite,
  selectReviewWithAuthor,
} from "./queries"
import {
  type CreateReview,
  type ListReviews,
  type ReviewOfProduct,
  type ReviewWithAuthor,
  ratingResource,
  reviewResource,
  type UpdateReview,
} from "./schemas"
import { type ReviewStatus, reviews } from "./tables"

/**
 * Lists a page of a product's reviews with the average rating.
 * @throws Refusal `unauthenticated`; `not_found` for a product that is not published; `forbidden` for hidden reviews,
 *   unless the user is staff
 */
export async function listReviews(ctx: UserCtx, input: z.output<typeof ListReviews>) {
  const key = { site: ctx.site.id, product: input.product_id }
  const { user, results } = await authenticate(
    ctx,
    () => [selectPublishedProduct(key), selectRatings(key), ...selectPages[input.status](input, key)] as const,
  )
  assertCanListStatus(user, input.status)
  const [[product], ratings, ...pages] = results
  if (!product) throw new Refusal("not_found")
  const page: Page<ReviewWithAuthor> = pageFrom(pages)
  return { ...page, rating: ratingResource(ratings) }
}

/**
 * Lists the reviews of all products, newest first, for staff.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function listReviewsOfSite(
  ctx: UserCtx,
  { status, page }: { status: ReviewStatus; page: number },
  pageSize: number,
): Promise<{ rows: ReviewOfProduct[]; hasMore: boolean }> {
  const slice = { status, limit: pageSize + 1, offset: (page - 1) * pageSize }
  const { results } = await authenticate(ctx, () => [selectReviewsOfSite(ctx.site, slice)], { role: "viewer" })
  const [rows] = results
  return { rows: rows.slice(0, pageSize), hasMore: rows.length > pageSize }
}

/**
 * Reads a review, shown or hidden, for staff.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function readReview(ctx: UserCtx, segment: string): Promise<ReviewWithAuthor> {
  const { results } = await authenticate(ctx, () => [selectReviewWithAuthor(ctx.site, rowId(segment))], {
    role: "viewer",
  })
  const [[found]] = results
  if (!found) throw new Refusal("not_found")
  return found
}

/**
 * Hides a review from its product's reviews and average, or shows it again. Its author keeps it.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export const setReviewStatus = (ctx: UserCtx, segment: string, status: ReviewStatus): Promise<ReviewWithAuthor> =>
  retryOnConflict(async () => {
    const id = rowId(segment)
    const { user, results } = await authenticate(ctx, () => [selectReviewWithAuthor(ctx.site, id)], { role: "editor" })
    const [[current]] = results
    if (!current) throw new Refusal("not_found")
    const from = current.review.status
    if (from === status) return current
    const changed = { status, updatedAt: ctx.now }
    await writeAsStaff(ctx, user, {
      writes: [
        inSite(ctx.site.id)
          .update(reviews)
          .set(changed)
          .where(and(eq(reviews.id, id), eq(reviews.status, from))),
        abortUnlessTouched,
      ],
      auditLog: [
        {
          subject: "review",
          action: status === "hidden" ? "hidden" : "shown",
          id,
          before: { status: from },
          after: { status },
        },
      ],
    })
    return { ...current, review: { ...current.review, ...changed } }
  })

/**
 * Reviews a product that the user has bought.
 * @throws Refusal `unauthenticated`; `validation_failed` for a product that is not published or that the user has
 *   already reviewed; `forbidden` without a paid or fulfilled order of it
 */
export async function createReview(ctx: UserCtx, input: Input<typeof CreateReview>): Promise<ReviewWithAuthor> {
  const product = input.valid.product_id ?? 0
  const { user, results } = await authenticate(
    ctx,
    (userId) =>
      [selectPublishedProduct({ site: ctx.site.id, product }), selectPurchase(ctx.site, { product, userId })] as const,
  )
  const [found, bought] = results
  if (!found.length) throw input.reject("product_id", "selected")
  const values = await input.completeBeforeCommit(async () => {
    const own = await selectReviewOfUser(ctx.site, { product, user: user.id })
    return { product_id: own.length ? "taken" : null }
  })
  if (!bought.length) throw new Refusal("forbidden")
  const [[review]] = await writeAsUser(
    ctx,
    (userId) => [insertReview(ctx.site, values, userId, ctx.now), abortUnlessTouched],
    { events: [buildCreatedEvent(ctx, values, user)] },
  ).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("product_id", "taken") : cause
  })
  if (!review) throw new Error("The review was not stored")
  return { review, author: user }
}

/** Builds the event of a new review, whose id only the database knows. */
function buildCreatedEvent(ctx: UserCtx, input: z.output<typeof CreateReview>, user: User): ShopEventDraft {
  const review = {
    id: 0,
    siteId: ctx.site.id,
    productId: input.product_id,
    userId: user.id,
    rating: input.rating,
    comment: input.comment ?? null,
    status: "published" as const,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
  return {
    type: "shop.review.created",
    data: { review: reviewResource({ review, author: user }) },
    fill: { "$.data.review.id": sql`last_insert_rowid()` },
    actor: { id: user.id, name: fullName(user) },
  }
}

/**
 * Updates the user's own review.
 * @throws Refusal `unauthenticated`, `not_found`, `forbidden`
 */
export async function updateReview(
  ctx: UserCtx,
  segment: string,
  input: z.output<typeof UpdateReview>,
): Promise<ReviewWithAuthor> {
  const { user, results } = await authenticate(ctx, () => [selectReview(ctx.site, rowId(segment))])
  const [[current]] = results
  if (!current) throw new Refusal("not_found")
  if (current.userId !== user.id) throw new Refusal("forbidden")
  if (isEmpty(input)) return { review: current, author: user }
  const [[review]] = await writeAsUser(ctx, () => [
    inSite(ctx.site.id)
      .update(reviews)
      .set({ ...input, updatedAt: ctx.now })
      .where(eq(reviews.id, current.id))
      .returning(),
  ])
  if (!review) throw new Refusal("not_found")
  return { review, author: user }
}

/**
 * Removes the user's own review; staff may remove any. A hidden review of the user only loses its comment, so that its
 * author can't replace it with a visible one.
 * @throws Refusal `unauthenticated`, `not_found`, `forbidden`
 */
export async function removeReview(ctx: UserCtx, segment: string): Promise<void> {
  const { user, results } = await authenticate(ctx, () => [selectReview(ctx.site, rowId(segment))])
  const [[current]] = results
  if (!current) throw new Refusal("not_found")
  const { id, userId, productId, rating } = current
  const site = inSite(ctx.site.id)
  if (userId === user.id) {
    const ofStatus = (status: ReviewStatus) => and(eq(reviews.id, id), eq(reviews.status, status))
    await writeAsUser(ctx, () => [
      site.update(reviews).set({ comment: null, updatedAt: ctx.now }).where(ofStatus("hidden")),
      site.remove(reviews).where(ofStatus("published")),
    ])
    return
  }
  assertStaff(user, "editor")
  await writeAsStaff(ctx, user, {
    writes: [site.remove(reviews).where(eq(reviews.id, id)), abortUnlessTouched],
    auditLog: [
      { subject: "review", id, action: "deleted", before: { user_id: userId, product_id: productId, rating } },
    ],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("not_found") : cause
  })
}
