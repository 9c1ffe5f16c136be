<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** 409 or 412: the current state does not allow the change. */
class ConflictException extends TenancyException
{
}
