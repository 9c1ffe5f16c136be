<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\RequestOptions;

class PlatformOperations extends AbstractResource
{
    /**
     * Retrieve the platform's constants.
     *
     * Returns the constants that are the same for every store, such as plan features and event types.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(?RequestOptions $options = null): array
    {
        return $this->callData('platform.get', 'GET', self::buildPath('/platform', []), options: $options);
    }
}
