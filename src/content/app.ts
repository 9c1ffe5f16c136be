// Mounts the content API, /api/v1, on the central host and on every store's host: the gate first, then one folder of
// routes per resource. The routes of an app are loaded on the first request to one of its paths.
import type { Context, MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import type { AppDefinition } from "../apps/definition"
import { availableApps } from "../apps/registry"
import type { ApiRouter } from "../core/http/router"
import { type Api, createApi } from "../core/http/surface"
import type { Bindings } from "../env"
import { memoize } from "../lib/memo"
import { accounts } from "./accounts/routes"
import { billing } from "./billing/routes"
import { categories } from "./blog/categories/routes"
import { pages } from "./blog/pages/routes"
import { posts } from "./blog/posts/routes"
import { tags } from "./blog/tags/routes"
import { cors } from "./cors"
import { devices } from "./devices/routes"
import { authenticateBeforeRefusal, type ContentRefusal, refuse, STATUS_BY_CODE } from "./envelope"
import { contentGate } from "./gate"
import { respondWithRefusal } from "./media/envelope"
import { files } from "./media/files/routes"
import { folders } from "./media/folders/routes"
import { mediaGate } from "./media/gate"
import { requireEnabledApp } from "./mount-apps"
import { notifications } from "./notifications/routes"
import type { ContentApiCode } from "./refusal-messages"
import { createSearch } from "./search/routes"
import { settings } from "./settings/routes"
import { shop } from "./shop/routes"
import { staff } from "./staff/routes"
import type { ContentEnv } from "./types"
import { isWebhooksPath, respondWithWebhooksRefusal } from "./webhooks/envelope"
import { webhooks } from "./webhooks/routes"

const MAX_BODY_BYTES = 1_000_000

const BASE_PATH = "/api/v1"

/** Paths that take file uploads. Each enforces its own size limit. */
const UPLOAD_PATHS = new Set(["/update/avatar", "/media/files"].map((path) => BASE_PATH + path))

/**
 * Renders a refusal. Webhooks have the control plane's envelope. The media API has its own, except for the two refusals
 * that are the same on every path: the API is disabled, or it requires a key.
 */
function refuseInEnvelope(c: Context<ContentEnv>, refusal: ContentRefusal): Response {
  const { code } = refusal
  if (isWebhooksPath(c.req.path)) return respondWithWebhooksRefusal(c, refusal)
  const isShared = code === "api_disabled" || (code === "invalid_key" && c.get("ctx")?.site.api.keyRequired)
  return c.req.path.startsWith(`${BASE_PATH}/media/`) && !isShared ? respondWithRefusal(c, refusal) : refuse(c, refusal)
}

/** Runs the media API's own gate after the gate of the whole API. */
const mediaPathsGate: MiddlewareHandler<ContentEnv> = (c, next) =>
  c.req.path.startsWith(`${BASE_PATH}/media/`) ? mediaGate(c, next) : next()

/** Creates a surface with the gate and the envelope of the content API around some of its routes. */
const createContentSurface = (routers: readonly ApiRouter<ContentEnv>[], app?: AppDefinition): Api<ContentEnv> =>
  createApi<ContentEnv, ContentApiCode>(
    {
      name: "content",
      base: BASE_PATH,
      logFields: (c) => ({ site: c.get("ctx")?.site.id }),
      gate: [cors, contentGate, app ? requireEnabledApp(app.slug) : mediaPathsGate],
      maxBody: (c) => (UPLOAD_PATHS.has(c.req.path) ? null : MAX_BODY_BYTES),
      mapRefusal: authenticateBeforeRefusal,
      codes: STATUS_BY_CODE,
      refuse: refuseInEnvelope,
    },
    routers,
  )

/** Finds the product search of a site's enabled apps. */
const findProductSearch = async (apps: readonly string[]) =>
  (await availableApps.find(({ slug, searchProducts }) => searchProducts && apps.includes(slug))?.searchProducts?.()) ??
  null

const coreSurface = createContentSurface([
  accounts,
  billing,
  staff,
  shop,
  settings,
  devices,
  notifications,
  posts,
  categories,
  tags,
  pages,
  createSearch(findProductSearch),
  folders,
  files,
  webhooks,
])

/** Loads an app's routes and creates the surface around them, once per isolate. */
const loadAppSurface = memoize(async (app: AppDefinition) => createContentSurface(await app.api.routes(), app))

export const content = {
  async fetch(request: Request, env: Bindings, execution: ExecutionContext): Promise<Response> {
    const [segment = ""] = new URL(request.url).pathname.slice(BASE_PATH.length + 1).split("/", 1)
    const app = availableApps.find(({ api }) => Object.hasOwn(api.paths, segment))
    return (app ? await loadAppSurface(app) : coreSurface).fetch(request, env, execution)
  },
}

/** Loads all routes of the content API, including every app's, for the API documents and tests. */
export async function loadContentRoutes(): Promise<{ routes: RouterRoute[] }> {
  const surfaces = await Promise.all(availableApps.map(loadAppSurface))
  return { routes: [coreSurface, ...surfaces].flatMap(({ routes }) => routes) }
}
