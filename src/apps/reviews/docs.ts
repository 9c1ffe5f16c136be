// Texts of the reviews app for the API reference.
import type { AppDocs } from "../definition"
import "./schemas.docs"

export const docs: AppDocs = {
  operations: {
    "reviews.list": "Lists a product's reviews, newest first. `meta.rating` contains the average rating.",
    "reviews.create":
      "Reviews a product. Customers with a paid or fulfilled order of the product can review it, once each.",
    "reviews.update": "Changes the user's own review.",
    "reviews.delete": "Deletes the user's own review; staff can delete any review.",
  },
  lookups: { "reviews.create": ["product_id"] },
}
