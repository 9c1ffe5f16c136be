<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** 403: the API key lacks the scope, or the action is not permitted. */
class PermissionDeniedException extends TenancyException
{
}
