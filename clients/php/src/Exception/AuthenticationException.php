<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** 401: the API key is missing, unknown, revoked or expired. */
class AuthenticationException extends TenancyException
{
}
