<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\RequestOptions;

class SubscriptionsOperations extends AbstractResource
{
    /**
     * Retrieve a subscription.
     *
     * Returns a store's subscription, or 404 `no_subscription` for a store without one.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(string $storeId, ?RequestOptions $options = null): array
    {
        return $this->callData('subscriptions.get', 'GET', self::buildPath('/stores/{store_id}/subscription', ['store_id' => $storeId]), options: $options);
    }

    /**
     * Assign a plan.
     *
     * Starts a subscription for a store without one, or replaces one that is suspended or cancelled and reopens the
     * store, unless an operator suspended it. Sends `subscription.assigned`.
     *
     * @param array{plan: string, trial_days?: int|null} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function assign(string $storeId, array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('subscriptions.assign', 'POST', self::buildPath('/stores/{store_id}/subscription/assign', ['store_id' => $storeId]), body: $input, options: $options);
    }

    /**
     * Change the plan.
     *
     * Moves a subscription to the current terms of another plan. The store's live usage has to fit the new limits.
     * Sends `subscription.plan_changed`.
     *
     * @param array{plan: string} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function changePlan(string $storeId, array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('subscriptions.changePlan', 'POST', self::buildPath('/stores/{store_id}/subscription/change-plan', ['store_id' => $storeId]), body: $input, options: $options);
    }

    /**
     * Extend a subscription.
     *
     * Adds days to the trial, or to the billing period if there is no trial. A past-due subscription becomes active.
     * Sends `subscription.extended`.
     *
     * @param array{days: int} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function extend(string $storeId, array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('subscriptions.extend', 'POST', self::buildPath('/stores/{store_id}/subscription/extend', ['store_id' => $storeId]), body: $input, options: $options);
    }

    /**
     * Reactivate a subscription.
     *
     * Reopens a suspended subscription, or a cancelled one within the retention period, and starts a new billing
     * period now. A subscription that was paid for longer stays paid until then. The store reopens too, unless an
     * operator suspended it. Sends `subscription.reactivated`. If a cancellation is scheduled, it only withdraws it
     * and sends nothing.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function reactivate(string $storeId, ?RequestOptions $options = null): array
    {
        return $this->callData('subscriptions.reactivate', 'POST', self::buildPath('/stores/{store_id}/subscription/reactivate', ['store_id' => $storeId]), options: $options);
    }

    /**
     * Cancel a subscription.
     *
     * Cancels the subscription and takes the store offline. It can be reactivated until the retention period ends;
     * then the store's data is deleted. Sends `store.cancelled` and `subscription.cancelled`. With `at_period_end`,
     * both happen at `cancel_at`, the end of the paid period or trial; `reactivate`, `extend` and a payment withdraw
     * it. A past-due or suspended subscription always ends now. The owner gets a mail only with `notify`.
     *
     * @param array{reason?: string|null, notify?: bool, at_period_end?: bool} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function cancel(string $storeId, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('subscriptions.cancel', 'POST', self::buildPath('/stores/{store_id}/subscription/cancel', ['store_id' => $storeId]), body: $input, options: $options);
    }
}
