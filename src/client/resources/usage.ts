// What a store uses.
import { path, type ReadOptions, type Transport } from "../transport.ts"
import type { StoreUsage } from "../types.ts"
import { one } from "./resource.ts"

export class UsageResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** As it was last counted; with `refresh` as it is counted now. */
  get(storeId: string, query: { refresh?: boolean } = {}, options?: ReadOptions): Promise<StoreUsage> {
    return one(this.#transport, {
      operation: "usage.get",
      method: "GET",
      path: path`/stores/${storeId}/usage`,
      query,
      options,
    })
  }
}
