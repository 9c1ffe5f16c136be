<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class CouponsOperations extends AbstractResource
{
    /**
     * List coupons.
     *
     * Lists coupons by code.
     *
     * @param array{page?: int, per_page?: int, updated_since?: string} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(array $input = [], ?RequestOptions $options = null): PagedList
    {
        return $this->callList('coupons.list', 'GET', self::buildPath('/coupons', []), query: $input, options: $options);
    }

    /**
     * Create a coupon.
     *
     * Creates a coupon that owners can redeem when they sign up.
     *
     * @param array{code: string, description?: string, trial_days?: int|null, percent_off?: int|null, amount_off?: int|null, months?: int|null, plans?: list<string>|null, max_redemptions?: int|null, starts_at?: string|null, expires_at?: string|null, is_active?: bool} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function create(array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('coupons.create', 'POST', self::buildPath('/coupons', []), body: $input, options: $options);
    }

    /**
     * Retrieve a coupon.
     *
     * Returns a coupon by its code, in any case.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(string $code, ?RequestOptions $options = null): array
    {
        return $this->callData('coupons.get', 'GET', self::buildPath('/coupons/{code}', ['code' => $code]), options: $options);
    }

    /**
     * Update a coupon.
     *
     * Changes the fields in the body. Redemptions are kept. Set `is_active` to false to end a coupon.
     *
     * @param array{description?: string, trial_days?: int|null, percent_off?: int|null, amount_off?: int|null, months?: int|null, plans?: list<string>|null, max_redemptions?: int|null, starts_at?: string|null, expires_at?: string|null, is_active?: bool} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function update(string $code, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('coupons.update', 'PATCH', self::buildPath('/coupons/{code}', ['code' => $code]), body: $input, options: $options);
    }
}
