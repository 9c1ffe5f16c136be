<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** There was no complete response in time. */
class RequestTimeoutException extends TenancyException
{
}
