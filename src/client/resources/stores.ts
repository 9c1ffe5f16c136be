// Stores.
import { TenancyError } from "../error.ts"
import { List } from "../list.ts"
import { buildPath, type ReadOptions, sleep, type Transport, type WriteOptions } from "../transport.ts"
import type {
  AcceptedStore,
  CancelSubscription,
  CreateStore,
  ListedStore,
  ListStores,
  ResumeStore,
  Store,
  StoreStatus,
  Subscription,
  SuspendStore,
  UpdateStore,
} from "../types.ts"
import { requestData, requestNothing } from "./resource.ts"

/** Delays between polls in `waitUntil`. */
const INITIAL_POLL_INTERVALS_MS = [250, 250, 500, 500, 1_000]
const POLL_INTERVAL_MS = 2_000

const DEFAULT_WAIT_TIMEOUT_MS = 120_000

export class StoresResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists stores, newest first. */
  list(query: ListStores = {}, options?: ReadOptions): List<ListedStore> {
    return new List(this.#transport, { operation: "stores.list", method: "GET", path: "/stores", query, options })
  }

  /** Creates a store. Provisioning runs in the background; `waitUntil` waits for it. */
  create(input: CreateStore, options?: WriteOptions): Promise<AcceptedStore> {
    return requestData(this.#transport, {
      operation: "stores.create",
      method: "POST",
      path: "/stores",
      body: input,
      options,
    })
  }

  /** Returns a store with its usage and subscription. */
  get(id: string, options?: ReadOptions): Promise<Store> {
    return requestData(this.#transport, {
      operation: "stores.get",
      method: "GET",
      path: buildPath`/stores/${id}`,
      options,
    })
  }

  /** Changes a store's name, owner or theme. */
  update(id: string, input: UpdateStore, options?: WriteOptions): Promise<Store> {
    return requestData(this.#transport, {
      operation: "stores.update",
      method: "PATCH",
      path: buildPath`/stores/${id}`,
      body: input,
      options,
    })
  }

  /**
   * Deletes a store with its data.
   * @param input.confirm must equal the store's ID
   */
  delete(id: string, input: { confirm: string }, options?: WriteOptions): Promise<void> {
    return requestNothing(this.#transport, {
      operation: "stores.delete",
      method: "DELETE",
      path: buildPath`/stores/${id}`,
      body: input,
      options,
    })
  }

  /**
   * Takes a store offline.
   * @param input.notify whether the owner gets a mail with the reason
   */
  suspend(id: string, input: SuspendStore = {}, options?: WriteOptions): Promise<Store> {
    return requestData(this.#transport, {
      operation: "stores.suspend",
      method: "POST",
      path: buildPath`/stores/${id}/suspend`,
      body: input,
      options,
    })
  }

  /**
   * Brings a suspended store back online.
   * @param input.resolution what happens to a subscription that is past due or suspended; by default, nothing
   */
  resume(id: string, input: ResumeStore = {}, options?: WriteOptions): Promise<Store> {
    return requestData(this.#transport, {
      operation: "stores.resume",
      method: "POST",
      path: buildPath`/stores/${id}/resume`,
      body: input,
      options,
    })
  }

  /** Cancels a store's subscription. The store is deleted after the retention period. */
  cancel(
    id: string,
    input: CancelSubscription = {},
    options?: WriteOptions,
  ): Promise<{ store: Store; subscription: Subscription }> {
    return requestData(this.#transport, {
      operation: "stores.cancel",
      method: "POST",
      path: buildPath`/stores/${id}/cancel`,
      body: input,
      options,
    })
  }

  /** Changes a store's theme and enables the apps that the theme requires. */
  setTheme(id: string, input: { theme: string }, options?: WriteOptions): Promise<Store> {
    return requestData(this.#transport, {
      operation: "stores.setTheme",
      method: "POST",
      path: buildPath`/stores/${id}/theme`,
      body: input,
      options,
    })
  }

  /**
   * Waits until a store has a status.
   * @param options.timeout total timeout in milliseconds; 120,000 by default
   * @returns the store with that status
   * @throws TenancyError with `wait_timeout` after the timeout, `wait_failed` when provisioning failed, or the error of
   *   a failed request
   */
  async waitUntil(id: string, status: StoreStatus, options: ReadOptions & { timeout?: number } = {}): Promise<Store> {
    const { timeout = DEFAULT_WAIT_TIMEOUT_MS, signal } = options
    const end = Date.now() + timeout
    for (let poll = 0; ; poll++) {
      const store = await this.get(id, { signal })
      if (store.status === status) return store
      if (store.status === "failed")
        throw createWaitError("wait_failed", `Store ${id} failed and will not become ${status}`)
      const remaining = end - Date.now()
      if (remaining <= 0)
        throw createWaitError("wait_timeout", `Store ${id} was still ${store.status} after ${timeout} ms`)
      await sleep(Math.min(remaining, INITIAL_POLL_INTERVALS_MS[poll] ?? POLL_INTERVAL_MS), signal)
    }
  }
}

const createWaitError = (code: "wait_timeout" | "wait_failed", message: string) =>
  new TenancyError({
    operation: "stores.get",
    code,
    message,
    status: 0,
    requestId: null,
    errors: {},
    retryAfter: null,
  })
