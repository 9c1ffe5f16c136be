// HTTP routes of reviews.
import * as z from "zod"
import { sendData, sendPage } from "../../content/envelope"
import { appUser } from "../../content/mount-apps"
import { dataEnvelope, pageEnvelope } from "../../content/response-schemas"
import type { ContentEnv } from "../../content/types"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { CreateReview, ListReviews, RatingResource, ReviewResource, reviewResource, UpdateReview } from "./schemas"
import { createReview, listReviews, removeReview, setReviewStatus, updateReview } from "./service"

export const reviews = createRouter<ContentEnv>()
  .get(
    "/reviews",
    describe({
      id: "reviews.list",
      summary: "List a product's reviews",
      responses: { status: 200, body: pageEnvelope(ReviewResource, { rating: RatingResource }) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    query(ListReviews),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total, rating } = await listReviews(c.var.userCtx, input)
      return sendPage(c, input, { rows: rows.map(reviewResource), total }, { rating })
    },
  )
  .post(
    "/reviews",
    describe({
      id: "reviews.create",
      summary: "Create a review",
      responses: { status: 201, body: dataEnvelope(ReviewResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    body(CreateReview),
    async (c) => sendData(c, reviewResource(await createReview(c.var.userCtx, c.req.valid("json"))), { status: 201 }),
  )
  .put(
    "/reviews/:id",
    describe({
      id: "reviews.update",
      summary: "Update a review",
      responses: { status: 200, body: dataEnvelope(ReviewResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    body(UpdateReview),
    async (c) => sendData(c, reviewResource(await updateReview(c.var.userCtx, c.req.param("id"), c.req.valid("json")))),
  )
  .post(
    "/reviews/:id/hide",
    describe({
      id: "reviews.hide",
      summary: "Hide a review",
      responses: { status: 200, body: dataEnvelope(ReviewResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => sendData(c, reviewResource(await setReviewStatus(c.var.userCtx, c.req.param("id"), "hidden"))),
  )
  .post(
    "/reviews/:id/show",
    describe({
      id: "reviews.show",
      summary: "Show a hidden review",
      responses: { status: 200, body: dataEnvelope(ReviewResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => sendData(c, reviewResource(await setReviewStatus(c.var.userCtx, c.req.param("id"), "published"))),
  )
  .delete(
    "/reviews/:id",
    describe({
      id: "reviews.delete",
      summary: "Delete a review",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => {
      await removeReview(c.var.userCtx, c.req.param("id"))
      return sendData(c, null)
    },
  )
