<?php

declare(strict_types=1);

namespace Tenancy;

use Tenancy\Exception\WaitException;
use Tenancy\Operations\StoresOperations;

/** Stores. */
final class Stores extends StoresOperations
{
    /** Delays between requests in seconds; the last one repeats. */
    private const POLL_INTERVALS = [0.25, 0.25, 0.5, 0.5, 1.0, 2.0];

    /**
     * Waits until a store has a status, such as `ready`, and returns it.
     *
     * @param float $timeout total seconds
     * @return array<string, mixed>
     * @throws WaitException after the timeout, or when provisioning failed
     */
    public function waitUntil(string $id, string $status, float $timeout = 120, ?RequestOptions $options = null): array
    {
        $end = microtime(true) + $timeout;
        for ($poll = 0; ; $poll++) {
            $store = $this->get($id, $options);
            if ($store['status'] === $status) {
                return $store;
            }
            if ($store['status'] === 'failed') {
                throw new WaitException("Store $id failed and will not become $status", 'stores.get', 'wait_failed');
            }
            $remaining = $end - microtime(true);
            if ($remaining <= 0) {
                $message = "Store $id was still {$store['status']} after $timeout s";
                throw new WaitException($message, 'stores.get', 'wait_timeout');
            }
            $this->transport->sleep(min($remaining, self::POLL_INTERVALS[$poll] ?? 2.0));
        }
    }
}
