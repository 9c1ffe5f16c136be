// A store's apps.
import { List } from "../list.ts"
import { buildPath, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { App } from "../types.ts"
import { requestData } from "./resource.ts"

export class AppsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists all apps with their state at a store, on one page. */
  list(storeId: string, options?: ReadOptions): List<App, { store_id: string; total: number }> {
    return new List(
      this.#transport,
      { operation: "apps.list", method: "GET", path: buildPath`/stores/${storeId}/apps`, options },
      false,
    )
  }

  /** Enables an app and its dependencies; returns all apps. */
  enable(storeId: string, slug: string, options?: WriteOptions): Promise<App[]> {
    return requestData(this.#transport, {
      operation: "apps.enable",
      method: "POST",
      path: buildPath`/stores/${storeId}/apps/${slug}/enable`,
      options,
    })
  }

  /** Disables an app; returns all apps. */
  disable(storeId: string, slug: string, options?: WriteOptions): Promise<App[]> {
    return requestData(this.#transport, {
      operation: "apps.disable",
      method: "POST",
      path: buildPath`/stores/${storeId}/apps/${slug}/disable`,
      options,
    })
  }
}
