// Webhook endpoints, and what was delivered to them.
import { List } from "../list.ts"
import { path, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
import type {
  CreatedWebhookEndpoint,
  CreateWebhookEndpoint,
  EventType,
  ListDeliveries,
  PageQuery,
  RecoverWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookStats,
} from "../types.ts"
import { none, one } from "./resource.ts"

export class WebhooksResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Endpoints, the newest first. */
  list(query: PageQuery = {}, options?: ReadOptions): List<WebhookEndpoint> {
    return new List(this.#transport, { operation: "webhooks.list", method: "GET", path: "/webhooks", query, options })
  }

  /** Creates an endpoint; its signing secret is in this answer only. */
  async create(input: CreateWebhookEndpoint, options?: WriteOptions): Promise<CreatedWebhookEndpoint> {
    const answer = await this.#transport.send({
      operation: "webhooks.create",
      method: "POST",
      path: "/webhooks",
      body: input,
      options,
    })
    return { ...answer.data, secret: answer.secret }
  }

  get(id: number, options?: ReadOptions): Promise<WebhookEndpoint> {
    return one(this.#transport, { operation: "webhooks.get", method: "GET", path: path`/webhooks/${id}`, options })
  }

  /** Changes an endpoint; `is_active: true` also switches on again what a run of failures switched off. */
  update(id: number, input: UpdateWebhookEndpoint, options?: WriteOptions): Promise<WebhookEndpoint> {
    return one(this.#transport, {
      operation: "webhooks.update",
      method: "PATCH",
      path: path`/webhooks/${id}`,
      body: input,
      options,
    })
  }

  /** Deletes an endpoint and its deliveries. */
  delete(id: number, options?: WriteOptions): Promise<void> {
    return none(this.#transport, {
      operation: "webhooks.delete",
      method: "DELETE",
      path: path`/webhooks/${id}`,
      options,
    })
  }

  /**
   * Gives an endpoint another signing secret, which is in this answer only.
   * @param input.grace_seconds how long the old secret signs beside it, at most a day; not at all unless said otherwise
   */
  rotateSecret(
    id: number,
    input: { grace_seconds?: number } = {},
    options?: WriteOptions,
  ): Promise<{ id: number; secret: string }> {
    return one(this.#transport, {
      operation: "webhooks.rotateSecret",
      method: "POST",
      path: path`/webhooks/${id}/rotate-secret`,
      body: input,
      options,
    })
  }

  /**
   * Sends a ping, or an example of an event, whatever the endpoint listens to; the delivery shows how it went.
   * @param input.event which event to make an example of
   */
  test(id: number, input: { event?: EventType } = {}, options?: WriteOptions): Promise<WebhookDelivery> {
    return one(this.#transport, {
      operation: "webhooks.test",
      method: "POST",
      path: path`/webhooks/${id}/test`,
      body: input,
      options,
    })
  }

  /**
   * Sends an endpoint what failed or what it missed, in the order of the events; `get` shows how far that is.
   * @returns how many events were queued, 100 000 at most
   */
  recover(id: number, input: RecoverWebhookEndpoint, options?: WriteOptions): Promise<{ queued: number }> {
    return one(this.#transport, {
      operation: "webhooks.recover",
      method: "POST",
      path: path`/webhooks/${id}/recover`,
      body: input,
      options,
    })
  }

  /**
   * What an endpoint's attempts came to.
   * @param query.hours how many hours back, 1 to 720; 24 unless said otherwise
   */
  stats(id: number, query: { hours?: number } = {}, options?: ReadOptions): Promise<WebhookStats> {
    return one(this.#transport, {
      operation: "webhooks.stats",
      method: "GET",
      path: path`/webhooks/${id}/stats`,
      query,
      options,
    })
  }
}

export class DeliveriesResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** An endpoint's deliveries, the newest first. */
  list(endpointId: number, query: ListDeliveries = {}, options?: ReadOptions): List<WebhookDelivery> {
    return new List(this.#transport, {
      operation: "deliveries.list",
      method: "GET",
      path: path`/webhooks/${endpointId}/deliveries`,
      query,
      options,
    })
  }

  /** One delivery; with `include: "payload"` its event's payload too. */
  get(id: number, query: { include?: "payload" } = {}, options?: ReadOptions): Promise<WebhookDelivery> {
    return one(this.#transport, {
      operation: "deliveries.get",
      method: "GET",
      path: path`/webhooks/deliveries/${id}`,
      query,
      options,
    })
  }

  /** The attempts of a delivery, the newest first; they come whole. */
  attempts(id: number, options?: ReadOptions): List<WebhookAttempt, { total: number }> {
    return new List(
      this.#transport,
      { operation: "deliveries.attempts", method: "GET", path: path`/webhooks/deliveries/${id}/attempts`, options },
      false,
    )
  }

  /** Makes one attempt now; the delivery, with its payload, shows how it went. */
  retry(id: number, options?: WriteOptions): Promise<WebhookDelivery> {
    return one(this.#transport, {
      operation: "deliveries.retry",
      method: "POST",
      path: path`/webhooks/deliveries/${id}/retry`,
      options,
    })
  }
}
