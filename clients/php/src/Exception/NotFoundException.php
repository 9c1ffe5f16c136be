<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** 404: the resource does not exist. */
class NotFoundException extends TenancyException
{
}
