// The audit log of a store.
import { List } from "../list.ts"
import { buildPath, type ReadOptions, type Transport } from "../transport.ts"
import type { AuditEntry, PageQuery } from "../types.ts"

export class AuditResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists a store's audit log, newest first. */
  list(storeId: string, query: PageQuery = {}, options?: ReadOptions): List<AuditEntry> {
    return new List(this.#transport, {
      operation: "audit.list",
      method: "GET",
      path: buildPath`/stores/${storeId}/events`,
      query,
      options,
    })
  }
}
