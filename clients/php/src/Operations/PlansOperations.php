<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class PlansOperations extends AbstractResource
{
    /**
     * List plans.
     *
     * Lists the active plans in display order, and with `include_inactive=true` also those that can no longer be
     * assigned.
     *
     * @param array{include_inactive?: bool, updated_since?: string} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(array $input = [], ?RequestOptions $options = null): PagedList
    {
        return $this->callList('plans.list', 'GET', self::buildPath('/plans', []), query: $input, options: $options, isPaginated: false);
    }

    /**
     * Create a plan.
     *
     * Creates a plan. Limits that are left out are 0, which means unlimited, and features are off.
     *
     * @param array{slug: string, name: string, price_cents: int, currency: string, interval: string, description?: string, trial_days?: int, limits?: array<string, mixed>, features?: array<string, mixed>, apps?: list<string>|null, themes?: list<string>|null, stripe_price?: string|null, is_active?: bool, sort_order?: int} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function create(array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('plans.create', 'POST', self::buildPath('/plans', []), body: $input, options: $options);
    }

    /**
     * Retrieve a plan.
     *
     * Returns a plan by its slug, including plans that can no longer be assigned.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(string $slug, ?RequestOptions $options = null): array
    {
        return $this->callData('plans.get', 'GET', self::buildPath('/plans/{slug}', ['slug' => $slug]), options: $options);
    }

    /**
     * Update a plan.
     *
     * Changes the fields in the body. Stores that have the plan keep the terms they bought. Set `is_active` to false
     * to stop offering a plan; plans are not deleted, because subscriptions refer to them.
     *
     * @param array{name?: string, description?: string, price_cents?: int, currency?: string, interval?: string, trial_days?: int, limits?: array<string, mixed>, features?: array<string, mixed>, apps?: list<string>|null, themes?: list<string>|null, stripe_price?: string|null, is_active?: bool, sort_order?: int} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function update(string $slug, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('plans.update', 'PATCH', self::buildPath('/plans/{slug}', ['slug' => $slug]), body: $input, options: $options);
    }
}
