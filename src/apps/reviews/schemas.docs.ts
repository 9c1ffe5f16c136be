// Documents the API fields of reviews.
import { documentFields } from "../../core/http/field-docs"
import { CreateReview, ListReviews, RatingResource, ReviewResource, UpdateReview } from "./schemas"

const productId = { description: "Id of the product.", example: 101 }
const rating = { description: "Stars, from 1 to 5.", example: 5 }
const comment = { description: "Text of the review.", example: "Sturdy, and prettier than in the pictures." }

documentFields(CreateReview, { product_id: productId, rating, comment })

documentFields(UpdateReview, { rating, comment })

documentFields(ListReviews, {
  product_id: productId,
  status: { description: "Reviews with this status. Only staff can list hidden ones." },
})

documentFields(ReviewResource, {
  product_id: productId,
  rating,
  comment,
  status: { description: "`hidden` after staff have hidden the review." },
  author: { description: "The user who wrote the review.", example: { id: 42, name: "Ada Lovelace" } },
})

documentFields(RatingResource, {
  average: { description: "Average rating, to one decimal; null without reviews.", example: 4.5 },
  count: { description: "Number of reviews.", example: 2 },
})
