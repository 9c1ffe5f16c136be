<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** The response is not JSON: it was cut off, or sent by an intermediary. */
class InvalidResponseException extends TenancyException
{
}
