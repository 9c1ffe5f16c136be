// The section with the reviews of a product on its page.

import { UtcDay } from "../../../core/html/moment"
import { TitledSection } from "../../../storefront/components/section"
import type { ItemSection } from "../../../storefront/part"
import type { View } from "../../../storefront/view"
import { ratingResource } from "../schemas"
import { REVIEWS_PATH } from "./pages"
import { type ShownReview, selectRatings, selectReviews } from "./queries"
import { Stars } from "./stars"
import * as W from "./strings"

export const reviewSection: ItemSection = ({ siteId: site }, slug) => ({
  reads: [selectReviews({ site }, slug), selectRatings({ site }, slug)],
  load([reviews = [], ratings = []]) {
    const { average, count } = ratingResource(ratings as { rating: number; total: number }[])
    return {
      structuredData:
        average === null
          ? {}
          : { aggregateRating: { "@type": "AggregateRating", ratingValue: average, reviewCount: count } },
      body: (view) => (
        <Reviews view={view} slug={slug} reviews={reviews as ShownReview[]} average={average} count={count} />
      ),
    }
  },
})

interface Props {
  view: View
  /** Of the product. */
  slug: string
  reviews: readonly ShownReview[]
  /** Null without reviews. */
  average: number | null
  count: number
}

function Reviews({ view, slug, reviews, average, count }: Props) {
  const more = { href: `/${REVIEWS_PATH}/${encodeURIComponent(slug)}`, name: view.translate(W.WRITE_REVIEW) }
  return (
    <TitledSection id="reviews" title={view.translate(W.REVIEWS)} more={more}>
      {average === null ? (
        <p class="lede">{view.translate(W.NO_REVIEWS)}</p>
      ) : (
        <p class="lede">
          <Stars view={view} rating={average} /> ({count})
        </p>
      )}
      <ul class="results">
        {reviews.map((review) => (
          <li key={review.id}>
            <Stars view={view} rating={review.rating} />
            {review.comment && <p class="lines">{review.comment}</p>}
            <p class="quiet">
              {authorOf(review)} · <UtcDay at={review.createdAt} locale={view.locale} />
            </p>
          </li>
        ))}
      </ul>
    </TitledSection>
  )
}

/** The first name and the initial of the last name; the page is public. */
function authorOf({ firstName, lastName }: ShownReview): string {
  const [initial = ""] = lastName.trim()
  return `${firstName} ${initial && `${initial}.`}`.trim()
}
