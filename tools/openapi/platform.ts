// The control plane as its document describes it.

import type { RefusalCode } from "../../src/core/http/refusal.ts"
import { type RouteInfo, routeTable } from "../../src/core/http/route.ts"
import { fieldMessages } from "../../src/core/i18n/field-messages.ts"
import { translate } from "../../src/core/i18n/locale.ts"
import { platform as app } from "../../src/platform/app.ts"
import { getStatus } from "../../src/platform/envelope.ts"
import { HTTP_ERROR_MESSAGES, MESSAGES } from "../../src/platform/refusal-messages.ts"
import { type Api, distinct, exampleField, isValidated, type RefusalDoc, takesBody } from "./api.ts"
import { CODES } from "./strings/codes.ts"

const isWrite = (route: RouteInfo) => route.method !== "GET"

/** Facts that sentences name, for examples. */
const facts = (route: RouteInfo) => ({
  scope: isWrite(route) ? "write" : "read",
  seconds: 17,
  request_id: "01K4YQZ0M8T3V6N9R2B5C7D1EF",
})

function codesOf(route: RouteInfo): RefusalCode[] {
  return distinct([
    "unauthenticated",
    "invalid_key",
    "key_revoked",
    "key_expired",
    "insufficient_scope",
    ...route.refuses,
    (isValidated(route) || isWrite(route)) && "validation_failed",
    isWrite(route) && "idempotency_mismatch",
    isWrite(route) && "idempotency_in_progress",
    "rate_limited",
    "server_error",
    "api_disabled",
  ])
}

function refusal(route: RouteInfo, code: RefusalCode): RefusalDoc {
  const sentence = MESSAGES[code]
  const message = sentence ? translate(sentence, "en", facts(route)) : ""
  const status = route.statuses[code] ?? getStatus(code)
  if (code !== "validation_failed" && code !== "plan_too_small")
    return { code, status, body: { error: { code, message } } }
  const errors =
    code === "plan_too_small"
      ? { products: ["The products limit of this plan is 100; the store uses 120."] }
      : fieldMessages({ [isValidated(route) ? exampleField(route) : "idempotency_key"]: [{ rule: "required" }] }, "en")
  const first = Object.values(errors)[0]?.[0] ?? ""
  return { code, status, body: { error: { code, message: message || first, errors }, errors } }
}

const httpError = (status: 400 | 413 | 415): RefusalDoc => ({
  code: "http_error",
  status,
  body: { error: { code: "http_error", message: translate(HTTP_ERROR_MESSAGES[status] ?? MESSAGES.forbidden, "en") } },
})

/** Every code, those that no path raises included: the console tells them as well. */
const codes = Object.fromEntries(
  Object.entries(CODES).map(([code, words]) => [
    code,
    { status: code === "http_error" ? 400 : getStatus(code as RefusalCode), ...words },
  ]),
)

export const platform: Api = {
  name: "platform",
  title: "Tenancy control plane",
  base: "/api/platform/v1",
  description: `Stores, subscriptions, plans, domains, apps, themes and webhooks of a multi-store platform.

A key comes as \`Authorization: Bearer <key>\` or as \`X-API-KEY\`. Its scope \`read\` opens GET, HEAD and OPTIONS, \`write\` every other verb. Requests are checked in this
order: host, kill switch, throttling, key, scope, path, verb, body.

One resource stands under \`data\`, a list under \`data\` with its \`meta\`, and whatever is refused under \`error\` with a stable \`code\` and a \`message\` in the
language of \`Accept-Language\`. Moments are ISO 8601 with an offset. Fields may be added at any time; \`X-Tenancy-Api-Version\` changes when a shape breaks.`,
  tags: {
    platform: "What is the same for every store.",
    me: "The key that asks.",
    plans: "What is on sale. Plans are written by operators.",
    stores: "The stores of the platform, from their creation to their end.",
    subscriptions:
      "What a store bought. A subscription that the payment provider drives refuses every action with `stripe_managed`.",
    usage: "What a store uses of its plan.",
    audit: "What happened to a store, and who did it.",
    domains: "The hosts a store answers on.",
    apps: "What a store has switched on.",
    webhooks: "Where events are delivered.",
    deliveries: "Each event on its way to each endpoint.",
    events: "The log of all events.",
  },
  routes: routeTable(app),
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", description: "An operator's API key, `tnk_<8>_<40>`. Preferred." },
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-KEY",
      description: "The same key, for clients without bearer tokens.",
    },
  },
  security: (route): Record<string, string[]>[] => {
    const scope = isWrite(route) ? "write" : "read"
    return [{ bearer: [scope] }, { apiKey: [scope] }]
  },
  showsCodes: true,
  codes,
  refusals: (route) => [
    ...codesOf(route).map((code) => refusal(route, code)),
    ...(takesBody(route) ? [httpError(400), httpError(415)] : []),
    ...(isWrite(route) ? [httpError(413)] : []),
  ],
  requestHeaders: (route) => (isWrite(route) ? ["Idempotency-Key", "Accept-Language"] : ["Accept-Language"]),
  responseHeaders: (route) => [
    "X-Request-Id",
    "X-Tenancy-Api-Version",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    ...(isWrite(route) ? ["Idempotent-Replayed"] : []),
  ],
}
