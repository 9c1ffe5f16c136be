<?php

declare(strict_types=1);

namespace Tenancy;

use Tenancy\Exception\TenancyException;

/** A retry that is about to be made, for the hook `onRetry`. */
final class RetryInfo
{
    /** @param float $delay seconds until the retry */
    public function __construct(
        public readonly string $operation,
        public readonly int $attempt,
        public readonly TenancyException $error,
        public readonly float $delay,
    ) {
    }
}
