<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class WebhooksOperations extends AbstractResource
{
    /**
     * List webhook endpoints.
     *
     * Lists webhook endpoints, newest first, without their secrets.
     *
     * @param array{page?: int, per_page?: int, updated_since?: string, store_id?: string} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(array $input = [], ?RequestOptions $options = null): PagedList
    {
        return $this->callList('webhooks.list', 'GET', self::buildPath('/webhooks', []), query: $input, options: $options);
    }

    /**
     * Create a webhook endpoint.
     *
     * Creates an endpoint that receives the subscribed events from now on. Store the signing secret: it is not shown
     * again.
     *
     * @param array{url: string, events: list<string>, description?: string|null, stores?: list<string>|null, filter?: list<mixed>|null, payload?: string|null, headers?: array<string, mixed>|null, max_per_second?: int|null, ordered?: bool|null, reconcile?: bool|null} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function create(array $input, ?RequestOptions $options = null): array
    {
        return $this->callMerged('webhooks.create', 'POST', self::buildPath('/webhooks', []), body: $input, options: $options);
    }

    /**
     * Retrieve a webhook endpoint.
     *
     * Returns an endpoint with its delivery state and the progress of its recovery.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(int $id, ?RequestOptions $options = null): array
    {
        return $this->callData('webhooks.get', 'GET', self::buildPath('/webhooks/{id}', ['id' => $id]), options: $options);
    }

    /**
     * Update a webhook endpoint.
     *
     * Changes the fields in the body. `is_active: true` also re-enables an endpoint that was disabled after too many
     * failures.
     *
     * @param array{url?: string, events?: list<string>, description?: string|null, stores?: list<string>|null, filter?: list<mixed>|null, payload?: string|null, headers?: array<string, mixed>|null, max_per_second?: int|null, ordered?: bool|null, reconcile?: bool|null, is_active?: bool} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function update(int $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('webhooks.update', 'PATCH', self::buildPath('/webhooks/{id}', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Delete a webhook endpoint.
     *
     * Deletes an endpoint and its deliveries. Pending deliveries are not sent.
     *
     * @throws \Tenancy\Exception\TenancyException
     */
    public function delete(int $id, ?RequestOptions $options = null): void
    {
        $this->callNothing('webhooks.delete', 'DELETE', self::buildPath('/webhooks/{id}', ['id' => $id]), options: $options);
    }

    /**
     * Rotate a signing secret.
     *
     * Replaces the signing secret and returns the new one, which is not shown again. With `grace_seconds`, deliveries
     * are signed with both secrets until the period ends.
     *
     * @param array{grace_seconds?: int|null} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function rotateSecret(int $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('webhooks.rotateSecret', 'POST', self::buildPath('/webhooks/{id}/rotate-secret', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Send a test event.
     *
     * Sends a ping or the example of an event to the endpoint, even if it does not subscribe to that type. The attempt
     * is finished when the response arrives; read the delivery's `status`. Examples have `meta.test: true`.
     *
     * @param array{event?: string|null} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function test(int $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('webhooks.test', 'POST', self::buildPath('/webhooks/{id}/test', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Retrieve an endpoint's statistics.
     *
     * Returns counts and response times of the attempts in the last hours, in total and per hour.
     *
     * @param array{hours?: int} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function stats(int $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('webhooks.stats', 'GET', self::buildPath('/webhooks/{id}/stats', ['id' => $id]), query: $input, options: $options);
    }

    /**
     * Recover failed or missed events.
     *
     * Sends the failed or missed events of a period again, one after another in their original order. It runs in the
     * background: read the endpoint's `recovery` for the progress. One call sends at most 100,000 events.
     *
     * @param array{since: string, mode: string, until?: string|null, events?: list<string>|null} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function recover(int $id, array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('webhooks.recover', 'POST', self::buildPath('/webhooks/{id}/recover', ['id' => $id]), body: $input, options: $options);
    }
}
