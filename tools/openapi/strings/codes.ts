// Describes the error codes of the control plane: when each is returned, and what to do about it.

import type { PlatformCode } from "../../../src/platform/refusal-messages.ts"

export interface ErrorCodeDescription {
  /** When the code is returned. */
  when: string
  /** What the caller should do. */
  next: string
}

export const ERROR_CODES: { [Code in PlatformCode]?: ErrorCodeDescription } = {
  api_disabled: {
    when: "An operator has disabled the API. All requests get this error, with any key.",
    next: "Try again later. Keys and data are not affected.",
  },
  unauthenticated: {
    when: "The request has neither `Authorization: Bearer` nor `X-API-KEY`.",
    next: "Send an API key in one of them.",
  },
  invalid_key: {
    when: "The API key does not exist.",
    next: "Check that the key is complete and has no extra characters. If you lost it, create a new one.",
  },
  key_revoked: { when: "The API key was revoked.", next: "Ask an operator for a new key." },
  key_expired: { when: "The API key has expired.", next: "Ask an operator for a new key." },
  insufficient_scope: {
    when: "The API key lacks the scope: GET, HEAD and OPTIONS require `read`, all other methods `write`.",
    next: "Use a key with that scope.",
  },
  forbidden: { when: "The action is not allowed.", next: "Do not retry." },
  not_found: {
    when: "The path does not exist, or a resource in it does not. All paths on a store's own host get this error.",
    next: "Check the path and the ids.",
  },
  method_not_allowed: {
    when: "The path does not support the method.",
    next: "Use one of the methods in the `Allow` header.",
  },
  rate_limited: {
    when: "The API key or the IP address has used up its requests for this minute.",
    next: "Wait the number of seconds in `Retry-After`, then retry.",
  },
  validation_failed: {
    when: "A field of the body or the query is invalid.",
    next: "Correct the fields in `errors`.",
  },
  precondition_failed: {
    when: "`If-Match` does not name the current `ETag` of the resource: it was changed since you read it.",
    next: "Read the resource again, then repeat the change with its new `ETag`.",
  },
  plan_too_small: {
    when: "The store's usage exceeds the limits of the plan.",
    next: "Reduce the usage named in `errors`, or choose a larger plan.",
  },
  http_error: {
    when: "The request is malformed: invalid JSON (400), a body over 1 MB (413), or a media type other than JSON (415).",
    next: "Correct the request; the status tells what is wrong.",
  },
  temporarily_unavailable: {
    when: "The platform's database is temporarily unreachable or overloaded.",
    next: "Wait the number of seconds in `Retry-After`, then retry with the same `Idempotency-Key`.",
  },
  server_error: {
    when: "An unexpected error occurred.",
    next: "Retry with the same `Idempotency-Key`. If it persists, contact support with the request id in the message.",
  },
  idempotency_mismatch: {
    when: "The `Idempotency-Key` was used for a request with another method, path or body.",
    next: "Use a new key for a new request.",
  },
  idempotency_in_progress: {
    when: "The first request with this `Idempotency-Key` is still running, or ended without a response.",
    next: "Retry after a moment. If it persists, read the resource to see whether the change was made.",
  },
  subdomain_reserved: { when: "The subdomain is reserved for the platform.", next: "Choose another subdomain." },
  subdomain_taken: {
    when: "Another store has the subdomain, or its host is in use.",
    next: "Choose another subdomain.",
  },
  not_provisioned: { when: "The store is not provisioned yet.", next: "Wait for `store.ready`." },
  no_subscription: { when: "The store has no subscription.", next: "Assign a plan first." },
  no_tenant: { when: "The subscription's store no longer exists.", next: "Do not retry." },
  plan_unavailable: {
    when: "The plan was changed or deactivated while the request was running.",
    next: "List the plans and choose one.",
  },
  confirm_mismatch: { when: "`confirm` differs from the store's id.", next: "Send the id of the store to delete." },
  still_provisioning: {
    when: "The store is being provisioned and cannot be deleted.",
    next: "Wait for `store.ready`, then delete it.",
  },
  plan_upgrade_required: {
    when: "The store's plan does not include custom domains.",
    next: "Change to a plan that includes them.",
  },
  limit_reached: { when: "The store has the maximum number of custom domains.", next: "Detach a domain first." },
  already_taken: {
    when: "The domain belongs to another store.",
    next: "Detach it there, or claim it: create the TXT record in the message and attach the domain again. An unverified domain is transferred immediately, a verified one after 72 hours.",
  },
  verify_first: { when: "The domain is not verified.", next: "Create its TXT record and verify it." },
  not_removable: {
    when: "The domain is the store's own subdomain or its primary domain.",
    next: "Make another domain the primary one first. The store's own subdomain cannot be detached.",
  },
  not_entitled: {
    when: "The store's plan does not include the app.",
    next: "Change to a plan that includes it.",
  },
  requirement_not_entitled: {
    when: "The store's plan does not include an app that this app requires.",
    next: "Change to a plan that includes it.",
  },
  still_required: {
    when: "Another enabled app requires this app.",
    next: "Disable the apps in `required_by` first.",
  },
  theme_not_entitled: {
    when: "The store's plan does not include the theme.",
    next: "Change to a plan that includes it.",
  },
  theme_requirement_not_entitled: {
    when: "The store's plan does not include an app that the theme requires.",
    next: "Change to a plan that includes it.",
  },
  theme_unavailable: { when: "The theme is not installed or not published.", next: "Choose another theme." },
  stripe_managed: {
    when: "The card provider bills this subscription.",
    next: "Change it at the provider, which then updates it here.",
  },
  illegal_transition: {
    when: "The action is not possible in the current status, or a concurrent request changed the status.",
    next: "Read the resource; a subscription's `allowed_actions` lists the possible actions.",
  },
  same_plan: { when: "The store is on this plan already.", next: "Nothing needs to be done." },
  no_plan: { when: "The subscription has no plan.", next: "Assign a plan first." },
  store_unavailable: {
    when: "The store has no database yet, its database cannot be reached, or it is being migrated.",
    next: "Wait for `store.ready` if the store is new; otherwise retry after a moment.",
  },
  usage_unavailable: {
    when: "The store's usage could not be counted now.",
    next: "Retry, or read the last count without `refresh`.",
  },
  recovery_running: {
    when: "A recovery of this endpoint is in progress.",
    next: "Wait until the endpoint's `recovery` is done.",
  },
  cursor_expired: {
    when: "The events after the cursor have been deleted.",
    next: "Start again without `after`, and read the resources for the events that you missed.",
  },
  delivery_not_retryable: {
    when: "The delivery succeeded, or an attempt is in progress.",
    next: "Read the delivery again after a moment.",
  },
  offline_disabled: {
    when: "Bank transfers are disabled. Only the console returns this code.",
    next: "Enable them in the console.",
  },
  order_already_open: {
    when: "The store has a pending order. Only the console returns this code.",
    next: "Confirm or reject that order first.",
  },
  order_not_pending: {
    when: "The order is no longer pending. Only the console returns this code.",
    next: "Do not retry.",
  },
}
