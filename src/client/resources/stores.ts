// Stores.
import { TenancyError } from "../error.ts"
import { List } from "../list.ts"
import { path, pause, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type {
  AcceptedStore,
  CreateStore,
  ListedStore,
  ListStores,
  Store,
  StoreStatus,
  Subscription,
  UpdateStore,
} from "../types.ts"
import { none, one } from "./resource.ts"

/** Milliseconds from one look at a store to the next while it is waited for: the first ones, and all others. */
const LOOKS = [250, 250, 500, 500, 1_000]
const LATER_LOOKS = 2_000

/** Milliseconds that a store is waited for unless the caller says otherwise. */
const PATIENCE = 120_000

export class StoresResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Stores, the newest first. */
  list(query: ListStores = {}, options?: ReadOptions): List<ListedStore> {
    return new List(this.#transport, { operation: "stores.list", method: "GET", path: "/stores", query, options })
  }

  /** Creates a store; it is provisioned behind the answer, and `waitUntil` waits for that. */
  create(input: CreateStore, options?: WriteOptions): Promise<AcceptedStore> {
    return one(this.#transport, { operation: "stores.create", method: "POST", path: "/stores", body: input, options })
  }

  /** A store with its usage and subscription. */
  get(id: string, options?: ReadOptions): Promise<Store> {
    return one(this.#transport, { operation: "stores.get", method: "GET", path: path`/stores/${id}`, options })
  }

  /** Changes a store's name, owner or theme. */
  update(id: string, input: UpdateStore, options?: WriteOptions): Promise<Store> {
    return one(this.#transport, {
      operation: "stores.update",
      method: "PATCH",
      path: path`/stores/${id}`,
      body: input,
      options,
    })
  }

  /**
   * Deletes a store with its data.
   * @param input.confirm the store's id once more
   */
  delete(id: string, input: { confirm: string }, options?: WriteOptions): Promise<void> {
    return none(this.#transport, {
      operation: "stores.delete",
      method: "DELETE",
      path: path`/stores/${id}`,
      body: input,
      options,
    })
  }

  /** Takes a store offline. */
  suspend(id: string, options?: WriteOptions): Promise<Store> {
    return one(this.#transport, {
      operation: "stores.suspend",
      method: "POST",
      path: path`/stores/${id}/suspend`,
      options,
    })
  }

  /** Brings a suspended store back. */
  resume(id: string, options?: WriteOptions): Promise<Store> {
    return one(this.#transport, {
      operation: "stores.resume",
      method: "POST",
      path: path`/stores/${id}/resume`,
      options,
    })
  }

  /** Ends a store's subscription; the store is kept for the retention, then purged. */
  cancel(id: string, options?: WriteOptions): Promise<{ store: Store; subscription: Subscription }> {
    return one(this.#transport, {
      operation: "stores.cancel",
      method: "POST",
      path: path`/stores/${id}/cancel`,
      options,
    })
  }

  /** Puts another theme on a store, and switches on the apps that it requires. */
  setTheme(id: string, input: { theme: string }, options?: WriteOptions): Promise<Store> {
    return one(this.#transport, {
      operation: "stores.setTheme",
      method: "POST",
      path: path`/stores/${id}/theme`,
      body: input,
      options,
    })
  }

  /**
   * Waits until a store has a status.
   * @param options.timeout milliseconds in all; 120 000 unless said otherwise
   * @returns the store as it is then
   * @throws TenancyError with `wait_timeout` when that took too long, `wait_failed` when provisioning failed; else what reading
   *   the store throws
   */
  async waitUntil(id: string, status: StoreStatus, options: ReadOptions & { timeout?: number } = {}): Promise<Store> {
    const { timeout = PATIENCE, signal } = options
    const end = Date.now() + timeout
    for (let look = 0; ; look++) {
      const store = await this.get(id, { signal })
      if (store.status === status) return store
      if (store.status === "failed") throw waited("wait_failed", `Store ${id} failed and will not become ${status}`)
      const left = end - Date.now()
      if (left <= 0) throw waited("wait_timeout", `Store ${id} was still ${store.status} after ${timeout} ms`)
      await pause(Math.min(left, LOOKS[look] ?? LATER_LOOKS), signal)
    }
  }
}

const waited = (code: "wait_timeout" | "wait_failed", message: string) =>
  new TenancyError({
    operation: "stores.get",
    code,
    message,
    status: 0,
    requestId: null,
    errors: {},
    retryAfter: null,
  })
