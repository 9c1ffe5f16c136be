// Requests to the reviews app, for the tests of all routes.
import { type AppRequests, itemOf } from "../../support/app-requests"
import { resourceWrite, type Site } from "../../support/prepared-writes"
import { makeProduct } from "../ecommerce/requests"

const newReview = async (site: Site) => ({ product_id: await makeProduct(site), rating: 4 })

export const requests: AppRequests = {
  createItems: async ({ customer }, { secret }, items) => ({
    reviews: await customer("/reviews", { product_id: itemOf(items, "products").id, rating: 4, comment: secret }),
  }),
  reads: (items) => ({ "reviews.list": `/reviews?product_id=${itemOf(items, "products").id}` }),
  writes: {
    "reviews.create": async (site) => {
      const review = await newReview(site)
      const customer = await site.createUser()
      return () => site.send("POST", "/reviews", customer, review)
    },
    "reviews.update": resourceWrite("/reviews", newReview, ({ send }, { id, user }) =>
      send("PUT", `/reviews/${id}`, user, { rating: 1 }),
    ),
    "reviews.delete": resourceWrite("/reviews", newReview, ({ send }, { id, user }) =>
      send("DELETE", `/reviews/${id}`, user),
    ),
  },
  updates: { reviews: { rating: 1 } },
  lists: (items) => [`/reviews?product_id=${itemOf(items, "products").id}`],
  ownWrites: ["reviews.update", "reviews.delete"],
}
