// Domains of a store, identified by ID or host name.
import { List } from "../list.ts"
import { buildPath, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { Domain, DomainVerification } from "../types.ts"
import { requestData, requestNothing } from "./resource.ts"

/** The `meta` of a list of domains. */
export interface DomainsMeta {
  plan_allows_custom_domains: boolean
  max_custom_domains: number
}

export class DomainsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists a store's domains, on one page. */
  list(storeId: string, options?: ReadOptions): List<Domain, DomainsMeta> {
    return new List(
      this.#transport,
      { operation: "domains.list", method: "GET", path: buildPath`/stores/${storeId}/domains`, options },
      false,
    )
  }

  /** Adds a custom domain; the response contains the DNS record that verifies it. */
  create(storeId: string, input: { domain: string }, options?: WriteOptions): Promise<Domain> {
    return requestData(this.#transport, {
      operation: "domains.create",
      method: "POST",
      path: buildPath`/stores/${storeId}/domains`,
      body: input,
      options,
    })
  }

  /** Checks a domain's DNS record now. */
  async verify(storeId: string, domain: string | number, options?: WriteOptions): Promise<DomainVerification> {
    const response = await this.#transport.send({
      operation: "domains.verify",
      method: "POST",
      path: buildPath`/stores/${storeId}/domains/${domain}/verify`,
      options,
    })
    return { ...response.data, verification_result: response.verification_result }
  }

  /** Makes a domain the primary one, which the store's root URL uses. */
  makePrimary(storeId: string, domain: string | number, options?: WriteOptions): Promise<Domain> {
    return requestData(this.#transport, {
      operation: "domains.makePrimary",
      method: "POST",
      path: buildPath`/stores/${storeId}/domains/${domain}/primary`,
      options,
    })
  }

  /** Removes a custom domain. */
  delete(storeId: string, domain: string | number, options?: WriteOptions): Promise<void> {
    return requestNothing(this.#transport, {
      operation: "domains.delete",
      method: "DELETE",
      path: buildPath`/stores/${storeId}/domains/${domain}`,
      options,
    })
  }
}
