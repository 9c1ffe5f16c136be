// A store's apps.
import { List } from "../list.ts"
import { path, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { App } from "../types.ts"
import { one } from "./resource.ts"

export class AppsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Every installed app as it stands at a store; the list comes whole. */
  list(storeId: string, options?: ReadOptions): List<App, { store_id: string; total: number }> {
    return new List(
      this.#transport,
      { operation: "apps.list", method: "GET", path: path`/stores/${storeId}/apps`, options },
      false,
    )
  }

  /** Switches an app on, and what it requires; answers all apps as they stand then. */
  enable(storeId: string, slug: string, options?: WriteOptions): Promise<App[]> {
    return one(this.#transport, {
      operation: "apps.enable",
      method: "POST",
      path: path`/stores/${storeId}/apps/${slug}/enable`,
      options,
    })
  }

  /** Switches an app off; answers all apps as they stand then. */
  disable(storeId: string, slug: string, options?: WriteOptions): Promise<App[]> {
    return one(this.#transport, {
      operation: "apps.disable",
      method: "POST",
      path: path`/stores/${storeId}/apps/${slug}/disable`,
      options,
    })
  }
}
