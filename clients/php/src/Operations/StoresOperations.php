<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy\Operations;

use Tenancy\AbstractResource;
use Tenancy\PagedList;
use Tenancy\RequestOptions;

class StoresOperations extends AbstractResource
{
    /**
     * List stores.
     *
     * Lists stores, newest first. Filter by status or time of the last update, or search ids, names and owners' email
     * addresses.
     *
     * @param array{page?: int, per_page?: int, status?: string, q?: string, include?: string, updated_since?: string} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function list(array $input = [], ?RequestOptions $options = null): PagedList
    {
        return $this->callList('stores.list', 'GET', self::buildPath('/stores', []), query: $input, options: $options);
    }

    /**
     * Create a store.
     *
     * Creates a store and provisions it in the background. Sends `store.created`, and `subscription.assigned` with a
     * plan; `store.ready` or `store.provisioning_failed` follows. Poll `links.self` or wait for the event before you
     * use the store.
     *
     * @param array{subdomain: string, name: string, owner_email: string, password: string, theme?: string|null, preset?: string|null, plan?: string|null, trial_days?: int|null} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function create(array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('stores.create', 'POST', self::buildPath('/stores', []), body: $input, options: $options);
    }

    /**
     * Retrieve a store.
     *
     * Returns a store with its subscription and its usage as of the last count.
     *
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function get(string $id, ?RequestOptions $options = null): array
    {
        return $this->callData('stores.get', 'GET', self::buildPath('/stores/{id}', ['id' => $id]), options: $options);
    }

    /**
     * Update a store.
     *
     * Changes the fields in the body. Sends `store.updated` for the name or the owner's address, `store.theme_changed`
     * for the theme, and `app.enabled` for each app that the new theme requires. Nothing is sent if no value changes.
     *
     * @param array{name?: string, owner_email?: string, theme?: string} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function update(string $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('stores.update', 'PATCH', self::buildPath('/stores/{id}', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Delete a store.
     *
     * Deletes a store with its domains and subscription immediately; its data and files are purged in the background.
     * This cannot be undone. Sends `store.deleted`.
     *
     * @param array{confirm: string} $input
     * @throws \Tenancy\Exception\TenancyException
     */
    public function delete(string $id, array $input, ?RequestOptions $options = null): void
    {
        $this->callNothing('stores.delete', 'DELETE', self::buildPath('/stores/{id}', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Suspend a store.
     *
     * Takes a store offline without changing its subscription. Visitors see that the platform closed it; the owner
     * sees the `reason` at `/billing`, and gets it by mail with `notify`. Only `resume` reopens the store; a payment
     * or a new subscription does not. Sends `store.suspended`.
     *
     * @param array{reason?: string|null, notify?: bool} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function suspend(string $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('stores.suspend', 'POST', self::buildPath('/stores/{id}/suspend', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Resume a store.
     *
     * Brings a suspended store back online. A subscription that is past due or suspended stays as it is, unless
     * `resolution` extends its trial or books a payment. Sends `store.resumed`, then `subscription.extended` or
     * `subscription.activated` for the resolution.
     *
     * @param array{resolution?: string, days?: int} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function resume(string $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('stores.resume', 'POST', self::buildPath('/stores/{id}/resume', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Cancel a store.
     *
     * Cancels the store's subscription and takes the store offline, or schedules that with `at_period_end`. It can be
     * reactivated until the retention period ends; then its data is deleted. Sends `store.cancelled` and
     * `subscription.cancelled`.
     *
     * @param array{reason?: string|null, notify?: bool, at_period_end?: bool} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function cancel(string $id, array $input = [], ?RequestOptions $options = null): array
    {
        return $this->callData('stores.cancel', 'POST', self::buildPath('/stores/{id}/cancel', ['id' => $id]), body: $input, options: $options);
    }

    /**
     * Change a store's theme.
     *
     * Changes the theme, resets the preset to the theme's default and enables the apps that the theme requires. Sends
     * `store.theme_changed`, and `app.enabled` for each of those apps.
     *
     * @param array{theme: string} $input
     * @return array<string, mixed>
     * @throws \Tenancy\Exception\TenancyException
     */
    public function setTheme(string $id, array $input, ?RequestOptions $options = null): array
    {
        return $this->callData('stores.setTheme', 'POST', self::buildPath('/stores/{id}/theme', ['id' => $id]), body: $input, options: $options);
    }
}
