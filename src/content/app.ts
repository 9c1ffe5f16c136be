// The content API, /api/v1, on the central host and on every store's: the gate in front, one folder of routes a noun behind it.
// Each app's routes stand behind a gate of their own, and are loaded when one of their paths is first asked for.
import type { Context, Hono, MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import type { Plugin } from "../apps/definition"
import { plugins } from "../apps/registry"
import type { Refusal } from "../core/http/refusal"
import { createSurface } from "../core/http/surface"
import type { Env } from "../env"
import { accounts } from "./accounts/routes"
import { billing } from "./billing/routes"
import { categories } from "./blog/categories/routes"
import { pages } from "./blog/pages/routes"
import { posts } from "./blog/posts/routes"
import { tags } from "./blog/tags/routes"
import { devices } from "./devices/routes"
import { afterToken, refuse } from "./envelope"
import { gate } from "./gate"
import { refuseMedia } from "./media/envelope"
import { files } from "./media/files/routes"
import { folders } from "./media/folders/routes"
import { mediaGate } from "./media/gate"
import { whereEnabled } from "./mount-apps"
import { notifications } from "./notifications/routes"
import { settings } from "./settings/routes"
import type { ContentEnv } from "./types"

const MAX_BODY = 1_000_000

const BASE = "/api/v1"

/** Paths that take files; each sets a bound of its own. */
const UPLOADS = new Set(["/update/avatar", "/media/files"].map((path) => BASE + path))

/** The media API has an envelope of its own, except for the answers that every path gives: that the API is off, or is protected. */
function answer(c: Context<ContentEnv>, refusal: Refusal): Response {
  const { code } = refusal
  const isOfAll = code === "api_disabled" || (code === "invalid_key" && c.get("ctx")?.site.api.keyRequired)
  return c.req.path.startsWith(`${BASE}/media/`) && !isOfAll ? refuseMedia(c, refusal) : refuse(c, refusal)
}

/** The media API's own gate, behind that of all. */
const forMedia: MiddlewareHandler<ContentEnv> = (c, next) =>
  c.req.path.startsWith(`${BASE}/media/`) ? mediaGate(c, next) : next()

/** The surface around some of its routes. */
function surface(routers: readonly Hono<ContentEnv>[], app?: Plugin): Hono<ContentEnv> {
  const api = createSurface<ContentEnv>({
    name: "content",
    base: BASE,
    facts: (c) => ({ site: c.get("ctx")?.site.id }),
    gate: [gate, app ? whereEnabled(app.slug) : forMedia],
    maxBody: (c) => (UPLOADS.has(c.req.path) ? null : MAX_BODY),
    instead: afterToken,
    refuse: answer,
  })
  for (const router of routers) api.route("/", router)
  return api
}

const own = surface([
  accounts,
  billing,
  settings,
  devices,
  notifications,
  posts,
  categories,
  tags,
  pages,
  folders,
  files,
])

const loading = new Map<string, Promise<Hono<ContentEnv>>>()

/** The surface around an app's routes. */
function surfaceOf(app: Plugin): Promise<Hono<ContentEnv>> {
  const known = loading.get(app.slug)
  if (known) return known
  const made = app.api.routes().then((routers) => surface(routers, app))
  loading.set(app.slug, made)
  return made
}

export const content = {
  async fetch(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
    const [segment = ""] = new URL(request.url).pathname.slice(BASE.length + 1).split("/", 1)
    const app = plugins.find(({ api }) => Object.hasOwn(api.paths, segment))
    return (app ? await surfaceOf(app) : own).fetch(request, env, execution)
  },
}

/** All routes of the content API, those of every app included, for documents and tests. */
export async function contentRoutes(): Promise<{ routes: RouterRoute[] }> {
  const surfaces = await Promise.all(plugins.map(surfaceOf))
  return { routes: [own, ...surfaces].flatMap(({ routes }) => routes) }
}
