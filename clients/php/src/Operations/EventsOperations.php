<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\RequestOptions;

class EventsOperations extends AbstractResource
{
    /**
     * List events.
     *
     * Lists all events in commit order, as an alternative to webhooks or to catch up after an outage. Continue with
     * `after` set to `next_cursor`: no event is skipped or repeated. Use `wait` for long polling.
     *
     * @param array{after?: string, order?: string, types?: list<string>, store?: string, limit?: int, wait?: int} $input
     * @return array{data: list<array<string, mixed>>, meta: array<string, mixed>}
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callBody('events.list', 'GET', self::buildPath('/events', []), query: $input, options: $options);
    }

    /**
     * Retrieve an event.
     *
     * Returns an event as it was sent, and its deliveries to all endpoints.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(string $id, ?RequestOptions $options = null): array
    {
        return $this->callMerged('events.get', 'GET', self::buildPath('/events/{id}', ['id' => $id]), options: $options);
    }
}
