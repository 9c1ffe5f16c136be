// Usage of a store.
import { buildPath, type ReadOptions, type Transport } from "../transport.ts"
import type { StoreUsage } from "../types.ts"
import { requestData } from "./resource.ts"

export class UsageResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns the last usage snapshot; with `refresh`, usage is counted again. */
  get(storeId: string, query: { refresh?: boolean } = {}, options?: ReadOptions): Promise<StoreUsage> {
    return requestData(this.#transport, {
      operation: "usage.get",
      method: "GET",
      path: buildPath`/stores/${storeId}/usage`,
      query,
      options,
    })
  }
}
