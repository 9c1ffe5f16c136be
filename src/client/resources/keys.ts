// API keys.
import { List } from "../list.ts"
import { buildPath, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { ApiKey, CreateApiKey, CreatedApiKey, PageQuery } from "../types.ts"
import { requestData, requestNothing } from "./resource.ts"

export class KeysResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists API keys, newest first. */
  list(query: Pick<PageQuery, "page" | "per_page"> = {}, options?: ReadOptions): List<ApiKey> {
    return new List(this.#transport, { operation: "keys.list", method: "GET", path: "/keys", query, options })
  }

  /** Creates an API key that has no more rights than the client's own. The returned `key` cannot be read again. */
  async create(input: CreateApiKey, options?: WriteOptions): Promise<CreatedApiKey> {
    const { data, key } = await this.#transport.send({
      operation: "keys.create",
      method: "POST",
      path: "/keys",
      body: input,
      options,
    })
    return { ...data, key }
  }

  /** Returns an API key by its id. */
  get(id: number, options?: ReadOptions): Promise<ApiKey> {
    return requestData(this.#transport, {
      operation: "keys.get",
      method: "GET",
      path: buildPath`/keys/${id}`,
      options,
    })
  }

  /** Revokes an API key. */
  revoke(id: number, options?: WriteOptions): Promise<void> {
    return requestNothing(this.#transport, {
      operation: "keys.revoke",
      method: "DELETE",
      path: buildPath`/keys/${id}`,
      options,
    })
  }
}
