// Requests to the reviews app, for the tests of all routes.
import { type AppRequests, itemOf } from "../../support/app-requests"
import type { PrepareWrite, Site } from "../../support/prepared-writes"
import { recordPurchase } from "../../support/purchases"
import { siteRows } from "../../support/rows"
import { makeProduct } from "../ecommerce/requests"

/** Creates a user who has bought a product, and a review of it that is not sent yet. */
async function prepareReview(site: Site) {
  const user = await site.createUser()
  const product = await makeProduct(site)
  await recordPurchase(user.id, product)
  return { user, review: { product_id: product, rating: 4 } }
}

/** A write of a user to the own review. */
const reviewWrite =
  (method: "PUT" | "DELETE", json?: object): PrepareWrite =>
  async (site) => {
    const { user, review } = await prepareReview(site)
    const { id } = (await site.send("POST", "/reviews", user, review)).body.data
    return () => site.send(method, `/reviews/${id}`, user, json)
  }

/** A write of staff to a review. */
const moderation =
  (action: "hide" | "show"): PrepareWrite =>
  async (site) => {
    const { user, review } = await prepareReview(site)
    const staff = await site.createUser({ isStaff: true })
    const { id } = (await site.send("POST", "/reviews", user, review)).body.data
    if (action === "show") await site.send("POST", `/reviews/${id}/hide`, staff)
    return () => site.send("POST", `/reviews/${id}/${action}`, staff)
  }

export const requests: AppRequests = {
  async createItems({ customer }, { secret }, items) {
    const product = itemOf(items, "products").id
    const [buyer] = await siteRows("select user_id from orders where id = ?", itemOf(items, "orders").id)
    await recordPurchase(Number(buyer?.user_id), product)
    return { reviews: await customer("/reviews", { product_id: product, rating: 4, comment: secret }) }
  },
  reads: (items) => ({ "reviews.list": `/reviews?product_id=${itemOf(items, "products").id}` }),
  writes: {
    "reviews.create": async (site) => {
      const { user, review } = await prepareReview(site)
      return () => site.send("POST", "/reviews", user, review)
    },
    "reviews.update": reviewWrite("PUT", { rating: 1 }),
    "reviews.delete": reviewWrite("DELETE"),
    "reviews.hide": moderation("hide"),
    "reviews.show": moderation("show"),
  },
  updates: { reviews: { rating: 1 } },
  lists: (items) => [`/reviews?product_id=${itemOf(items, "products").id}`],
  staffQueries: { "reviews.list": "&status=hidden" },
  ownWrites: ["reviews.create", "reviews.update", "reviews.delete"],
}
