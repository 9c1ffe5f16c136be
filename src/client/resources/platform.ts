// What is the same for every store, and the key that asks.
import type { ReadOptions, Transport } from "../transport.ts"
import type { ApiKey, Platform } from "../types.ts"
import { one } from "./resource.ts"

export class PlatformResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The platform's constants. */
  get(options?: ReadOptions): Promise<Platform> {
    return one(this.#transport, { operation: "platform.get", method: "GET", path: "/platform", options })
  }
}

export class MeResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The API key that asks. */
  get(options?: ReadOptions): Promise<ApiKey> {
    return one(this.#transport, { operation: "me.get", method: "GET", path: "/me", options })
  }
}
