<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** 400 or 422: the input is invalid; `errors` has the messages of each field. */
class ValidationException extends TenancyException
{
}
