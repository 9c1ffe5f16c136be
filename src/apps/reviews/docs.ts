// Texts of the reviews app for the API reference.
import type { AppDocs } from "../definition"
import "./schemas.docs"

export const docs: AppDocs = {
  operations: {
    "reviews.list":
      "Lists a product's reviews, newest first. `meta.rating` contains the average rating. Hidden reviews count in neither; staff list them with `status=hidden`.",
    "reviews.create":
      "Reviews a product. Customers with a paid or fulfilled order of the product can review it, once each.",
    "reviews.update": "Changes the user's own review.",
    "reviews.hide":
      "Hides a review from the product's reviews and from its average. Its author can still change it; deleting it only removes its comment. Requires the role `editor`.",
    "reviews.show": "Shows a hidden review again. Requires the role `editor`.",
    "reviews.delete":
      "Deletes the user's own review; staff can delete any review. A hidden review that its author deletes only loses its comment, so that the author can't write another one.",
  },
  lookups: { "reviews.create": ["product_id"] },
}
