<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** There was no response. */
class ConnectionFailedException extends TenancyException
{
}
