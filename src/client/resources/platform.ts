// Platform constants, and the current API key.
import type { ReadOptions, Transport } from "../transport.ts"
import type { ApiKey, Platform } from "../types.ts"
import { requestData } from "./resource.ts"

export class PlatformResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns the platform's constants. */
  get(options?: ReadOptions): Promise<Platform> {
    return requestData(this.#transport, { operation: "platform.get", method: "GET", path: "/platform", options })
  }
}

export class MeResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns the API key of this client. */
  get(options?: ReadOptions): Promise<ApiKey> {
    return requestData(this.#transport, { operation: "me.get", method: "GET", path: "/me", options })
  }
}
