<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\RequestOptions;

class UsageOperations extends AbstractResource
{
    /**
     * Retrieve a store's usage.
     *
     * Returns the usage of the last nightly count. With `refresh=true` it is counted now, which takes longer and fails
     * with `usage_unavailable` if the store's database cannot be reached.
     *
     * @param array{refresh?: bool} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(string $storeId, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('usage.get', 'GET', self::buildPath('/stores/{store_id}/usage', ['store_id' => $storeId]), query: $input, options: $options);
    }
}
