<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** 5xx: the platform failed, or is unavailable. */
class ServerException extends TenancyException
{
}
