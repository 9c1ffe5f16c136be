<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class AppsOperations extends AbstractResource
{
    /**
     * List a store's apps.
     *
     * Lists all installed apps and whether the store uses them.
     *
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(string $storeId, ?RequestOptions $options = null): PagedList
    {
        return $this->callList('apps.list', 'GET', self::buildPath('/stores/{store_id}/apps', ['store_id' => $storeId]), options: $options, isPaginated: false);
    }

    /**
     * Enable an app.
     *
     * Enables an app and, before it, the apps it requires. Sends `app.enabled` for each. Does nothing if the app is
     * enabled.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function enable(string $storeId, string $slug, ?RequestOptions $options = null): array
    {
        return $this->callData('apps.enable', 'POST', self::buildPath('/stores/{store_id}/apps/{slug}/enable', ['store_id' => $storeId, 'slug' => $slug]), options: $options);
    }

    /**
     * Disable an app.
     *
     * Disables an app. Its data is retained for the next time it is enabled. Sends `app.disabled`. Does nothing if the
     * app is disabled.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function disable(string $storeId, string $slug, ?RequestOptions $options = null): array
    {
        return $this->callData('apps.disable', 'POST', self::buildPath('/stores/{store_id}/apps/{slug}/disable', ['store_id' => $storeId, 'slug' => $slug]), options: $options);
    }
}
