// A store's domains. One is named by its row's id or by its host name.
import { List } from "../list.ts"
import { path, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type { Domain, DomainVerification } from "../types.ts"
import { none, one } from "./resource.ts"

/** What the list of a store's domains says beside them. */
export interface DomainsMeta {
  plan_allows_custom_domains: boolean
  max_custom_domains: number
}

export class DomainsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A store's domains, which come whole. */
  list(storeId: string, options?: ReadOptions): List<Domain, DomainsMeta> {
    return new List(
      this.#transport,
      { operation: "domains.list", method: "GET", path: path`/stores/${storeId}/domains`, options },
      false,
    )
  }

  /** Attaches a custom domain; the answer says which DNS record proves it. */
  create(storeId: string, input: { domain: string }, options?: WriteOptions): Promise<Domain> {
    return one(this.#transport, {
      operation: "domains.create",
      method: "POST",
      path: path`/stores/${storeId}/domains`,
      body: input,
      options,
    })
  }

  /** Looks up a domain's DNS record now. */
  async verify(storeId: string, domain: string | number, options?: WriteOptions): Promise<DomainVerification> {
    const answer = await this.#transport.send({
      operation: "domains.verify",
      method: "POST",
      path: path`/stores/${storeId}/domains/${domain}/verify`,
      options,
    })
    return { ...answer.data, verification_result: answer.verification_result }
  }

  /** Makes a domain the one that the store's root URL names. */
  makePrimary(storeId: string, domain: string | number, options?: WriteOptions): Promise<Domain> {
    return one(this.#transport, {
      operation: "domains.makePrimary",
      method: "POST",
      path: path`/stores/${storeId}/domains/${domain}/primary`,
      options,
    })
  }

  /** Detaches a custom domain. */
  delete(storeId: string, domain: string | number, options?: WriteOptions): Promise<void> {
    return none(this.#transport, {
      operation: "domains.delete",
      method: "DELETE",
      path: path`/stores/${storeId}/domains/${domain}`,
      options,
    })
  }
}
