<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class DeliveriesOperations extends AbstractResource
{
    /**
     * List an endpoint's deliveries.
     *
     * Lists an endpoint's deliveries, newest first. Use `include=payload` to include the events.
     *
     * @param array{page?: int, per_page?: int, status?: string, event?: string, include?: string} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(int $webhookId, array $input = [], ?RequestOptions $options = null): PagedList
    {
        return $this->callList('deliveries.list', 'GET', self::buildPath('/webhooks/{webhook_id}/deliveries', ['webhook_id' => $webhookId]), query: $input, options: $options);
    }

    /**
     * Retrieve a delivery.
     *
     * Returns a delivery with its last attempt. Use `include=payload` to include the event.
     *
     * @param array{include?: string} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(int $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('deliveries.get', 'GET', self::buildPath('/webhooks/deliveries/{id}', ['id' => $id]), query: $input, options: $options);
    }

    /**
     * List a delivery's attempts.
     *
     * Lists every attempt of a delivery, newest first.
     *
     * @throws \Tenancy\Exception\TenancyException
     */
    public function attempts(int $id, ?RequestOptions $options = null): PagedList
    {
        return $this->callList('deliveries.attempts', 'GET', self::buildPath('/webhooks/deliveries/{id}/attempts', ['id' => $id]), options: $options, isPaginated: false);
    }

    /**
     * Retry a delivery.
     *
     * Attempts a failed or exhausted delivery now and returns the result. Refused with `delivery_not_retryable` if it
     * was delivered or an attempt is in progress.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function retry(int $id, ?RequestOptions $options = null): array
    {
        return $this->callData('deliveries.retry', 'POST', self::buildPath('/webhooks/deliveries/{id}/retry', ['id' => $id]), options: $options);
    }
}
