// The page on which a customer creates or edits a review of a product.
import { isContentRefusal, messageOf, statusOf } from "../../../content/envelope"
import { parseInput } from "../../../core/http/input"
import { type FieldErrors, isServerFailure, Refusal } from "../../../core/http/refusal"
import type { Translations } from "../../../core/i18n/locale"
import { Choices, Field, type FormState, Message, toMessages } from "../../../storefront/components/form"
import type { Page } from "../../../storefront/part"
import { ACCOUNT, singlePath } from "../../../storefront/paths"
import type { FormFields, Visit, VisitorPage } from "../../../storefront/visitor/page"
import { selectPurchase, selectReviewOfUser } from "../queries"
import { CreateReview, UpdateReview } from "../schemas"
import { createReview, updateReview } from "../service"
import { selectProduct } from "./queries"
import { Stars } from "./stars"
import * as W from "./strings"

/** First path segment of the page. */
export const REVIEWS_PATH = "reviews"

/** First path segment of the pages of products. */
const PRODUCTS = "products"

const LABELS = { rating: W.RATING, comment: W.COMMENT } satisfies Record<string, Translations>

const reviewPage: VisitorPage = {
  path: `${REVIEWS_PATH}/:slug`,
  get: (visit) => show(visit, { isSaved: visit.url.searchParams.has("saved") }),
  async post(visit, fields) {
    try {
      await save(visit, fields)
    } catch (thrown) {
      if (!isContentRefusal(thrown) || isServerFailure(thrown)) throw thrown
      if (thrown.code === "unauthenticated") return visit.redirect(`${ACCOUNT}/sign-in`)
      const errors = thrown.code === "validation_failed" ? (thrown.facts.fields ?? {}) : {}
      const isBuyersOnly = thrown.code === "forbidden"
      const refusal = thrown.code === "validation_failed" || isBuyersOnly ? null : messageOf(thrown, visit.ctx.locale)
      return show(visit, { values: fields, errors, refusal, status: statusOf(thrown) })
    }
    return visit.redirect(`${reviewPath(visit.params.slug ?? "")}?saved=1`)
  },
}

export const reviewPages: readonly VisitorPage[] = [reviewPage]

const reviewPath = (slug: string): string => singlePath(REVIEWS_PATH, slug)

/** Creates the review, or updates the customer's review, which the form names. */
async function save({ ctx }: Visit, { product_id, review, rating, comment = "" }: FormFields): Promise<void> {
  const stars = /^[1-5]$/.test(rating ?? "") ? Number(rating) : undefined
  if (review) return void (await updateReview(ctx, review, parseInput(UpdateReview, { rating: stars, comment })))
  const product = /^[1-9]\d{0,14}$/.test(product_id ?? "") ? Number(product_id) : undefined
  await createReview(ctx, parseInput(CreateReview, { product_id: product, rating: stars, comment }))
}

interface ReviewFormState {
  values?: FormFields
  errors?: FieldErrors
  /** Why the review was not saved, in the visitor's language. */
  refusal?: string | null
  isSaved?: boolean
  status?: number
}

/** Shows the form to customers who have bought the product, and the reason to all others. */
async function show(
  visit: Visit,
  { values, errors = {}, refusal, isSaved, status }: ReviewFormState,
): Promise<Response> {
  const { site } = visit.ctx
  const slug = visit.params.slug ?? ""
  const { user, results } = await visit.readAsUser([selectProduct({ site: site.id }, slug)])
  const [[product]] = results
  if (!product) throw new Refusal("not_found")
  if (!user)
    return visit.render(renderReason(product, W.SIGN_IN_FIRST, { href: `${ACCOUNT}/sign-in`, name: W.SIGN_IN }))
  const [purchase, own] = await visit.read([
    selectPurchase(site, { product: product.id, userId: user.id }),
    selectReviewOfUser(site, { product: product.id, user: user.id }),
  ])
  const [review] = own
  if (!purchase.length && !review) return visit.render(renderReason(product, W.BUYERS_ONLY), 403)
  const stored: FormFields = review ? { rating: String(review.rating), comment: review.comment ?? "" } : {}
  return visit.render(
    renderForm(product, { reviewId: review?.id, values: values ?? stored, errors, refusal, isSaved }),
    status,
  )
}

type Product = { id: number; slug: string; name: string }

/** Why there is no form. */
const renderReason =
  ({ slug, name }: Product, reason: Translations, link?: { href: string; name: Translations }): Page =>
  (view) => ({
    meta: { title: view.translate(W.WRITE_REVIEW), description: "", path: null },
    section: `/${PRODUCTS}`,
    body: (
      <article class="section shell narrow">
        <h1>{name}</h1>
        <p class="lede">{view.translate(reason)}</p>
        <p class="actions">
          {link && (
            <a class="button" href={link.href}>
              {view.translate(link.name)}
            </a>
          )}
          <a class="more" href={singlePath(PRODUCTS, slug)}>
            {view.translate(W.BACK)}
          </a>
        </p>
      </article>
    ),
  })

const RATINGS = [5, 4, 3, 2, 1]

const renderForm =
  (
    { id, slug, name }: Product,
    {
      reviewId,
      values,
      errors,
      refusal,
      isSaved,
    }: Required<Pick<ReviewFormState, "values" | "errors">> &
      Pick<ReviewFormState, "refusal" | "isSaved"> & { reviewId: number | undefined },
  ): Page =>
  (view) => {
    const form: FormState = { values, errors: toMessages(view, LABELS, errors) }
    return {
      meta: { title: view.translate(W.WRITE_REVIEW), description: "", path: null },
      section: `/${PRODUCTS}`,
      body: (
        <article class="section shell narrow">
          <h1>{name}</h1>
          {isSaved && (
            <Message>
              <p>{view.translate(W.THANKS)}</p>
            </Message>
          )}
          {refusal && (
            <Message isError>
              <p>{refusal}</p>
            </Message>
          )}
          <form method="post" action={reviewPath(slug)} class="form">
            <input type="hidden" name="product_id" value={String(id)} />
            {reviewId !== undefined && <input type="hidden" name="review" value={String(reviewId)} />}
            <Choices
              form={form}
              name="rating"
              legend={view.translate(W.RATING)}
              choices={RATINGS.map((rating) => ({
                value: String(rating),
                label: <Stars view={view} rating={rating} />,
              }))}
            />
            <Field
              view={view}
              form={form}
              name="comment"
              label={view.translate(W.COMMENT)}
              rows={6}
              maxlength={2000}
              isOptional
            />
            <p class="actions">
              <button class="button" type="submit">
                {view.translate(reviewId === undefined ? W.SUBMIT_REVIEW : W.UPDATE_REVIEW)}
              </button>
              <a class="more" href={singlePath(PRODUCTS, slug)}>
                {view.translate(W.BACK)}
              </a>
            </p>
          </form>
        </article>
      ),
    }
  }
