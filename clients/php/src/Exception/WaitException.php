<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** `stores->waitUntil` timed out (`wait_timeout`), or the store failed (`wait_failed`). */
class WaitException extends TenancyException
{
}
