<?php

declare(strict_types=1);

namespace Tenancy\Http;

/** A response. */
final class HttpResponse
{
    /** @param array<string, string> $headers with names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }
}
