// What each code of the control plane means, for the reference: when it is raised, and what to do about it.

export interface CodeWords {
  /** When it is raised. */
  when: string
  /** What its reader does next. */
  next: string
}

export const CODES: Record<string, CodeWords> = {
  api_disabled: {
    when: "The operator has switched the API off. Every request is answered so, before any key is looked at.",
    next: "Try again later; keys and data are untouched.",
  },
  unauthenticated: {
    when: "The request carries neither `Authorization: Bearer` nor `X-API-KEY`.",
    next: "Send the key in one of them.",
  },
  invalid_key: {
    when: "No key is like the one that was sent.",
    next: "Check for a cut or an added space; a lost key is issued anew.",
  },
  key_revoked: { when: "The key was revoked.", next: "Ask an operator for another one." },
  key_expired: { when: "The key's time is over.", next: "Ask an operator for another one." },
  insufficient_scope: {
    when: "GET, HEAD and OPTIONS need the scope `read`, every other verb `write`.",
    next: "Use a key that has it.",
  },
  forbidden: { when: "The action is not permitted.", next: "There is nothing to retry." },
  not_found: {
    when: "The path is unknown, or the store, domain, endpoint, delivery or plan it names does not exist. Every path on a store's own host is answered so, too.",
    next: "Check the id.",
  },
  method_not_allowed: { when: "The path exists, and not for this verb.", next: "`Allow` lists the verbs it takes." },
  rate_limited: {
    when: "The key's or the address's requests of this minute are used up.",
    next: "Wait for `Retry-After` seconds.",
  },
  validation_failed: {
    when: "A field of the body or of the query is wrong.",
    next: "`errors` names each field with its sentences.",
  },
  plan_too_small: {
    when: "The store uses more than the plan allows.",
    next: "`errors` names the limits that are exceeded.",
  },
  http_error: {
    when: "The request itself is wrong: unreadable JSON (400), a body over 1 MB (413), another media type than JSON (415).",
    next: "The status says which.",
  },
  server_error: {
    when: "Something failed that should not.",
    next: "Retry with the same `Idempotency-Key`; report the request id that the message names.",
  },
  idempotency_mismatch: {
    when: "The `Idempotency-Key` was used with another verb, path or body.",
    next: "Use a new key for a new request.",
  },
  idempotency_in_progress: {
    when: "The first request under this `Idempotency-Key` still runs, or made its change and died before it could answer.",
    next: "Wait a moment and repeat it; if it stays so, read what you wanted to change.",
  },
  subdomain_reserved: { when: "The platform keeps this subdomain for itself.", next: "Choose another." },
  subdomain_taken: { when: "A store has this subdomain, or its host is in use.", next: "Choose another." },
  not_provisioned: { when: "The store is not provisioned yet.", next: "Wait for `store.ready`." },
  no_subscription: { when: "The store has no subscription.", next: "Assign a plan first." },
  no_tenant: { when: "The subscription's store no longer exists.", next: "There is nothing to retry." },
  plan_unavailable: { when: "The plan was retired while the request ran.", next: "List the plans and choose one." },
  confirm_mismatch: { when: "`confirm` is not the store's id.", next: "Send the id of the store you mean to delete." },
  still_provisioning: { when: "The store is being provisioned.", next: "Wait for `store.ready`, then delete it." },
  plan_upgrade_required: { when: "The store's plan has no custom domains.", next: "Change the plan." },
  limit_reached: { when: "The store has as many custom domains as it may.", next: "Detach one." },
  already_taken: {
    when: "The host name is registered to another store.",
    next: "Detach it there, or set the TXT record that the message names and attach it again: a domain that is not verified passes to you at once, a verified one after 72 hours.",
  },
  verify_first: { when: "The domain is not verified.", next: "Set its TXT record and verify it." },
  not_removable: {
    when: "The domain is the platform's own for this store, or the primary one.",
    next: "Make another domain primary first.",
  },
  not_entitled: { when: "The store's plan does not include the app.", next: "Change the plan." },
  requirement_not_entitled: {
    when: "The plan does not include an app that this one requires.",
    next: "Change the plan.",
  },
  still_required: { when: "Another enabled app requires this one.", next: "`required_by` names it; disable it first." },
  theme_not_entitled: { when: "The store's plan does not include the theme.", next: "Change the plan." },
  theme_requirement_not_entitled: {
    when: "The plan does not include an app that the theme requires.",
    next: "Change the plan.",
  },
  theme_unavailable: { when: "The theme is not installed, or not published.", next: "Choose another." },
  stripe_managed: {
    when: "The payment provider drives this subscription.",
    next: "Change it there; its messages change it here.",
  },
  illegal_transition: {
    when: "The action is not legal from the present status, or another request changed it at the same moment.",
    next: "Read the present state; a subscription's `allowed_actions` lists what is legal.",
  },
  same_plan: { when: "The store is on that plan.", next: "There is nothing to do." },
  no_plan: { when: "The subscription has no plan to act on.", next: "Assign one." },
  store_unavailable: {
    when: "The store has no database yet, it is being moved to another one and takes no writes, or it cannot be reached.",
    next: "Wait for `store.ready`, or try again.",
  },
  usage_unavailable: {
    when: "The store's usage could not be counted live.",
    next: "Read it without `refresh`, or try again.",
  },
  recovery_running: {
    when: "A recovery of this endpoint is under way.",
    next: "Read the endpoint's `recovery` until it is done.",
  },
  cursor_expired: {
    when: "The events behind the cursor are no longer kept.",
    next: "Begin at the oldest event, without `after`, and read the resources for what was missed.",
  },
  delivery_not_retryable: {
    when: "The delivery was delivered, or an attempt of it is under way.",
    next: "Read it again in a moment.",
  },
  offline_disabled: {
    when: "Bank transfers are switched off. No path of this API raises it.",
    next: "Switch them on in the console.",
  },
  order_already_open: {
    when: "The store has an open order. No path of this API raises it.",
    next: "Settle that order first.",
  },
  order_not_pending: {
    when: "The order is settled. No path of this API raises it.",
    next: "There is nothing to retry.",
  },
}
