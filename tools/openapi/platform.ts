// Describes the control plane for its document.
import { type RouteInfo, routeTable } from "../../src/core/http/route.ts"
import { fieldMessages } from "../../src/core/i18n/field-messages.ts"
import { translate } from "../../src/core/i18n/locale.ts"
import { platform as app } from "../../src/platform/app.ts"
import { STATUS_BY_CODE } from "../../src/platform/envelope.ts"
import { HTTP_ERROR_MESSAGES, MESSAGES, type PlatformCode } from "../../src/platform/refusal-messages.ts"
import { type Api, getExampleField, hasBody, isValidated, listUnique, type RefusalDoc, TIMESTAMPS } from "./api.ts"
import { PLATFORM_OPERATIONS } from "./operations/platform.ts"
import { ERROR_CODES } from "./strings/codes.ts"
import { WEBHOOKS_DESCRIPTION } from "./webhooks.ts"

const isWrite = (route: RouteInfo) => route.method !== "GET"

/** Whether a write accepts `If-Match`: a new resource has no version yet. */
const isConditional = (route: RouteInfo): boolean =>
  Boolean(route.versioned) && isWrite(route) && route.path.includes("/:")

/** Builds the facts that example messages contain. */
const buildFacts = (route: RouteInfo) => ({
  scope: isWrite(route) ? "write" : "read",
  seconds: 17,
  request_id: "01K4YQZ0M8T3V6N9R2B5C7D1EF",
})

function codesOf(route: RouteInfo): readonly PlatformCode[] {
  return listUnique([
    "unauthenticated",
    "invalid_key",
    "key_revoked",
    "key_expired",
    "insufficient_scope",
    ...(route.refuses as readonly PlatformCode[]),
    isConditional(route) && "precondition_failed",
    (isValidated(route) || isWrite(route)) && "validation_failed",
    isWrite(route) && "idempotency_mismatch",
    isWrite(route) && "idempotency_in_progress",
    "rate_limited",
    "server_error",
    "temporarily_unavailable",
    "api_disabled",
  ])
}

function refusal(route: RouteInfo, code: PlatformCode): RefusalDoc {
  const message =
    code === "validation_failed" || code === "http_error" ? "" : translate(MESSAGES[code], "en", buildFacts(route))
  const status = route.statuses[code] ?? STATUS_BY_CODE[code]
  if (code !== "validation_failed" && code !== "plan_too_small")
    return { code, status, body: { error: { code, message } } }
  const errors =
    code === "plan_too_small"
      ? { products: ["The products limit of this plan is 100; the store uses 120."] }
      : fieldMessages(
          { [isValidated(route) ? getExampleField(route) : "idempotency_key"]: [{ rule: "required" }] },
          "en",
        )
  const first = Object.values(errors)[0]?.[0] ?? ""
  return { code, status, body: { error: { code, message: message || first, errors }, errors } }
}

const httpError = (status: 400 | 413 | 415): RefusalDoc => ({
  code: "http_error",
  status,
  body: { error: { code: "http_error", message: translate(HTTP_ERROR_MESSAGES[status], "en") } },
})

/** All codes, including those that only the console raises. */
const codes = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, description]) => [
    code,
    { status: STATUS_BY_CODE[code as PlatformCode], ...description },
  ]),
)

export const platform: Api = {
  name: "platform",
  title: "Tenancy control plane",
  base: "/api/platform/v1",
  description: `Manage the stores, subscriptions, domains, apps and webhooks of a multi-store platform.

Authenticate with an API key, as \`Authorization: Bearer <key>\` or as \`X-API-KEY\`. The scope \`read\` allows GET, HEAD and OPTIONS, \`write\` all other methods. A scope such as \`stores:read\` or \`webhooks:write\` allows the same for the paths below \`/stores\` or \`/webhooks\` only.
Requests are checked in this order: host, API availability, rate limit, key, scope, path, method, body.

A response contains one resource in \`data\`, or a list in \`data\` with \`meta\`. An error has a stable \`code\` and a \`message\` in the language of \`Accept-Language\`.
${TIMESTAMPS} New fields may be added at any time; \`X-Tenancy-Api-Version\` changes only with incompatible changes.`,
  tags: {
    platform: "Constants of the platform.",
    me: "The API key of the request.",
    keys: "API keys of the control plane.",
    plans: "Plans that can be assigned to stores.",
    coupons: "Codes that extend the trial of a new store.",
    stores: "Create, update, suspend and delete stores.",
    subscriptions:
      "A store's subscription. If the card provider bills it, every action is refused with `stripe_managed`.",
    usage: "How much of its plan a store uses.",
    audit: "Changes of a store and who made them.",
    domains: "The hosts that a store is served on.",
    apps: "Apps that a store can use.",
    webhooks: WEBHOOKS_DESCRIPTION,
    deliveries: "Deliveries of events to endpoints, and their attempts.",
    events: "The log of all events.",
  },
  descriptions: PLATFORM_OPERATIONS,
  routes: routeTable(app),
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", description: "API key (`tnk_…`), preferred." },
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-KEY",
      description: "The same API key, for clients that cannot send bearer tokens.",
    },
  },
  security: (route): Record<string, string[]>[] => {
    const scope = isWrite(route) ? "write" : "read"
    return [{ bearer: [scope] }, { apiKey: [scope] }]
  },
  hasErrorCodes: true,
  codes,
  refusals: (route) => [
    ...codesOf(route).map((code) => refusal(route, code)),
    ...(hasBody(route) ? [httpError(400), httpError(415)] : []),
    ...(isWrite(route) ? [httpError(413)] : []),
  ],
  requestHeaders: (route) => [
    ...(isWrite(route) ? (["Idempotency-Key"] as const) : []),
    ...(isConditional(route) ? (["If-Match"] as const) : []),
    "Accept-Language",
  ],
  responseHeaders: (route) => [
    "X-Request-Id",
    "X-Tenancy-Api-Version",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    ...(route.versioned && route.responses[0].status !== 204 ? ["ETag"] : []),
    ...(isWrite(route) ? ["Idempotent-Replayed"] : []),
  ],
}
