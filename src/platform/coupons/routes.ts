// Routes of the coupons.
import { pageMeta } from "../../core/http/pagination"
import type { PlatformEnv } from "../../core/http/platform-env"
import { one, paged } from "../../core/http/response-schemas"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { CouponResource, CreateCoupon, couponResource, ListCoupons, UpdateCoupon } from "./schemas"
import { createCoupon, listCouponPage, readCoupon, updateCoupon } from "./service"

const coupon = { status: 200, body: one(CouponResource) } as const

export const coupons = createRouter<PlatformEnv>()
  .get(
    "/coupons",
    describe({ id: "coupons.list", summary: "List coupons", responses: { status: 200, body: paged(CouponResource) } }),
    query(ListCoupons),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listCouponPage(c.var.ctx, input)
      return c.json({ data: rows.map(couponResource), meta: pageMeta(input, total) })
    },
  )
  .post(
    "/coupons",
    describe({
      id: "coupons.create",
      summary: "Create a coupon",
      responses: { status: 201, body: one(CouponResource) },
    }),
    body(CreateCoupon),
    async (c) => c.json({ data: couponResource(await createCoupon(c.var.ctx, c.req.valid("json"))) }, 201),
  )
  .get(
    "/coupons/:code",
    describe({ id: "coupons.get", summary: "Retrieve a coupon", responses: coupon, refuses: ["not_found"] }),
    async (c) => c.json({ data: couponResource(await readCoupon(c.var.ctx, c.req.param("code"))) }),
  )
  .patch(
    "/coupons/:code",
    describe({ id: "coupons.update", summary: "Update a coupon", responses: coupon, refuses: ["not_found"] }),
    body(UpdateCoupon),
    async (c) => {
      const { code } = c.req.param()
      return c.json({ data: couponResource(await updateCoupon(c.var.ctx, code, c.req.valid("json"))) })
    },
  )
