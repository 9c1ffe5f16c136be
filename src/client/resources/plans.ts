// Plans.
import { List } from "../list.ts"
import { path, type ReadOptions, type Transport } from "../transport.ts"
import type { Plan } from "../types.ts"
import { one } from "./resource.ts"

export class PlansResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The plans, which come whole; with `include_inactive` those that are no longer sold too. */
  list(query: { include_inactive?: boolean } = {}, options?: ReadOptions): List<Plan, { total: number }> {
    return new List(this.#transport, { operation: "plans.list", method: "GET", path: "/plans", query, options }, false)
  }

  /** @param slug the plan's */
  get(slug: string, options?: ReadOptions): Promise<Plan> {
    return one(this.#transport, { operation: "plans.get", method: "GET", path: path`/plans/${slug}`, options })
  }
}
