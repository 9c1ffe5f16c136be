// Describes the content API for its document.
import type { AppDefinition, AppDocs } from "../../src/apps/definition.ts"
import { availableApps } from "../../src/apps/registry.ts"
import { loadContentRoutes } from "../../src/content/app.ts"
import { messageOf, statusOf } from "../../src/content/envelope.ts"
import { isAvailableWhenSuspended } from "../../src/content/gate.ts"
import type { ContentApiCode } from "../../src/content/refusal-messages.ts"
import { buildWebhooksRefusal, isWebhooksPath } from "../../src/content/webhooks/envelope.ts"
import { Refusal, type RefusalCode } from "../../src/core/http/refusal.ts"
import { type RouteInfo, routeTable } from "../../src/core/http/route.ts"
import { fieldMessages } from "../../src/core/i18n/field-messages.ts"
import {
  type Api,
  buildRefusal,
  getExampleField,
  hasBody,
  isValidated,
  listUnique,
  type RefusalDoc,
  TIMESTAMPS,
} from "./api.ts"
import { APP_DOCS } from "./apps.ts"
import { CONTENT_OPERATIONS } from "./operations/content.ts"

const BASE = "/api/v1"

const isWebhooks = (route: RouteInfo) => isWebhooksPath(route.path)

const isMedia = (route: RouteInfo) => route.path.startsWith(`${BASE}/media/`)

function refusal(route: RouteInfo, code: RefusalCode, status?: 400 | 413 | 415): RefusalDoc {
  const thrown = buildRefusal<ContentApiCode>(code, { seconds: 17, request_id: "01K4YQZ0M8T3V6N9R2B5C7D1EF", status })
  if (isWebhooks(route)) {
    const facts = {
      fields: { [code === "validation_failed" ? getExampleField(route) : ""]: [{ rule: "required" as const }] },
    }
    return { code, ...buildWebhooksRefusal(code === "validation_failed" ? new Refusal(code, facts) : thrown, "en") }
  }
  const message = messageOf(thrown, "en")
  return { code, status: statusOf(thrown), body: bodyOf(route, code, message) }
}

function bodyOf(route: RouteInfo, code: RefusalCode, message: string): unknown {
  if (code === "validation_failed") {
    const errors = fieldMessages({ [getExampleField(route)]: [{ rule: "required" }] }, "en")
    return { message: Object.values(errors)[0]?.[0], errors }
  }
  if (isMedia(route) && code !== "api_disabled") return { message, errors: {} }
  if (code === "invalid_key") return { message, error: "Unauthorized" }
  return { error: true, data: null, message, ...(code === "precondition_failed" && { code }) }
}

/** The error for a missing key. Media paths always require one; other paths only while the site protects its API. */
const PROTECTED: RefusalDoc = {
  code: "invalid_key",
  status: 401,
  body: { message: messageOf(buildRefusal("invalid_key"), "en"), error: "Unauthorized" },
}

/** Lists the tags of an app with their descriptions. */
const listTags = ({ slug, api }: AppDefinition): [string, string][] =>
  Object.entries(api.paths).map(([path, about]) => [path, `${about} Requires the app \`${slug}\`.`])

/** The tags of paths that the platform's own site does not have, besides those of apps. */
const STORE_TAGS = ["billing", "shop", "staff", "storeWebhooks"]

/** Path parameters whose examples differ from those of the control plane. The demo store has this endpoint. */
const STORE_PARAMETERS = {
  "webhooks :id": { description: "Id of the endpoint.", integer: true, example: 4 },
}

/**
 * Describes the content API.
 * @param apps the installed apps
 * @param docs their texts, by slug
 * @param routes all routes, including the apps'
 */
export const describeContentApi = (
  apps: readonly AppDefinition[],
  docs: Readonly<Record<string, AppDocs>>,
  routes: RouteInfo[],
): Api => ({
  name: "content",
  title: "Tenancy content API",
  base: BASE,
  description: `Accounts, devices, notifications, blog, pages, media and apps of one site. Every store has this API on its own hosts, with its own users and files; the central
host has it for its own site. A store has to be online, and its plan has to include \`api_access\`.

Users log in to get a bearer token. A site can require its API key in \`X-API-KEY\`; media paths always require it. Servers use their own keys.

A response is \`{error: false, data, message}\` for one resource, and \`{data, meta, links}\` for a list. An error is \`{error: true, data: null, message}\`, or
\`{message, errors}\` for invalid fields. Media paths return plain objects and arrays, and webhooks have the envelopes of the control plane. Messages are in the language of \`X-LANGUAGE\` or \`Accept-Language\`.
${TIMESTAMPS}

Pages of other origins may call the API (CORS), unless the site lists the origins that may.`,
  tags: {
    accounts: "Registration, login and passwords.",
    profile: "The logged-in user.",
    settings: "Preferences of the logged-in user.",
    devices: "Devices that receive push notifications.",
    notifications: "Inbox of the logged-in user.",
    posts: "Posts of the blog.",
    categories: "Categories of the blog.",
    tags: "Tags of the blog.",
    pages: "Pages of the site.",
    search: "Search of products, posts and pages.",
    folders: "Folders of the media library.",
    files: "Files of the media library.",
    billing: "The store's subscription and payments, for its staff.",
    shop: "Settings of the store's shop, for its staff.",
    staff: "Staff of a store: members, their roles, and invitations.",
    storeWebhooks:
      "The store's own webhook endpoints, for its admins and servers. They receive the events of this store.",
    ...Object.fromEntries(apps.flatMap(listTags)),
  },
  storeTags: [...STORE_TAGS, ...apps.flatMap(({ api }) => Object.keys(api.paths))],
  descriptions: Object.assign({}, CONTENT_OPERATIONS, ...apps.map(({ slug }) => docs[slug]?.operations)),
  parameters: Object.assign({ ...STORE_PARAMETERS }, ...apps.map(({ slug }) => docs[slug]?.parameters)),
  routes,
  securitySchemes: {
    user: { type: "http", scheme: "bearer", description: "Token from `POST /login`." },
    siteKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-KEY",
      description:
        "The site's API key or a server token. Required on media paths, and on all paths if the site protects its API.",
    },
  },
  security: (route): Record<string, string[]>[] => {
    if (isMedia(route)) return [{ siteKey: [] }]
    if (route.traits.bearer === "required") return [{ user: [] }, { user: [], siteKey: [] }]
    if (route.traits.bearer === "editor") return [{ user: [] }, { user: [], siteKey: [] }, { siteKey: [] }]
    if (route.traits.bearer === "optional") return [{}, { user: [] }, { siteKey: [] }]
    return [{}, { siteKey: [] }]
  },
  hasErrorCodes: false,
  refusals: (route) => [
    ...(isMedia(route) ? [PROTECTED] : []),
    ...listUnique([
      "invalid_key",
      "not_found",
      ...route.refuses,
      // Support logins are read-only.
      route.traits.bearer !== undefined && route.method !== "GET" && "forbidden",
      !isAvailableWhenSuspended(route.path.slice(BASE.length)) && "not_entitled",
      isMedia(route) && "rate_limited",
      isValidated(route) && "validation_failed",
      "server_error",
      "temporarily_unavailable",
      "store_unavailable",
      "api_disabled",
    ])
      .filter((code) => code !== "http_error")
      .map((code) => refusal(route, code)),
    ...(hasBody(route) ? [refusal(route, "http_error", 400), refusal(route, "http_error", 415)] : []),
    ...(route.method === "GET" ? [] : [refusal(route, "http_error", 413)]),
  ],
  requestHeaders: (route) => [
    "Accept-Language",
    "X-LANGUAGE",
    ...(route.traits.etag ? ["If-None-Match", "X-D1-Bookmark"] : []),
    ...(route.refuses.includes("precondition_failed") ? ["If-Match"] : []),
    ...(route.refuses.includes("idempotency_mismatch") ? ["Order-Idempotency-Key"] : []),
  ],
  responseHeaders: (route) => [
    "X-Request-Id",
    ...(isMedia(route) ? ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] : []),
    ...(route.traits.etag ? ["ETag", "Cache-Control", "Cache-Status"] : []),
    ...(route.versioned && route.method !== "DELETE" ? ["ETag"] : []),
    ...(route.method === "GET" ? [] : ["X-D1-Bookmark"]),
  ],
})

export const content: Api = describeContentApi(availableApps, APP_DOCS, routeTable(await loadContentRoutes()))
