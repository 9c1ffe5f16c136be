// The subscription of a store. Every action returns the updated subscription.
import { buildPath, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { AssignPlan, CancelSubscription, Subscription } from "../types.ts"
import { requestData } from "./resource.ts"

export class SubscriptionsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  get(storeId: string, options?: ReadOptions): Promise<Subscription> {
    return requestData(this.#transport, {
      operation: "subscriptions.get",
      method: "GET",
      path: buildPath`/stores/${storeId}/subscription`,
      options,
    })
  }

  /** Assigns a plan to a store. */
  assign(storeId: string, input: AssignPlan, options?: WriteOptions): Promise<Subscription> {
    return requestData(this.#transport, {
      operation: "subscriptions.assign",
      method: "POST",
      path: buildPath`/stores/${storeId}/subscription/assign`,
      body: input,
      options,
    })
  }

  /** Moves a store to another plan. */
  changePlan(storeId: string, input: { plan: string }, options?: WriteOptions): Promise<Subscription> {
    return requestData(this.#transport, {
      operation: "subscriptions.changePlan",
      method: "POST",
      path: buildPath`/stores/${storeId}/subscription/change-plan`,
      body: input,
      options,
    })
  }

  /**
   * Adds days to a store's trial or period.
   * @param input.days 1 to 3650
   */
  extend(storeId: string, input: { days: number }, options?: WriteOptions): Promise<Subscription> {
    return requestData(this.#transport, {
      operation: "subscriptions.extend",
      method: "POST",
      path: buildPath`/stores/${storeId}/subscription/extend`,
      body: input,
      options,
    })
  }

  /**
   * Reactivates a suspended subscription, or a cancelled one within the retention period. Withdraws a scheduled
   * cancellation.
   */
  reactivate(storeId: string, options?: WriteOptions): Promise<Subscription> {
    return requestData(this.#transport, {
      operation: "subscriptions.reactivate",
      method: "POST",
      path: buildPath`/stores/${storeId}/subscription/reactivate`,
      options,
    })
  }

  /**
   * Cancels a subscription. The store is deleted after the retention period.
   * @param input.at_period_end whether it runs until the end of the paid period or trial; `reactivate` withdraws that
   */
  cancel(storeId: string, input: CancelSubscription = {}, options?: WriteOptions): Promise<Subscription> {
    return requestData(this.#transport, {
      operation: "subscriptions.cancel",
      method: "POST",
      path: buildPath`/stores/${storeId}/subscription/cancel`,
      body: input,
      options,
    })
  }
}
