// The license manager: the external API for licensed software, the internal one for its vendor, and both as older clients
// know them. The gate in front, one folder of routes a noun behind it.
import type { Hono } from "hono"
import { createSurface } from "../core/http/surface"
import type { LicenseKeyType } from "../db/schema/central/licenses"
import type { Env } from "../env"
import { activations } from "./activations/routes"
import { externalConnection, internalConnection } from "./connection/routes"
import { refuse } from "./envelope"
import { external } from "./external/routes"
import { gate } from "./gate/gate"
import { legacyExternal } from "./legacy/external/routes"
import { legacyFiles } from "./legacy/files/routes"
import { legacyInternal } from "./legacy/internal/routes"
import { refuseClient, refuseVendor } from "./legacy/refusals"
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

/** @param answer how a refusal is answered, where not as everywhere */
function surface(
  base: string,
  type: LicenseKeyType,
  routes: Hono<LicenseEnv>[],
  answer: typeof refuse = refuse,
): Hono<LicenseEnv> {
  const app = createSurface<LicenseEnv>({
    name: "license",
    base,
    facts: (c) => ({ key: c.var.key?.id }),
    gate: [gate(type)],
    maxBody: (c) => (bringsFiles(c.req.path, c.req.header("Content-Type")) ? null : MAX_BODY[type]),
    refuse: answer,
  })
  for (const route of routes) app.route("/", route)
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
const oldExternal = surface("/api", "external", [legacyExternal], refuseClient)
const oldFiles = surface("/api", "external", [legacyFiles])
const oldInternal = surface("/api", "internal", [legacyInternal], refuseVendor)

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
