<?php

declare(strict_types=1);

namespace Tenancy\Http;

/** A request without a complete response. */
final class NetworkException extends \RuntimeException
{
    public function __construct(string $message, public readonly bool $isTimeout = false, ?\Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
    }
}
