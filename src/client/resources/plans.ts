// Plans.
import { List } from "../list.ts"
import { buildPath, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { CreatePlan, ListPlans, Plan, UpdatePlan } from "../types.ts"
import { requestData } from "./resource.ts"

export class PlansResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the plans, on one page; with `include_inactive` also those no longer for sale. */
  list(query: ListPlans = {}, options?: ReadOptions): List<Plan, { total: number }> {
    return new List(this.#transport, { operation: "plans.list", method: "GET", path: "/plans", query, options }, false)
  }

  /** Returns a plan by its slug. */
  get(slug: string, options?: ReadOptions): Promise<Plan> {
    return requestData(this.#transport, {
      operation: "plans.get",
      method: "GET",
      path: buildPath`/plans/${slug}`,
      options,
    })
  }

  /** Creates a plan. */
  create(input: CreatePlan, options?: WriteOptions): Promise<Plan> {
    return requestData(this.#transport, {
      operation: "plans.create",
      method: "POST",
      path: "/plans",
      body: input,
      options,
    })
  }

  /** Changes a plan. Stores that have it keep their terms. */
  update(slug: string, input: UpdatePlan, options?: WriteOptions): Promise<Plan> {
    return requestData(this.#transport, {
      operation: "plans.update",
      method: "PATCH",
      path: buildPath`/plans/${slug}`,
      body: input,
      options,
    })
  }
}
