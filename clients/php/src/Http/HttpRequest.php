<?php

declare(strict_types=1);

namespace Tenancy\Http;

/** A request that is about to be sent. */
final class HttpRequest
{
    /**
     * @param array<string, string> $headers
     * @param float $timeout seconds that the request may take, with its response
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        public readonly float $timeout,
    ) {
    }
}
