<?php

declare(strict_types=1);

namespace Tenancy;

use Tenancy\Operations\EventsOperations;

/** The event log. */
final class Events extends EventsOperations
{
    private const LONG_POLL_SECONDS = 25;

    /** Minimum interval between requests when responses are empty, in seconds. */
    private const MIN_POLL_INTERVAL = 1.0;

    /**
     * Streams all events from a position in commit order, then new ones. The key of an event is the position after it:
     * save it once the event is handled, and continue from it after a restart, so no event is lost or repeated.
     *
     *     foreach ($tenancy->events->follow(after: $saved) as $cursor => $event) { handle($event); save($cursor); }
     *
     * @param string|null $after a cursor, an event id, or `now`; defaults to the oldest retained event
     * @param list<string> $types event names, `<resource>.*`, or `*`
     * @return \Generator<string, array<string, mixed>>
     * @throws Exception\TenancyException
     */
    public function follow(
        ?string $after = null,
        array $types = [],
        ?string $store = null,
        ?RequestOptions $options = null,
    ): \Generator {
        $filter = ['types' => $types ?: null, 'store' => $store, 'limit' => 100];
        for ($cursor = $after; ; ) {
            $requestedAt = microtime(true);
            // `now` is requested without waiting, so that the stream gets a cursor immediately.
            $wait = $cursor === 'now' ? 0 : self::LONG_POLL_SECONDS;
            $query = $filter + ['after' => $cursor, 'wait' => $wait];
            $response = $this->transport->request('events.list', 'GET', '/events', $query, null, $options, $wait);
            foreach ($response['data'] as $event) {
                yield $event['id'] => $event;
            }
            $cursor = $response['meta']['next_cursor'];
            if ($response['data'] === [] && !$response['meta']['has_more']) {
                $this->transport->sleep(max(0.0, self::MIN_POLL_INTERVAL - (microtime(true) - $requestedAt)));
            }
        }
    }
}
