# The operations of the control plane. Generated from openapi/platform.json by `npm run docs`; do not edit.
from typing import Any, Dict, List, Literal, Optional, Union

from ._list import PagedList
from ._resource import NOT_GIVEN, RequestOptions, Resource, build_path


class PlatformOperations(Resource):
    def get(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve the platform's constants.

        Returns the constants that are the same for every store, such as plan features and event types.
        """
        return self._data(
            "platform.get",
            "GET",
            build_path("/platform"),
            options=options,
        )


class MeOperations(Resource):
    def get(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve the current API key.

        Returns the API key that authenticates the request. Use it to check a key and its scopes.
        """
        return self._data(
            "me.get",
            "GET",
            build_path("/me"),
            options=options,
        )


class KeysOperations(Resource):
    def list(
        self,
        *,
        page: int = NOT_GIVEN,
        per_page: int = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List API keys.

        Lists API keys, newest first, including those that were revoked or have expired.

        :param page: Page number, from 1.
        :param per_page: Items per page.
        """
        return self._list(
            "keys.list",
            "GET",
            build_path("/keys"),
            query={"page": page, "per_page": per_page},
            options=options,
        )

    def create(
        self,
        *,
        name: str,
        scopes: List[str],
        expires_at: Optional[str] = NOT_GIVEN,
        store_ids: Optional[List[str]] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Create an API key.

        Creates an API key. The key itself is only in this response. The new key cannot have more rights than the
        key that sends the request: each of its scopes must be covered by that key's, and it expires no later.

        :param name: Name of the key, to recognize it.
        :param scopes: Scopes of the key. Each must be covered by those of the key that sends the request.
        :param expires_at: When the key expires; by default when the key that sends the request does, which is
            the latest.
        :param store_ids: Ids of the stores to limit the key to; null for all. Such a key may only have the
            scopes `stores:read`, `stores:write`, `events:read` and `plans:read`, and cannot create stores.
        """
        return self._merged(
            "keys.create",
            "POST",
            build_path("/keys"),
            body={"name": name, "scopes": scopes, "expires_at": expires_at, "store_ids": store_ids},
            options=options,
        )

    def get(
        self,
        id: int,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve an API key.

        Returns an API key by its id, without the key itself.
        """
        return self._data(
            "keys.get",
            "GET",
            build_path("/keys/{id}", id=id),
            options=options,
        )

    def revoke(
        self,
        id: int,
        *,
        options: Optional[RequestOptions] = None,
    ) -> None:
        """Revoke an API key.

        Revokes an API key from the next request on. A key may revoke itself. Revoking a revoked key changes
        nothing.
        """
        self._nothing(
            "keys.revoke",
            "DELETE",
            build_path("/keys/{id}", id=id),
            options=options,
        )


class PlansOperations(Resource):
    def list(
        self,
        *,
        include_inactive: bool = NOT_GIVEN,
        updated_since: str = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List plans.

        Lists the active plans in display order, and with `include_inactive=true` also those that can no longer be
        assigned.

        :param include_inactive: Set to `true` to include plans that can no longer be assigned.
        :param updated_since: Only items that were updated at this time or later.
        """
        return self._list(
            "plans.list",
            "GET",
            build_path("/plans"),
            query={"include_inactive": include_inactive, "updated_since": updated_since},
            options=options,
            is_paginated=False,
        )

    def create(
        self,
        *,
        slug: str,
        name: str,
        price_cents: int,
        currency: str,
        interval: Literal["month", "year"],
        description: str = NOT_GIVEN,
        trial_days: int = NOT_GIVEN,
        limits: Dict[str, Any] = NOT_GIVEN,
        features: Dict[str, Any] = NOT_GIVEN,
        apps: Optional[List[str]] = NOT_GIVEN,
        themes: Optional[List[str]] = NOT_GIVEN,
        stripe_price: Optional[str] = NOT_GIVEN,
        is_active: bool = NOT_GIVEN,
        sort_order: int = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Create a plan.

        Creates a plan. Limits that are left out are 0, which means unlimited, and features are off.

        :param slug: Identifier of the plan in requests.
        :param name: Name for customers.
        :param price_cents: Price per billing period in the currency's smallest unit, such as euro cents or yen.
        :param currency: ISO 4217 currency code.
        :param interval: Length of a billing period.
        :param description: Short description for customers.
        :param trial_days: Length of the trial in days; 0 for no trial.
        :param limits: Usage limits by name; 0 means unlimited.
        :param features: Whether the plan includes each feature. `webhooks` is the number of webhook endpoints
            that a store's staff may create: 5 when absent, 0 for none.
        :param apps: Slugs of the apps that the plan includes; null for all.
        :param themes: Slugs of the themes that the plan includes; null for all.
        :param stripe_price: Id of the card provider's price. It is never returned.
        :param is_active: Whether the plan can be assigned to stores.
        :param sort_order: Position in lists, lowest first.
        """
        return self._data(
            "plans.create",
            "POST",
            build_path("/plans"),
            body={"slug": slug, "name": name, "price_cents": price_cents, "currency": currency, "interval": interval, "description": description, "trial_days": trial_days, "limits": limits, "features": features, "apps": apps, "themes": themes, "stripe_price": stripe_price, "is_active": is_active, "sort_order": sort_order},
            options=options,
        )

    def get(
        self,
        slug: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve a plan.

        Returns a plan by its slug, including plans that can no longer be assigned.
        """
        return self._data(
            "plans.get",
            "GET",
            build_path("/plans/{slug}", slug=slug),
            options=options,
        )

    def update(
        self,
        slug: str,
        *,
        name: str = NOT_GIVEN,
        description: str = NOT_GIVEN,
        price_cents: int = NOT_GIVEN,
        currency: str = NOT_GIVEN,
        interval: Literal["month", "year"] = NOT_GIVEN,
        trial_days: int = NOT_GIVEN,
        limits: Dict[str, Any] = NOT_GIVEN,
        features: Dict[str, Any] = NOT_GIVEN,
        apps: Optional[List[str]] = NOT_GIVEN,
        themes: Optional[List[str]] = NOT_GIVEN,
        stripe_price: Optional[str] = NOT_GIVEN,
        is_active: bool = NOT_GIVEN,
        sort_order: int = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Update a plan.

        Changes the fields in the body. Stores that have the plan keep the terms they bought. Set `is_active` to
        false to stop offering a plan; plans are not deleted, because subscriptions refer to them.

        :param name: Name for customers.
        :param description: Short description for customers.
        :param price_cents: Price per billing period in the currency's smallest unit, such as euro cents or yen.
        :param currency: ISO 4217 currency code.
        :param interval: Length of a billing period.
        :param trial_days: Length of the trial in days; 0 for no trial.
        :param limits: Usage limits by name; 0 means unlimited.
        :param features: Whether the plan includes each feature. `webhooks` is the number of webhook endpoints
            that a store's staff may create: 5 when absent, 0 for none.
        :param apps: Slugs of the apps that the plan includes; null for all.
        :param themes: Slugs of the themes that the plan includes; null for all.
        :param stripe_price: Id of the card provider's price. It is never returned.
        :param is_active: Whether the plan can be assigned to stores.
        :param sort_order: Position in lists, lowest first.
        """
        return self._data(
            "plans.update",
            "PATCH",
            build_path("/plans/{slug}", slug=slug),
            body={"name": name, "description": description, "price_cents": price_cents, "currency": currency, "interval": interval, "trial_days": trial_days, "limits": limits, "features": features, "apps": apps, "themes": themes, "stripe_price": stripe_price, "is_active": is_active, "sort_order": sort_order},
            options=options,
        )


class CouponsOperations(Resource):
    def list(
        self,
        *,
        page: int = NOT_GIVEN,
        per_page: int = NOT_GIVEN,
        updated_since: str = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List coupons.

        Lists coupons by code.

        :param page: Page number, from 1.
        :param per_page: Items per page.
        :param updated_since: Only items that were updated at this time or later.
        """
        return self._list(
            "coupons.list",
            "GET",
            build_path("/coupons"),
            query={"page": page, "per_page": per_page, "updated_since": updated_since},
            options=options,
        )

    def create(
        self,
        *,
        code: str,
        description: str = NOT_GIVEN,
        trial_days: Optional[int] = NOT_GIVEN,
        percent_off: Optional[int] = NOT_GIVEN,
        amount_off: Optional[int] = NOT_GIVEN,
        months: Optional[int] = NOT_GIVEN,
        plans: Optional[List[str]] = NOT_GIVEN,
        max_redemptions: Optional[int] = NOT_GIVEN,
        starts_at: Optional[str] = NOT_GIVEN,
        expires_at: Optional[str] = NOT_GIVEN,
        is_active: bool = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Create a coupon.

        Creates a coupon that owners can redeem when they sign up.

        :param code: Code that owners type at sign-up, in any case.
        :param description: Note for operators.
        :param trial_days: Days that the coupon adds to the trial; null for none. A coupon without a discount
            needs some.
        :param percent_off: Percentage off the price of each paid period; not together with `amount_off`.
        :param amount_off: Amount off the price of each paid period, in the smallest unit of the plan's
            currency.
        :param months: The discount applies to paid periods that begin within this many months of the first one;
            null for all periods. Only with a discount.
        :param plans: Slugs of the plans that the coupon applies to; null for all.
        :param max_redemptions: How often the coupon can be redeemed; null for no limit.
        :param starts_at: When the coupon becomes valid; null for immediately.
        :param expires_at: When the coupon expires; null for never.
        :param is_active: Whether the coupon can be redeemed.
        """
        return self._data(
            "coupons.create",
            "POST",
            build_path("/coupons"),
            body={"code": code, "description": description, "trial_days": trial_days, "percent_off": percent_off, "amount_off": amount_off, "months": months, "plans": plans, "max_redemptions": max_redemptions, "starts_at": starts_at, "expires_at": expires_at, "is_active": is_active},
            options=options,
        )

    def get(
        self,
        code: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve a coupon.

        Returns a coupon by its code, in any case.
        """
        return self._data(
            "coupons.get",
            "GET",
            build_path("/coupons/{code}", code=code),
            options=options,
        )

    def update(
        self,
        code: str,
        *,
        description: str = NOT_GIVEN,
        trial_days: Optional[int] = NOT_GIVEN,
        percent_off: Optional[int] = NOT_GIVEN,
        amount_off: Optional[int] = NOT_GIVEN,
        months: Optional[int] = NOT_GIVEN,
        plans: Optional[List[str]] = NOT_GIVEN,
        max_redemptions: Optional[int] = NOT_GIVEN,
        starts_at: Optional[str] = NOT_GIVEN,
        expires_at: Optional[str] = NOT_GIVEN,
        is_active: bool = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Update a coupon.

        Changes the fields in the body. Redemptions are kept. Set `is_active` to false to end a coupon.

        :param description: Note for operators.
        :param trial_days: Days that the coupon adds to the trial; null for none. A coupon without a discount
            needs some.
        :param percent_off: Percentage off the price of each paid period; not together with `amount_off`.
        :param amount_off: Amount off the price of each paid period, in the smallest unit of the plan's
            currency.
        :param months: The discount applies to paid periods that begin within this many months of the first one;
            null for all periods. Only with a discount.
        :param plans: Slugs of the plans that the coupon applies to; null for all.
        :param max_redemptions: How often the coupon can be redeemed; null for no limit.
        :param starts_at: When the coupon becomes valid; null for immediately.
        :param expires_at: When the coupon expires; null for never.
        :param is_active: Whether the coupon can be redeemed.
        """
        return self._data(
            "coupons.update",
            "PATCH",
            build_path("/coupons/{code}", code=code),
            body={"description": description, "trial_days": trial_days, "percent_off": percent_off, "amount_off": amount_off, "months": months, "plans": plans, "max_redemptions": max_redemptions, "starts_at": starts_at, "expires_at": expires_at, "is_active": is_active},
            options=options,
        )


class StoresOperations(Resource):
    def list(
        self,
        *,
        page: int = NOT_GIVEN,
        per_page: int = NOT_GIVEN,
        status: Literal["pending", "provisioning", "ready", "failed", "suspended", "cancelled"] = NOT_GIVEN,
        q: str = NOT_GIVEN,
        include: str = NOT_GIVEN,
        updated_since: str = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List stores.

        Lists stores, newest first. Filter by status or time of the last update, or search ids, names and owners'
        email addresses.

        :param page: Page number, from 1.
        :param per_page: Items per page.
        :param status: Only stores with this status.
        :param q: Only stores whose id, name or owner's email address contains this text.
        :param include: Set to `usage` to include each store's usage.
        :param updated_since: Only items that were updated at this time or later.
        """
        return self._list(
            "stores.list",
            "GET",
            build_path("/stores"),
            query={"page": page, "per_page": per_page, "status": status, "q": q, "include": include, "updated_since": updated_since},
            options=options,
        )

    def create(
        self,
        *,
        subdomain: str,
        name: str,
        owner_email: str,
        password: str,
        theme: Optional[str] = NOT_GIVEN,
        preset: Optional[str] = NOT_GIVEN,
        plan: Optional[str] = NOT_GIVEN,
        trial_days: Optional[int] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Create a store.

        Creates a store and provisions it in the background. Sends `store.created`, and `subscription.assigned` with
        a plan; `store.ready` or `store.provisioning_failed` follows. Poll `links.self` or wait for the event before
        you use the store.

        :param subdomain: Subdomain on the platform's domain. It becomes the store's id.
        :param name: Display name.
        :param owner_email: Email address of the owner, who logs in with it.
        :param password: Password of the owner's account. Only its hash is stored.
        :param theme: Slug of an installed theme; the platform's default theme when omitted.
        :param preset: Variant of the theme; the theme's default when omitted.
        :param plan: Slug of an active plan. Without one, the store has no subscription.
        :param trial_days: Length of the trial in days, instead of the plan's.
        """
        return self._data(
            "stores.create",
            "POST",
            build_path("/stores"),
            body={"subdomain": subdomain, "name": name, "owner_email": owner_email, "password": password, "theme": theme, "preset": preset, "plan": plan, "trial_days": trial_days},
            options=options,
        )

    def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve a store.

        Returns a store with its subscription and its usage as of the last count.
        """
        return self._data(
            "stores.get",
            "GET",
            build_path("/stores/{id}", id=id),
            options=options,
        )

    def update(
        self,
        id: str,
        *,
        name: str = NOT_GIVEN,
        owner_email: str = NOT_GIVEN,
        theme: str = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Update a store.

        Changes the fields in the body. Sends `store.updated` for the name or the owner's address,
        `store.theme_changed` for the theme, and `app.enabled` for each app that the new theme requires. Nothing is
        sent if no value changes.

        :param name: Display name.
        :param owner_email: Email address of the owner, who logs in with it.
        :param theme: Slug of an installed theme.
        """
        return self._data(
            "stores.update",
            "PATCH",
            build_path("/stores/{id}", id=id),
            body={"name": name, "owner_email": owner_email, "theme": theme},
            options=options,
        )

    def delete(
        self,
        id: str,
        *,
        confirm: str,
        options: Optional[RequestOptions] = None,
    ) -> None:
        """Delete a store.

        Deletes a store with its domains and subscription immediately; its data and files are purged in the
        background. This cannot be undone. Sends `store.deleted`.

        :param confirm: The store's id, to confirm the deletion.
        """
        self._nothing(
            "stores.delete",
            "DELETE",
            build_path("/stores/{id}", id=id),
            body={"confirm": confirm},
            options=options,
        )

    def suspend(
        self,
        id: str,
        *,
        reason: Optional[str] = NOT_GIVEN,
        notify: bool = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Suspend a store.

        Takes a store offline without changing its subscription. Visitors see that the platform closed it; the owner
        sees the `reason` at `/billing`, and gets it by mail with `notify`. Only `resume` reopens the store; a
        payment or a new subscription does not. Sends `store.suspended`.

        :param reason: Why the store is closed. The owner can read it.
        :param notify: Whether the owner gets a mail with the reason.
        """
        return self._data(
            "stores.suspend",
            "POST",
            build_path("/stores/{id}/suspend", id=id),
            body={"reason": reason, "notify": notify},
            options=options,
        )

    def resume(
        self,
        id: str,
        *,
        resolution: Literal["extend_trial", "mark_paid", "leave"] = NOT_GIVEN,
        days: int = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Resume a store.

        Brings a suspended store back online. A subscription that is past due or suspended stays as it is, unless
        `resolution` extends its trial or books a payment. Sends `store.resumed`, then `subscription.extended` or
        `subscription.activated` for the resolution.

        :param resolution: What happens to a subscription that is past due or suspended. `extend_trial` starts a
            trial now. `mark_paid` books a payment for one period and issues its invoice. `leave`, the default,
            changes nothing.
        :param days: Length of the trial of `extend_trial`; by default that of the plan, or 14 days if it has
            none.
        """
        return self._data(
            "stores.resume",
            "POST",
            build_path("/stores/{id}/resume", id=id),
            body={"resolution": resolution, "days": days},
            options=options,
        )

    def cancel(
        self,
        id: str,
        *,
        reason: Optional[str] = NOT_GIVEN,
        notify: bool = NOT_GIVEN,
        at_period_end: bool = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Cancel a store.

        Cancels the store's subscription and takes the store offline, or schedules that with `at_period_end`. It can
        be reactivated until the retention period ends; then its data is deleted. Sends `store.cancelled` and
        `subscription.cancelled`.

        :param reason: Why the store is closed. The owner can read it.
        :param notify: Whether the owner gets a mail with the reason.
        :param at_period_end: Whether the subscription runs until the end of the paid period or trial, instead
            of ending now.
        """
        return self._data(
            "stores.cancel",
            "POST",
            build_path("/stores/{id}/cancel", id=id),
            body={"reason": reason, "notify": notify, "at_period_end": at_period_end},
            options=options,
        )

    def set_theme(
        self,
        id: str,
        *,
        theme: str,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Change a store's theme.

        Changes the theme, resets the preset to the theme's default and enables the apps that the theme requires.
        Sends `store.theme_changed`, and `app.enabled` for each of those apps.

        :param theme: Slug of an installed theme.
        """
        return self._data(
            "stores.setTheme",
            "POST",
            build_path("/stores/{id}/theme", id=id),
            body={"theme": theme},
            options=options,
        )


class SubscriptionsOperations(Resource):
    def get(
        self,
        store_id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve a subscription.

        Returns a store's subscription, or 404 `no_subscription` for a store without one.
        """
        return self._data(
            "subscriptions.get",
            "GET",
            build_path("/stores/{store_id}/subscription", store_id=store_id),
            options=options,
        )

    def assign(
        self,
        store_id: str,
        *,
        plan: str,
        trial_days: Optional[int] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Assign a plan.

        Starts a subscription for a store without one, or replaces one that is suspended or cancelled and reopens
        the store, unless an operator suspended it. Sends `subscription.assigned`.

        :param plan: Slug of an active plan.
        :param trial_days: Length of the trial in days, instead of the plan's; 0 for no trial.
        """
        return self._data(
            "subscriptions.assign",
            "POST",
            build_path("/stores/{store_id}/subscription/assign", store_id=store_id),
            body={"plan": plan, "trial_days": trial_days},
            options=options,
        )

    def change_plan(
        self,
        store_id: str,
        *,
        plan: str,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Change the plan.

        Moves a subscription to the current terms of another plan. The store's live usage has to fit the new limits.
        Sends `subscription.plan_changed`.

        :param plan: Slug of an active plan.
        """
        return self._data(
            "subscriptions.changePlan",
            "POST",
            build_path("/stores/{store_id}/subscription/change-plan", store_id=store_id),
            body={"plan": plan},
            options=options,
        )

    def extend(
        self,
        store_id: str,
        *,
        days: int,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Extend a subscription.

        Adds days to the trial, or to the billing period if there is no trial. A past-due subscription becomes
        active. Sends `subscription.extended`.

        :param days: Days to add.
        """
        return self._data(
            "subscriptions.extend",
            "POST",
            build_path("/stores/{store_id}/subscription/extend", store_id=store_id),
            body={"days": days},
            options=options,
        )

    def reactivate(
        self,
        store_id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Reactivate a subscription.

        Reopens a suspended subscription, or a cancelled one within the retention period, and starts a new billing
        period now. A subscription that was paid for longer stays paid until then. The store reopens too, unless an
        operator suspended it. Sends `subscription.reactivated`. If a cancellation is scheduled, it only withdraws
        it and sends nothing.
        """
        return self._data(
            "subscriptions.reactivate",
            "POST",
            build_path("/stores/{store_id}/subscription/reactivate", store_id=store_id),
            options=options,
        )

    def cancel(
        self,
        store_id: str,
        *,
        reason: Optional[str] = NOT_GIVEN,
        notify: bool = NOT_GIVEN,
        at_period_end: bool = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Cancel a subscription.

        Cancels the subscription and takes the store offline. It can be reactivated until the retention period ends;
        then the store's data is deleted. Sends `store.cancelled` and `subscription.cancelled`. With
        `at_period_end`, both happen at `cancel_at`, the end of the paid period or trial; `reactivate`, `extend` and
        a payment withdraw it. A past-due or suspended subscription always ends now. The owner gets a mail only with
        `notify`.

        :param reason: Why the store is closed. The owner can read it.
        :param notify: Whether the owner gets a mail with the reason.
        :param at_period_end: Whether the subscription runs until the end of the paid period or trial, instead
            of ending now.
        """
        return self._data(
            "subscriptions.cancel",
            "POST",
            build_path("/stores/{store_id}/subscription/cancel", store_id=store_id),
            body={"reason": reason, "notify": notify, "at_period_end": at_period_end},
            options=options,
        )


class UsageOperations(Resource):
    def get(
        self,
        store_id: str,
        *,
        refresh: bool = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve a store's usage.

        Returns the usage of the last nightly count. With `refresh=true` it is counted now, which takes longer and
        fails with `usage_unavailable` if the store's database cannot be reached.

        :param refresh: Set to `true` to count now instead of returning the last count.
        """
        return self._data(
            "usage.get",
            "GET",
            build_path("/stores/{store_id}/usage", store_id=store_id),
            query={"refresh": refresh},
            options=options,
        )


class AuditOperations(Resource):
    def list(
        self,
        store_id: str,
        *,
        page: int = NOT_GIVEN,
        per_page: int = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List a store's audit log.

        Lists what changed at a store and who changed it, newest first. Entries remain after the store is deleted.
        Old entries are read from an archive; while it does not respond, their pages get 503 with `Retry-After`.

        :param page: Page number, from 1.
        :param per_page: Items per page.
        """
        return self._list(
            "audit.list",
            "GET",
            build_path("/stores/{store_id}/events", store_id=store_id),
            query={"page": page, "per_page": per_page},
            options=options,
        )


class DomainsOperations(Resource):
    def list(
        self,
        store_id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List a store's domains.

        Lists a store's domains, including its own subdomain, with the DNS records of those not verified yet.
        """
        return self._list(
            "domains.list",
            "GET",
            build_path("/stores/{store_id}/domains", store_id=store_id),
            options=options,
            is_paginated=False,
        )

    def create(
        self,
        store_id: str,
        *,
        domain: str,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Attach a custom domain.

        Attaches a custom domain. Create the returned DNS records, then verify the domain; unverified domains are
        also checked hourly and detached after 14 days. Sends `domain.added`. A domain of another store is refused
        with the TXT record that claims it.

        :param domain: Host name, in Unicode or ASCII form.
        """
        return self._data(
            "domains.create",
            "POST",
            build_path("/stores/{store_id}/domains", store_id=store_id),
            body={"domain": domain},
            options=options,
        )

    def verify(
        self,
        store_id: str,
        domain: Union[str, int],
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Verify a domain.

        Checks the TXT record now. Returns 200 in any case; read `verification_result` for the outcome. Sends
        `domain.verified` the first time the check succeeds. A verified domain stays verified.
        """
        return self._merged(
            "domains.verify",
            "POST",
            build_path("/stores/{store_id}/domains/{domain}/verify", store_id=store_id, domain=domain),
            options=options,
        )

    def make_primary(
        self,
        store_id: str,
        domain: Union[str, int],
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Make a domain primary.

        Makes a verified domain the host of the store's URLs. Does nothing if it is the primary domain already.
        Sends `domain.primary_changed`.
        """
        return self._data(
            "domains.makePrimary",
            "POST",
            build_path("/stores/{store_id}/domains/{domain}/primary", store_id=store_id, domain=domain),
            options=options,
        )

    def delete(
        self,
        store_id: str,
        domain: Union[str, int],
        *,
        options: Optional[RequestOptions] = None,
    ) -> None:
        """Detach a custom domain.

        Detaches a custom domain; the store is no longer served on it. The primary domain and the store's own
        subdomain cannot be detached. Sends `domain.removed`.
        """
        self._nothing(
            "domains.delete",
            "DELETE",
            build_path("/stores/{store_id}/domains/{domain}", store_id=store_id, domain=domain),
            options=options,
        )


class AppsOperations(Resource):
    def list(
        self,
        store_id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List a store's apps.

        Lists all installed apps and whether the store uses them.
        """
        return self._list(
            "apps.list",
            "GET",
            build_path("/stores/{store_id}/apps", store_id=store_id),
            options=options,
            is_paginated=False,
        )

    def enable(
        self,
        store_id: str,
        slug: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> List[Dict[str, Any]]:
        """Enable an app.

        Enables an app and, before it, the apps it requires. Sends `app.enabled` for each. Does nothing if the app
        is enabled.
        """
        return self._data(
            "apps.enable",
            "POST",
            build_path("/stores/{store_id}/apps/{slug}/enable", store_id=store_id, slug=slug),
            options=options,
        )

    def disable(
        self,
        store_id: str,
        slug: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> List[Dict[str, Any]]:
        """Disable an app.

        Disables an app. Its data is retained for the next time it is enabled. Sends `app.disabled`. Does nothing if
        the app is disabled.
        """
        return self._data(
            "apps.disable",
            "POST",
            build_path("/stores/{store_id}/apps/{slug}/disable", store_id=store_id, slug=slug),
            options=options,
        )


class DeliveriesOperations(Resource):
    def list(
        self,
        webhook_id: int,
        *,
        page: int = NOT_GIVEN,
        per_page: int = NOT_GIVEN,
        status: Literal["pending", "delivered", "failed", "exhausted"] = NOT_GIVEN,
        event: str = NOT_GIVEN,
        include: str = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List an endpoint's deliveries.

        Lists an endpoint's deliveries, newest first. Use `include=payload` to include the events.

        :param page: Page number, from 1.
        :param per_page: Items per page.
        :param status: Only deliveries with this status.
        :param event: Only deliveries of this event type.
        :param include: Set to `payload` to include the event's payload.
        """
        return self._list(
            "deliveries.list",
            "GET",
            build_path("/webhooks/{webhook_id}/deliveries", webhook_id=webhook_id),
            query={"page": page, "per_page": per_page, "status": status, "event": event, "include": include},
            options=options,
        )

    def get(
        self,
        id: int,
        *,
        include: str = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve a delivery.

        Returns a delivery with its last attempt. Use `include=payload` to include the event.

        :param include: Set to `payload` to include the event's payload.
        """
        return self._data(
            "deliveries.get",
            "GET",
            build_path("/webhooks/deliveries/{id}", id=id),
            query={"include": include},
            options=options,
        )

    def attempts(
        self,
        id: int,
        *,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List a delivery's attempts.

        Lists every attempt of a delivery, newest first.
        """
        return self._list(
            "deliveries.attempts",
            "GET",
            build_path("/webhooks/deliveries/{id}/attempts", id=id),
            options=options,
            is_paginated=False,
        )

    def retry(
        self,
        id: int,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retry a delivery.

        Attempts a failed or exhausted delivery now and returns the result. Refused with `delivery_not_retryable` if
        it was delivered or an attempt is in progress.
        """
        return self._data(
            "deliveries.retry",
            "POST",
            build_path("/webhooks/deliveries/{id}/retry", id=id),
            options=options,
        )


class WebhooksOperations(Resource):
    def list(
        self,
        *,
        page: int = NOT_GIVEN,
        per_page: int = NOT_GIVEN,
        updated_since: str = NOT_GIVEN,
        store_id: str = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PagedList:
        """List webhook endpoints.

        Lists webhook endpoints, newest first, without their secrets.

        :param page: Page number, from 1.
        :param per_page: Items per page.
        :param updated_since: Only items that were updated at this time or later.
        :param store_id: Only endpoints that the staff of this store created.
        """
        return self._list(
            "webhooks.list",
            "GET",
            build_path("/webhooks"),
            query={"page": page, "per_page": per_page, "updated_since": updated_since, "store_id": store_id},
            options=options,
        )

    def create(
        self,
        *,
        url: str,
        events: List[str],
        description: Optional[str] = NOT_GIVEN,
        stores: Optional[List[str]] = NOT_GIVEN,
        filter: Optional[List[Any]] = NOT_GIVEN,
        payload: Optional[Literal["full", "thin"]] = NOT_GIVEN,
        headers: Optional[Dict[str, Any]] = NOT_GIVEN,
        max_per_second: Optional[int] = NOT_GIVEN,
        ordered: Optional[bool] = NOT_GIVEN,
        reconcile: Optional[bool] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Create a webhook endpoint.

        Creates an endpoint that receives the subscribed events from now on. Store the signing secret: it is not
        shown again.

        :param url: HTTPS URL on a public host.
        :param events: Event types, wildcards such as `store.*`, or `*` for all current and future events except
            `endpoint.*` and `delivery.*`.
        :param description: Note for operators.
        :param stores: Ids of the stores whose events are sent; null for all.
        :param filter: Conditions on the payload, all of which an event has to meet; at most 10, null for none.
        :param payload: `full`, or `thin` for the ids of the event's resources only.
        :param headers: Additional request headers, at most 10; null for none. Responses show masked values.
        :param max_per_second: Attempts per second, at most; the others wait. Null for no limit.
        :param ordered: Whether the events of each store are delivered one after another, in commit order.
        :param reconcile: Whether events are sent again that the receiver lacks according to its
            `webhook-cursor` header.
        """
        return self._merged(
            "webhooks.create",
            "POST",
            build_path("/webhooks"),
            body={"url": url, "events": events, "description": description, "stores": stores, "filter": filter, "payload": payload, "headers": headers, "max_per_second": max_per_second, "ordered": ordered, "reconcile": reconcile},
            options=options,
        )

    def get(
        self,
        id: int,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve a webhook endpoint.

        Returns an endpoint with its delivery state and the progress of its recovery.
        """
        return self._data(
            "webhooks.get",
            "GET",
            build_path("/webhooks/{id}", id=id),
            options=options,
        )

    def update(
        self,
        id: int,
        *,
        url: str = NOT_GIVEN,
        events: List[str] = NOT_GIVEN,
        description: Optional[str] = NOT_GIVEN,
        stores: Optional[List[str]] = NOT_GIVEN,
        filter: Optional[List[Any]] = NOT_GIVEN,
        payload: Optional[Literal["full", "thin"]] = NOT_GIVEN,
        headers: Optional[Dict[str, Any]] = NOT_GIVEN,
        max_per_second: Optional[int] = NOT_GIVEN,
        ordered: Optional[bool] = NOT_GIVEN,
        reconcile: Optional[bool] = NOT_GIVEN,
        is_active: bool = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Update a webhook endpoint.

        Changes the fields in the body. `is_active: true` also re-enables an endpoint that was disabled after too
        many failures.

        :param url: HTTPS URL on a public host. Another host removes the additional headers, unless the request
            sets them.
        :param events: Event types, wildcards such as `store.*`, or `*` for all current and future events except
            `endpoint.*` and `delivery.*`.
        :param description: Note for operators.
        :param stores: Ids of the stores whose events are sent; null for all.
        :param filter: Conditions on the payload, all of which an event has to meet; at most 10, null for none.
        :param payload: `full`, or `thin` for the ids of the event's resources only.
        :param headers: Additional request headers, at most 10; null for none. Responses show masked values.
        :param max_per_second: Attempts per second, at most; the others wait. Null for no limit.
        :param ordered: Whether the events of each store are delivered one after another, in commit order.
        :param reconcile: Whether events are sent again that the receiver lacks according to its
            `webhook-cursor` header.
        :param is_active: Whether an operator has enabled the endpoint.
        """
        return self._data(
            "webhooks.update",
            "PATCH",
            build_path("/webhooks/{id}", id=id),
            body={"url": url, "events": events, "description": description, "stores": stores, "filter": filter, "payload": payload, "headers": headers, "max_per_second": max_per_second, "ordered": ordered, "reconcile": reconcile, "is_active": is_active},
            options=options,
        )

    def delete(
        self,
        id: int,
        *,
        options: Optional[RequestOptions] = None,
    ) -> None:
        """Delete a webhook endpoint.

        Deletes an endpoint and its deliveries. Pending deliveries are not sent.
        """
        self._nothing(
            "webhooks.delete",
            "DELETE",
            build_path("/webhooks/{id}", id=id),
            options=options,
        )

    def rotate_secret(
        self,
        id: int,
        *,
        grace_seconds: Optional[int] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Rotate a signing secret.

        Replaces the signing secret and returns the new one, which is not shown again. With `grace_seconds`,
        deliveries are signed with both secrets until the period ends.

        :param grace_seconds: Seconds during which deliveries are also signed with the old secret; 0 by default.
        """
        return self._data(
            "webhooks.rotateSecret",
            "POST",
            build_path("/webhooks/{id}/rotate-secret", id=id),
            body={"grace_seconds": grace_seconds},
            options=options,
        )

    def test(
        self,
        id: int,
        *,
        event: Optional[str] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Send a test event.

        Sends a ping or the example of an event to the endpoint, even if it does not subscribe to that type. The
        attempt is finished when the response arrives; read the delivery's `status`. Examples have `meta.test:
        true`.

        :param event: Event type whose example is sent; a ping by default.
        """
        return self._data(
            "webhooks.test",
            "POST",
            build_path("/webhooks/{id}/test", id=id),
            body={"event": event},
            options=options,
        )

    def stats(
        self,
        id: int,
        *,
        hours: int = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve an endpoint's statistics.

        Returns counts and response times of the attempts in the last hours, in total and per hour.

        :param hours: Number of hours, including the current one.
        """
        return self._data(
            "webhooks.stats",
            "GET",
            build_path("/webhooks/{id}/stats", id=id),
            query={"hours": hours},
            options=options,
        )

    def recover(
        self,
        id: int,
        *,
        since: str,
        mode: Literal["failed", "missed", "all"],
        until: Optional[str] = NOT_GIVEN,
        events: Optional[List[str]] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Recover failed or missed events.

        Sends the failed or missed events of a period again, one after another in their original order. It runs in
        the background: read the endpoint's `recovery` for the progress. One call sends at most 100,000 events.

        :param since: Start of the period, inclusive.
        :param mode: `failed` resends deliveries that failed, `missed` sends subscribed events without a
            delivery, `all` does both.
        :param until: End of the period; now when omitted.
        :param events: Event types or wildcards to recover; those that the endpoint subscribes to when omitted.
        """
        return self._data(
            "webhooks.recover",
            "POST",
            build_path("/webhooks/{id}/recover", id=id),
            body={"since": since, "mode": mode, "until": until, "events": events},
            options=options,
        )


class EventsOperations(Resource):
    def list(
        self,
        *,
        after: str = NOT_GIVEN,
        order: Literal["asc", "desc"] = NOT_GIVEN,
        types: List[str] = NOT_GIVEN,
        store: str = NOT_GIVEN,
        limit: int = NOT_GIVEN,
        wait: int = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """List events.

        Lists all events in commit order, as an alternative to webhooks or to catch up after an outage. Continue
        with `after` set to `next_cursor`: no event is skipped or repeated. Use `wait` for long polling.

        :param after: Position to continue from: `next_cursor` of the last response, an event's id, or `now` for
            new events only. Without it, the feed starts with the oldest event. With `order=desc`, the page
            continues with older events.
        :param order: `asc` starts with the oldest event, `desc` with the newest, without waiting.
        :param types: Comma-separated event types or wildcards, such as `store.*`.
        :param store: Only events of this store.
        :param limit: Maximum number of events.
        :param wait: Seconds to wait for an event if there is none yet (long polling).
        """
        return self._body(
            "events.list",
            "GET",
            build_path("/events"),
            query={"after": after, "order": order, "types": types, "store": store, "limit": limit, "wait": wait},
            options=options,
        )

    def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Dict[str, Any]:
        """Retrieve an event.

        Returns an event as it was sent, and its deliveries to all endpoints.
        """
        return self._merged(
            "events.get",
            "GET",
            build_path("/events/{id}", id=id),
            options=options,
        )
