<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class KeysOperations extends AbstractResource
{
    /**
     * List API keys.
     *
     * Lists API keys, newest first, including those that were revoked or have expired.
     *
     * @param array{page?: int, per_page?: int} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(array $input = [], ?RequestOptions $options = null): PagedList
    {
        return $this->callList('keys.list', 'GET', self::buildPath('/keys', []), query: $input, options: $options);
    }

    /**
     * Create an API key.
     *
     * Creates an API key. The key itself is only in this response. The new key cannot have more rights than the key
     * that sends the request: each of its scopes must be covered by that key's, and it expires no later.
     *
     * @param array{name: string, scopes: list<string>, expires_at?: string|null, store_ids?: list<string>|null} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function create(array $input, ?RequestOptions $options = null): array
    {
        return $this->callMerged('keys.create', 'POST', self::buildPath('/keys', []), body: $input, options: $options);
    }

    /**
     * Retrieve an API key.
     *
     * Returns an API key by its id, without the key itself.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(int $id, ?RequestOptions $options = null): array
    {
        return $this->callData('keys.get', 'GET', self::buildPath('/keys/{id}', ['id' => $id]), options: $options);
    }

    /**
     * Revoke an API key.
     *
     * Revokes an API key from the next request on. A key may revoke itself. Revoking a revoked key changes nothing.
     *
     * @throws \Tenancy\Exception\TenancyException
     */
    public function revoke(int $id, ?RequestOptions $options = null): void
    {
        $this->callNothing('keys.revoke', 'DELETE', self::buildPath('/keys/{id}', ['id' => $id]), options: $options);
    }
}
