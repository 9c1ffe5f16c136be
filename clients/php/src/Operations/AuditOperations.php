<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class AuditOperations extends AbstractResource
{
    /**
     * List a store's audit log.
     *
     * Lists what changed at a store and who changed it, newest first. Entries remain after the store is deleted. Old
     * entries are read from an archive; while it does not respond, their pages get 503 with `Retry-After`.
     *
     * @param array{page?: int, per_page?: int} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(string $storeId, array $input = [], ?RequestOptions $options = null): PagedList
    {
        return $this->callList('audit.list', 'GET', self::buildPath('/stores/{store_id}/events', ['store_id' => $storeId]), query: $input, options: $options);
    }
}
