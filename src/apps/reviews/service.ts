// The verbs of a review: everyone with an account reads all and writes one a product; staff may remove any.
import type * as z from "zod"
import { asUser, authed, type UserCtx } from "../../content/user"
import { invalid, Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { type Page, pageFrom } from "../../core/list/page"
import { reviews } from "../../db/schema/sites/reviews"
import { remove, update } from "../../db/write"
import { isEmpty } from "../empty-input"
import { insertReview, isReview, pagesOf, ratingsOf, selectReview, soldProduct } from "./queries"
import { type CreateReview, type ListReviews, type ReviewFacts, ratingResource, type UpdateReview } from "./schemas"

/**
 * A page of a product's reviews, and what they come to.
 * @throws Refusal `unauthenticated`; `not_found` for a product that the site does not sell
 */
export async function listReviews(ctx: UserCtx, input: z.output<typeof ListReviews>) {
  const product = { site: ctx.site.id, product: input.product_id }
  const { answers } = await authed(
    ctx,
    () => [soldProduct(product), ratingsOf(product), ...pagesOf(input, product)] as const,
  )
  const [[sold], ratings, ...pages] = answers
  if (!sold) throw new Refusal("not_found")
  const page: Page<ReviewFacts> = pageFrom(pages)
  return { ...page, rating: ratingResource(ratings) }
}

/**
 * Reviews a product.
 * @throws Refusal `unauthenticated`; `validation_failed` for a product that the site does not sell, or that the user has
 *   reviewed
 */
export async function createReview(ctx: UserCtx, input: z.output<typeof CreateReview>): Promise<ReviewFacts> {
  const { user, answers } = await authed(ctx, () => [soldProduct({ site: ctx.site.id, product: input.product_id })])
  if (!answers[0].length) throw invalid("product_id", "selected")
  const [[review]] = await asUser(ctx, (userId) => [insertReview(ctx.site, input, userId, ctx.now)])
  if (!review) throw invalid("product_id", "taken")
  return { review, author: user }
}

/**
 * Changes one's own review.
 * @throws Refusal `unauthenticated`, `not_found`, `forbidden`
 */
export async function updateReview(
  ctx: UserCtx,
  segment: string,
  input: z.output<typeof UpdateReview>,
): Promise<ReviewFacts> {
  const { user, answers } = await authed(ctx, () => [selectReview(ctx.site, rowId(segment))])
  const [[known]] = answers
  if (!known) throw new Refusal("not_found")
  if (known.userId !== user.id) throw new Refusal("forbidden")
  if (isEmpty(input)) return { review: known, author: user }
  const [[review]] = await asUser(ctx, () => [
    update(reviews)
      .set({ ...input, updatedAt: ctx.now })
      .where(isReview(ctx.site.id, known.id))
      .returning(),
  ])
  if (!review) throw new Refusal("not_found")
  return { review, author: user }
}

/**
 * Removes one's own review; staff remove any.
 * @throws Refusal `unauthenticated`, `not_found`, `forbidden`
 */
export async function removeReview(ctx: UserCtx, segment: string): Promise<void> {
  const { user, answers } = await authed(ctx, () => [selectReview(ctx.site, rowId(segment))])
  const [[known]] = answers
  if (!known) throw new Refusal("not_found")
  if (known.userId !== user.id && !user.isStaff) throw new Refusal("forbidden")
  await asUser(ctx, () => [remove(reviews).where(isReview(ctx.site.id, known.id))])
}
