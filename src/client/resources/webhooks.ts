// Webhook endpoints and their deliveries.
import { List } from "../list.ts"
import { buildPath, type ReadOptions, type Transport, type WriteOptions } from "../transport.ts"
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
import { requestData, requestNothing } from "./resource.ts"

export class WebhooksResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists endpoints, newest first. */
  list(query: PageQuery = {}, options?: ReadOptions): List<WebhookEndpoint> {
    return new List(this.#transport, { operation: "webhooks.list", method: "GET", path: "/webhooks", query, options })
  }

  /** Creates an endpoint. Its signing secret is only returned here. */
  async create(input: CreateWebhookEndpoint, options?: WriteOptions): Promise<CreatedWebhookEndpoint> {
    const response = await this.#transport.send({
      operation: "webhooks.create",
      method: "POST",
      path: "/webhooks",
      body: input,
      options,
    })
    return { ...response.data, secret: response.secret }
  }

  get(id: number, options?: ReadOptions): Promise<WebhookEndpoint> {
    return requestData(this.#transport, {
      operation: "webhooks.get",
      method: "GET",
      path: buildPath`/webhooks/${id}`,
      options,
    })
  }

  /** Updates an endpoint. `is_active: true` also re-enables one that was disabled after repeated failures. */
  update(id: number, input: UpdateWebhookEndpoint, options?: WriteOptions): Promise<WebhookEndpoint> {
    return requestData(this.#transport, {
      operation: "webhooks.update",
      method: "PATCH",
      path: buildPath`/webhooks/${id}`,
      body: input,
      options,
    })
  }

  /** Deletes an endpoint and its deliveries. */
  delete(id: number, options?: WriteOptions): Promise<void> {
    return requestNothing(this.#transport, {
      operation: "webhooks.delete",
      method: "DELETE",
      path: buildPath`/webhooks/${id}`,
      options,
    })
  }

  /**
   * Rotates an endpoint's signing secret. The new one is only returned here.
   * @param input.grace_seconds how long the old secret also signs, at most a day; 0 by default
   */
  rotateSecret(
    id: number,
    input: { grace_seconds?: number } = {},
    options?: WriteOptions,
  ): Promise<{ id: number; secret: string }> {
    return requestData(this.#transport, {
      operation: "webhooks.rotateSecret",
      method: "POST",
      path: buildPath`/webhooks/${id}/rotate-secret`,
      body: input,
      options,
    })
  }

  /**
   * Sends a ping or a sample event, regardless of the endpoint's event types; the delivery contains the result.
   * @param input.event type of the sample event
   */
  test(id: number, input: { event?: EventType } = {}, options?: WriteOptions): Promise<WebhookDelivery> {
    return requestData(this.#transport, {
      operation: "webhooks.test",
      method: "POST",
      path: buildPath`/webhooks/${id}/test`,
      body: input,
      options,
    })
  }

  /**
   * Sends failed or missed events to an endpoint again, in order; `get` returns the progress.
   * @returns the number of queued events, at most 100,000
   */
  recover(id: number, input: RecoverWebhookEndpoint, options?: WriteOptions): Promise<{ queued: number }> {
    return requestData(this.#transport, {
      operation: "webhooks.recover",
      method: "POST",
      path: buildPath`/webhooks/${id}/recover`,
      body: input,
      options,
    })
  }

  /**
   * Returns statistics of an endpoint's attempts.
   * @param query.hours length of the period in hours, 1 to 720; 24 by default
   */
  stats(id: number, query: { hours?: number } = {}, options?: ReadOptions): Promise<WebhookStats> {
    return requestData(this.#transport, {
      operation: "webhooks.stats",
      method: "GET",
      path: buildPath`/webhooks/${id}/stats`,
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

  /** Lists an endpoint's deliveries, newest first. */
  list(endpointId: number, query: ListDeliveries = {}, options?: ReadOptions): List<WebhookDelivery> {
    return new List(this.#transport, {
      operation: "deliveries.list",
      method: "GET",
      path: buildPath`/webhooks/${endpointId}/deliveries`,
      query,
      options,
    })
  }

  /** Returns a delivery; with `include: "payload"` also the payload. */
  get(id: number, query: { include?: "payload" } = {}, options?: ReadOptions): Promise<WebhookDelivery> {
    return requestData(this.#transport, {
      operation: "deliveries.get",
      method: "GET",
      path: buildPath`/webhooks/deliveries/${id}`,
      query,
      options,
    })
  }

  /** Lists the attempts of a delivery, newest first, on one page. */
  attempts(id: number, options?: ReadOptions): List<WebhookAttempt, { total: number }> {
    return new List(
      this.#transport,
      {
        operation: "deliveries.attempts",
        method: "GET",
        path: buildPath`/webhooks/deliveries/${id}/attempts`,
        options,
      },
      false,
    )
  }

  /** Makes one attempt now; the returned delivery contains the result and the payload. */
  retry(id: number, options?: WriteOptions): Promise<WebhookDelivery> {
    return requestData(this.#transport, {
      operation: "deliveries.retry",
      method: "POST",
      path: buildPath`/webhooks/deliveries/${id}/retry`,
      options,
    })
  }
}
