// What happened to a store, and who did it.
import { List } from "../list.ts"
import { path, type ReadOptions, type Transport } from "../transport.ts"
import type { AuditEntry, PageQuery } from "../types.ts"

export class AuditResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A store's audit trail, the newest entry first. */
  list(storeId: string, query: PageQuery = {}, options?: ReadOptions): List<AuditEntry> {
    return new List(this.#transport, {
      operation: "audit.list",
      method: "GET",
      path: path`/stores/${storeId}/events`,
      query,
      options,
    })
  }
}
