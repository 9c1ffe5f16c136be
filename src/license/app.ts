// The license manager: the external API for licensed software, the internal one for its vendor, and both as older clients
// know them. The gate in front, one folder of routes a noun behind it.
import { Hono } from "hono"
import { maxBody } from "../core/http"
import { Refusal } from "../core/refusal"
import { knownVerbs, wrap } from "../core/surface"
import type { LicenseKeyType } from "../db/schema/central/licenses"
import type { Env } from "../env"
import { activations } from "./activations/routes"
import { externalConnection, internalConnection } from "./connection/routes"
import { isAnswer, refuse, worded } from "./envelope"
import { external } from "./external/routes"
import { gate, onError } from "./gate/gate"
import { legacyExternal } from "./legacy/external/routes"
import { legacyFiles } from "./legacy/files/routes"
import { legacyInternal } from "./legacy/internal/routes"
import { licenses } from "./licenses/routes"
import { offline } from "./offline/routes"
import { products } from "./products/routes"
import type { LicenseEnv } from "./types"
import { versions } from "./versions/routes"

/** Bytes of a body: client software sends a code or two, an administrator a changelog. */
const MAX_BODY: Record<LicenseKeyType, number> = { external: 256_000, internal: 1_000_000 }

/** Forms that may bring files are read as they arrive, and bounded there. */
const bringsFiles = (path: string, contentType = "") =>
  /^\/api\/internal\/products\/[^/]+\/versions(\/|$)/.test(path) && /^multipart\/form-data/i.test(contentType)

function surface(base: string, type: LicenseKeyType, routes: Hono<LicenseEnv>[]): Hono<LicenseEnv> {
  const app = new Hono<LicenseEnv>().basePath(base)
  app.use(
    wrap("license", {}, (c) => ({ key: c.var.key?.id })),
    gate(type),
  )
  app.use(knownVerbs(app, refuse))
  const bounded = maxBody(MAX_BODY[type])
  app.use((c, next) => (bringsFiles(c.req.path, c.req.header("Content-Type")) ? next() : bounded(c, next)))
  for (const route of routes) app.route("/", route)
  app.notFound((c) => refuse(c, new Refusal("not_found")))
  app.onError(onError)
  return app
}

/** Old clients take any status but 200 for "no connection", so that what is wrong with a request is said with that one. */
function withStatus200(app: Hono<LicenseEnv>): Hono<LicenseEnv> {
  app.onError((thrown, c) => {
    return isAnswer(thrown) && c.var.ctx ? c.json(worded(thrown, c.var.ctx.language).body) : onError(thrown, c)
  })
  return app
}

const externalApi = surface("/api/external", "external", [externalConnection, external])
const internalApi = surface("/api/internal", "internal", [
  internalConnection,
  products,
  versions,
  licenses,
  offline,
  activations,
])
const oldExternal = withStatus200(surface("/api", "external", [legacyExternal]))
const oldFiles = surface("/api", "external", [legacyFiles])
const oldInternal = withStatus200(surface("/api", "internal", [legacyInternal]))

/** First segments of an app's paths below `/api`. */
const prefixes = (app: Hono<LicenseEnv>): string[] => [
  ...new Set(app.routes.map(({ path }) => `/${path.split("/")[1]}`).filter((path) => !path.includes("*"))),
]

/** Path prefix -> app. */
const SURFACES: [prefix: string, app: Hono<LicenseEnv>][] = [
  ["/api/external", externalApi],
  ["/api/internal", internalApi],
  ...prefixes(legacyExternal).map((path): [string, Hono<LicenseEnv>] => [`/api${path}`, oldExternal]),
  ...prefixes(legacyFiles).map((path): [string, Hono<LicenseEnv>] => [`/api${path}`, oldFiles]),
  ...prefixes(legacyInternal).map((path): [string, Hono<LicenseEnv>] => [`/api${path}`, oldInternal]),
]

const NO_SUCH_PATH = { status: false, message: "Not found." }

/** Everything under `/api` that no other surface claims. */
export const licenseManager = {
  /** The described routes of all its apps. */
  routes: [externalApi, internalApi, oldExternal, oldFiles, oldInternal].flatMap((app) => app.routes),

  fetch(request: Request, env: Env, execution: ExecutionContext): Response | Promise<Response> {
    const { pathname } = new URL(request.url)
    const claimed = SURFACES.find(([prefix]) => pathname === prefix || pathname.startsWith(`${prefix}/`))
    return claimed?.[1].fetch(request, env, execution) ?? Response.json(NO_SUCH_PATH, { status: 404 })
  },
}
