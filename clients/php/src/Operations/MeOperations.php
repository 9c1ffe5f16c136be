<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\RequestOptions;

class MeOperations extends AbstractResource
{
    /**
     * Retrieve the current API key.
     *
     * Returns the API key that authenticates the request. Use it to check a key and its scopes.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(?RequestOptions $options = null): array
    {
        return $this->callData('me.get', 'GET', self::buildPath('/me', []), options: $options);
    }
}
