<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class DomainsOperations extends AbstractResource
{
    /**
     * List a store's domains.
     *
     * Lists a store's domains, including its own subdomain, with the DNS records of those not verified yet.
     *
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(string $storeId, ?RequestOptions $options = null): PagedList
    {
        return $this->callList('domains.list', 'GET', self::buildPath('/stores/{store_id}/domains', ['store_id' => $storeId]), options: $options, isPaginated: false);
    }

    /**
     * Attach a custom domain.
     *
     * Attaches a custom domain. Create the returned DNS records, then verify the domain; unverified domains are also
     * checked hourly and detached after 14 days. Sends `domain.added`. A domain of another store is refused with the
     * TXT record that claims it.
     *
     * @param array{domain: string} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function create(string $storeId, array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('domains.create', 'POST', self::buildPath('/stores/{store_id}/domains', ['store_id' => $storeId]), body: $input, options: $options);
    }

    /**
     * Verify a domain.
     *
     * Checks the TXT record now. Returns 200 in any case; read `verification_result` for the outcome. Sends
     * `domain.verified` the first time the check succeeds. A verified domain stays verified.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function verify(string $storeId, string|int $domain, ?RequestOptions $options = null): array
    {
        return $this->callMerged('domains.verify', 'POST', self::buildPath('/stores/{store_id}/domains/{domain}/verify', ['store_id' => $storeId, 'domain' => $domain]), options: $options);
    }

    /**
     * Make a domain primary.
     *
     * Makes a verified domain the host of the store's URLs. Does nothing if it is the primary domain already. Sends
     * `domain.primary_changed`.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function makePrimary(string $storeId, string|int $domain, ?RequestOptions $options = null): array
    {
        return $this->callData('domains.makePrimary', 'POST', self::buildPath('/stores/{store_id}/domains/{domain}/primary', ['store_id' => $storeId, 'domain' => $domain]), options: $options);
    }

    /**
     * Detach a custom domain.
     *
     * Detaches a custom domain; the store is no longer served on it. The primary domain and the store's own subdomain
     * cannot be detached. Sends `domain.removed`.
     *
     * @throws \Tenancy\Exception\TenancyException
     */
    public function delete(string $storeId, string|int $domain, ?RequestOptions $options = null): void
    {
        $this->callNothing('domains.delete', 'DELETE', self::buildPath('/stores/{store_id}/domains/{domain}', ['store_id' => $storeId, 'domain' => $domain]), options: $options);
    }
}
