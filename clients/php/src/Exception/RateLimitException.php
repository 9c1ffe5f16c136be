<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** 429: too many requests; `retryAfter` says when to continue. */
class RateLimitException extends TenancyException
{
}
