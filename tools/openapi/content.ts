// The content API as its document describes it.

import type { AppDefinition } from "../../src/apps/definition.ts"
import { installedApps } from "../../src/apps/registry.ts"
import { loadContentRoutes } from "../../src/content/app.ts"
import { messageOf, statusOf } from "../../src/content/envelope.ts"
import { isAvailableWhenSuspended } from "../../src/content/gate.ts"
import { Refusal, type RefusalCode } from "../../src/core/http/refusal.ts"
import { type RouteInfo, routeTable } from "../../src/core/http/route.ts"
import { fieldMessages } from "../../src/core/i18n/field-messages.ts"
import { type Api, distinct, exampleField, isValidated, type RefusalDoc, takesBody } from "./api.ts"

const BASE = "/api/v1"

const isMedia = (route: RouteInfo) => route.path.startsWith(`${BASE}/media/`)

function refusal(route: RouteInfo, code: RefusalCode, status?: 400 | 413 | 415): RefusalDoc {
  const thrown = new Refusal(code, { seconds: 17, request_id: "01K4YQZ0M8T3V6N9R2B5C7D1EF", status })
  const message = messageOf(thrown, "en")
  return { code, status: statusOf(thrown), body: bodyOf(route, code, message) }
}

function bodyOf(route: RouteInfo, code: RefusalCode, message: string): unknown {
  if (code === "validation_failed") {
    const errors = fieldMessages({ [exampleField(route)]: [{ rule: "required" }] }, "en")
    return { message: Object.values(errors)[0]?.[0], errors }
  }
  if (isMedia(route) && code !== "api_disabled") return { message, errors: {} }
  if (code === "invalid_key") return { message, error: "Unauthorized" }
  return { error: true, data: null, message }
}

/** What every path answers while the site protects its API; the media paths want a key at any time, and say so in their own form. */
const PROTECTED: RefusalDoc = {
  code: "invalid_key",
  status: 401,
  body: { message: messageOf(new Refusal("invalid_key"), "en"), error: "Unauthorized" },
}

/** What is found below an app's paths. */
const nounsOf = ({ slug, api }: AppDefinition): [string, string][] =>
  Object.entries(api.paths).map(([path, about]) => [path, `${about} Needs the app \`${slug}\`.`])

export const content: Api = {
  name: "content",
  title: "Tenancy content API",
  base: BASE,
  description: `Accounts, devices, notifications, blog, pages, media and the apps of one site. Every store has it on its own hosts, with its own users and files, and the
central host has it for itself. A store's needs the plan feature \`api_access\`, and a store that is open.

Users log in for a bearer token. A site may protect its API by a key, \`X-API-KEY\`; the media paths always want one. Servers are given keys of their own.

One resource comes as \`{error: false, data, message}\`, a list as \`{data, meta, links}\`, a refusal as \`{error: true, data: null, message}\`, and wrong fields as
\`{message, errors}\`; the media paths answer bare objects and arrays. Messages follow \`Accept-Language\`.`,
  tags: {
    accounts: "Registering, logging in and out, passwords.",
    profile: "The user who asks.",
    settings: "The user's preferences.",
    devices: "The tokens by which a user's devices are reached.",
    notifications: "The user's inbox.",
    posts: "The blog.",
    categories: "The blog's categories.",
    tags: "The blog's tags.",
    pages: "Pages of the site.",
    folders: "Media folders.",
    files: "Media files.",
    billing: "What the store bought, for its staff.",
    ...Object.fromEntries(installedApps.flatMap(nounsOf)),
  },
  routes: routeTable(await loadContentRoutes()),
  securitySchemes: {
    user: { type: "http", scheme: "bearer", description: "A user's token from `POST /login`, `<id>|<48 characters>`." },
    siteKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-KEY",
      description:
        "The site's API key or a server's token. Needed on media paths, and everywhere once the site protects its API.",
    },
  },
  security: (route): Record<string, string[]>[] => {
    if (isMedia(route)) return [{ siteKey: [] }]
    if (route.traits.bearer === "required") return [{ user: [] }, { user: [], siteKey: [] }]
    if (route.traits.bearer === "optional") return [{}, { user: [] }, { siteKey: [] }]
    return [{}, { siteKey: [] }]
  },
  showsCodes: false,
  refusals: (route) => [
    ...(isMedia(route) ? [PROTECTED] : []),
    ...distinct([
      "invalid_key",
      "not_found",
      ...route.refuses,
      // A support login may read only.
      route.traits.bearer !== undefined && route.method !== "GET" && "forbidden",
      !isAvailableWhenSuspended(route.path.slice(BASE.length)) && "not_entitled",
      isMedia(route) && "rate_limited",
      isValidated(route) && "validation_failed",
      "server_error",
      "store_unavailable",
      "api_disabled",
    ])
      .filter((code) => code !== "http_error")
      .map((code) => refusal(route, code)),
    ...(takesBody(route) ? [refusal(route, "http_error", 400), refusal(route, "http_error", 415)] : []),
    ...(route.method === "GET" ? [] : [refusal(route, "http_error", 413)]),
  ],
  requestHeaders: (route) => ["Accept-Language", ...(route.traits.etag ? ["If-None-Match", "X-D1-Bookmark"] : [])],
  responseHeaders: (route) => [
    "X-Request-Id",
    ...(isMedia(route) ? ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] : []),
    ...(route.traits.etag ? ["ETag", "Cache-Control", "Cache-Status"] : []),
    ...(route.method === "GET" ? [] : ["X-D1-Bookmark"]),
  ],
}
