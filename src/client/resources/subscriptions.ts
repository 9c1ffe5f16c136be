// A store's subscription; every action answers it as it is then.
import { path, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { AssignPlan, Subscription } from "../types.ts"
import { one } from "./resource.ts"

export class SubscriptionsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  get(storeId: string, options?: ReadOptions): Promise<Subscription> {
    return one(this.#transport, {
      operation: "subscriptions.get",
      method: "GET",
      path: path`/stores/${storeId}/subscription`,
      options,
    })
  }

  /** Gives a store a plan. */
  assign(storeId: string, input: AssignPlan, options?: WriteOptions): Promise<Subscription> {
    return one(this.#transport, {
      operation: "subscriptions.assign",
      method: "POST",
      path: path`/stores/${storeId}/subscription/assign`,
      body: input,
      options,
    })
  }

  /** Moves a store to another plan. */
  changePlan(storeId: string, input: { plan: string }, options?: WriteOptions): Promise<Subscription> {
    return one(this.#transport, {
      operation: "subscriptions.changePlan",
      method: "POST",
      path: path`/stores/${storeId}/subscription/change-plan`,
      body: input,
      options,
    })
  }

  /**
   * Adds days to a store's trial or period.
   * @param input.days 1 to 3650
   */
  extend(storeId: string, input: { days: number }, options?: WriteOptions): Promise<Subscription> {
    return one(this.#transport, {
      operation: "subscriptions.extend",
      method: "POST",
      path: path`/stores/${storeId}/subscription/extend`,
      body: input,
      options,
    })
  }

  /** Revives a suspended subscription, or a cancelled one within the retention. */
  reactivate(storeId: string, options?: WriteOptions): Promise<Subscription> {
    return one(this.#transport, {
      operation: "subscriptions.reactivate",
      method: "POST",
      path: path`/stores/${storeId}/subscription/reactivate`,
      options,
    })
  }

  /** Ends a subscription; the store is kept for the retention, then purged. */
  cancel(storeId: string, options?: WriteOptions): Promise<Subscription> {
    return one(this.#transport, {
      operation: "subscriptions.cancel",
      method: "POST",
      path: path`/stores/${storeId}/subscription/cancel`,
      options,
    })
  }
}
