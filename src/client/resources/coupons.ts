// Coupons.
import { List } from "../list.ts"
import { buildPath, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { Coupon, CreateCoupon, ListCoupons, UpdateCoupon } from "../types.ts"
import { requestData } from "./resource.ts"

export class CouponsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists coupons by code. */
  list(query: ListCoupons = {}, options?: ReadOptions): List<Coupon> {
    return new List(this.#transport, { operation: "coupons.list", method: "GET", path: "/coupons", query, options })
  }

  /** Creates a coupon. */
  create(input: CreateCoupon, options?: WriteOptions): Promise<Coupon> {
    return requestData(this.#transport, {
      operation: "coupons.create",
      method: "POST",
      path: "/coupons",
      body: input,
      options,
    })
  }

  /** Returns a coupon by its code. */
  get(code: string, options?: ReadOptions): Promise<Coupon> {
    return requestData(this.#transport, {
      operation: "coupons.get",
      method: "GET",
      path: buildPath`/coupons/${code}`,
      options,
    })
  }

  /** Changes a coupon. */
  update(code: string, input: UpdateCoupon, options?: WriteOptions): Promise<Coupon> {
    return requestData(this.#transport, {
      operation: "coupons.update",
      method: "PATCH",
      path: buildPath`/coupons/${code}`,
      body: input,
      options,
    })
  }
}
