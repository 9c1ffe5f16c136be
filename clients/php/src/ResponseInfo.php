<?php

declare(strict_types=1);

namespace Tenancy;

/** A response without its body, for the hook `onResponse`. */
final class ResponseInfo
{
    /**
     * @param int $attempt number of the attempt, from 1
     * @param string|null $requestId identifies the request in the platform's log
     * @param array<string, string> $headers with names in lower case
     * @param float $duration seconds
     */
    public function __construct(
        public readonly string $operation,
        public readonly string $method,
        public readonly string $url,
        public readonly int $attempt,
        public readonly int $status,
        public readonly ?string $requestId,
        public readonly array $headers,
        public readonly float $duration,
    ) {
    }
}
