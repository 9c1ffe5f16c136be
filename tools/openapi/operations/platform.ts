// Describes the operations of the control plane.

export const PLATFORM_OPERATIONS: Record<string, string> = {
  "platform.get": "Returns the constants that are the same for every store, such as plan features and event types.",
  "me.get": "Returns the API key that authenticates the request. Use it to check a key and its scopes.",
  "keys.list": "Lists API keys, newest first, including those that were revoked or have expired.",
  "keys.create":
    "Creates an API key. The key itself is only in this response. The new key cannot have more rights than the key that sends the request: each of its scopes must be covered by that key's, and it expires no later.",
  "keys.get": "Returns an API key by its id, without the key itself.",
  "keys.revoke":
    "Revokes an API key from the next request on. A key may revoke itself. Revoking a revoked key changes nothing.",
  "plans.list":
    "Lists the active plans in display order, and with `include_inactive=true` also those that can no longer be assigned.",
  "plans.create": "Creates a plan. Limits that are left out are 0, which means unlimited, and features are off.",
  "plans.update":
    "Changes the fields in the body. Stores that have the plan keep the terms they bought. Set `is_active` to false to stop offering a plan; plans are not deleted, because subscriptions refer to them.",
  "coupons.list": "Lists coupons by code.",
  "coupons.create": "Creates a coupon that owners can redeem when they sign up.",
  "coupons.get": "Returns a coupon by its code, in any case.",
  "coupons.update": "Changes the fields in the body. Redemptions are kept. Set `is_active` to false to end a coupon.",
  "plans.get": "Returns a plan by its slug, including plans that can no longer be assigned.",
  "stores.list":
    "Lists stores, newest first. Filter by status or time of the last update, or search ids, names and owners' email addresses.",
  "stores.create":
    "Creates a store and provisions it in the background. Sends `store.created`, and `subscription.assigned` with a plan; `store.ready` or `store.provisioning_failed` follows. Poll `links.self` or wait for the event before you use the store.",
  "stores.get": "Returns a store with its subscription and its usage as of the last count.",
  "stores.update":
    "Changes the fields in the body. Sends `store.updated` for the name or the owner's address, `store.theme_changed` for the theme, and `app.enabled` for each app that the new theme requires. Nothing is sent if no value changes.",
  "stores.delete":
    "Deletes a store with its domains and subscription immediately; its data and files are purged in the background. This cannot be undone. Sends `store.deleted`.",
  "stores.suspend":
    "Takes a store offline without changing its subscription. Visitors see that the platform closed it; the owner sees the `reason` at `/billing`, and gets it by mail with `notify`. Only `resume` reopens the store; a payment or a new subscription does not. Sends `store.suspended`.",
  "stores.resume":
    "Brings a suspended store back online. A subscription that is past due or suspended stays as it is, unless `resolution` extends its trial or books a payment. Sends `store.resumed`, then `subscription.extended` or `subscription.activated` for the resolution.",
  "stores.cancel":
    "Cancels the store's subscription and takes the store offline, or schedules that with `at_period_end`. It can be reactivated until the retention period ends; then its data is deleted. Sends `store.cancelled` and `subscription.cancelled`.",
  "stores.setTheme":
    "Changes the theme, resets the preset to the theme's default and enables the apps that the theme requires. Sends `store.theme_changed`, and `app.enabled` for each of those apps.",
  "subscriptions.get": "Returns a store's subscription, or 404 `no_subscription` for a store without one.",
  "subscriptions.assign":
    "Starts a subscription for a store without one, or replaces one that is suspended or cancelled and reopens the store, unless an operator suspended it. Sends `subscription.assigned`.",
  "subscriptions.changePlan":
    "Moves a subscription to the current terms of another plan. The store's live usage has to fit the new limits. Sends `subscription.plan_changed`.",
  "subscriptions.extend":
    "Adds days to the trial, or to the billing period if there is no trial. A past-due subscription becomes active. Sends `subscription.extended`.",
  "subscriptions.reactivate":
    "Reopens a suspended subscription, or a cancelled one within the retention period, and starts a new billing period now. A subscription that was paid for longer stays paid until then. The store reopens too, unless an operator suspended it. Sends `subscription.reactivated`. If a cancellation is scheduled, it only withdraws it and sends nothing.",
  "subscriptions.cancel":
    "Cancels the subscription and takes the store offline. It can be reactivated until the retention period ends; then the store's data is deleted. Sends `store.cancelled` and `subscription.cancelled`. With `at_period_end`, both happen at `cancel_at`, the end of the paid period or trial; `reactivate`, `extend` and a payment withdraw it. A past-due or suspended subscription always ends now. The owner gets a mail only with `notify`.",
  "usage.get":
    "Returns the usage of the last nightly count. With `refresh=true` it is counted now, which takes longer and fails with `usage_unavailable` if the store's database cannot be reached.",
  "audit.list":
    "Lists what changed at a store and who changed it, newest first. Entries remain after the store is deleted. Old entries are read from an archive; while it does not respond, their pages get 503 with `Retry-After`.",
  "domains.list":
    "Lists a store's domains, including its own subdomain, with the DNS records of those not verified yet.",
  "domains.create":
    "Attaches a custom domain. Create the returned DNS records, then verify the domain; unverified domains are also checked hourly and detached after 14 days. Sends `domain.added`. A domain of another store is refused with the TXT record that claims it.",
  "domains.verify":
    "Checks the TXT record now. Returns 200 in any case; read `verification_result` for the outcome. Sends `domain.verified` the first time the check succeeds. A verified domain stays verified.",
  "domains.makePrimary":
    "Makes a verified domain the host of the store's URLs. Does nothing if it is the primary domain already. Sends `domain.primary_changed`.",
  "domains.delete":
    "Detaches a custom domain; the store is no longer served on it. The primary domain and the store's own subdomain cannot be detached. Sends `domain.removed`.",
  "apps.list": "Lists all installed apps and whether the store uses them.",
  "apps.enable":
    "Enables an app and, before it, the apps it requires. Sends `app.enabled` for each. Does nothing if the app is enabled.",
  "apps.disable":
    "Disables an app. Its data is retained for the next time it is enabled. Sends `app.disabled`. Does nothing if the app is disabled.",
  "deliveries.list": "Lists an endpoint's deliveries, newest first. Use `include=payload` to include the events.",
  "deliveries.get": "Returns a delivery with its last attempt. Use `include=payload` to include the event.",
  "deliveries.attempts": "Lists every attempt of a delivery, newest first.",
  "deliveries.retry":
    "Attempts a failed or exhausted delivery now and returns the result. Refused with `delivery_not_retryable` if it was delivered or an attempt is in progress.",
  "webhooks.list": "Lists webhook endpoints, newest first, without their secrets.",
  "webhooks.create":
    "Creates an endpoint that receives the subscribed events from now on. Store the signing secret: it is not shown again.",
  "webhooks.get": "Returns an endpoint with its delivery state and the progress of its recovery.",
  "webhooks.update":
    "Changes the fields in the body. `is_active: true` also re-enables an endpoint that was disabled after too many failures.",
  "webhooks.delete": "Deletes an endpoint and its deliveries. Pending deliveries are not sent.",
  "webhooks.rotateSecret":
    "Replaces the signing secret and returns the new one, which is not shown again. With `grace_seconds`, deliveries are signed with both secrets until the period ends.",
  "webhooks.test":
    "Sends a ping or the example of an event to the endpoint, even if it does not subscribe to that type. The attempt is finished when the response arrives; read the delivery's `status`. Examples have `meta.test: true`.",
  "webhooks.stats": "Returns counts and response times of the attempts in the last hours, in total and per hour.",
  "webhooks.recover":
    "Sends the failed or missed events of a period again, one after another in their original order. It runs in the background: read the endpoint's `recovery` for the progress. One call sends at most 100,000 events.",
  "events.list":
    "Lists all events in commit order, as an alternative to webhooks or to catch up after an outage. Continue with `after` set to `next_cursor`: no event is skipped or repeated. Use `wait` for long polling.",
  "events.get": "Returns an event as it was sent, and its deliveries to all endpoints.",
}
