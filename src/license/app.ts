// Assembles the license manager's APIs: external (licensed software), internal (the vendor's tools), and the legacy
// paths of both. All of them share one gate; the routes of each resource are in its folder.
import type { RouterRoute } from "hono/types"
import type { ApiRouter } from "../core/http/router"
import { type Api, createApi } from "../core/http/surface"
import type { LicenseKeyType } from "../db/schema/central/licenses"
import type { Bindings } from "../env"
import { activations } from "./activations/routes"
import { externalConnection, internalConnection } from "./connection/routes"
import { type LicenseCode, RESPONSE_BY_CODE, refuse } from "./envelope"
import { external } from "./external/routes"
import { gate } from "./gate/gate"
import { legacyExternal } from "./legacy/external/routes"
import { legacyFiles } from "./legacy/files/routes"
import { legacyInternal } from "./legacy/internal/routes"
import { refuseLegacyExternal, refuseLegacyInternal } from "./legacy/refusals"
import { licenses } from "./licenses/routes"
import { offline } from "./offline/routes"
import { products } from "./products/routes"
import type { LicenseEnv } from "./types"
import { versions } from "./versions/routes"
import { wordpress } from "./wordpress/routes"

/** Client software sends little more than a license code; vendors also send changelogs. */
const MAX_BODY_BYTES: Record<LicenseKeyType, number> = { external: 256_000, internal: 1_000_000 }

/** Version uploads are streamed, so versions/upload.ts enforces their size limit instead. */
const isVersionUpload = (path: string, contentType = "") =>
  /^\/api\/internal\/products\/[^/]+\/versions(\/|$)/.test(path) && /^multipart\/form-data/i.test(contentType)

/** @param formatRefusal builds the error response; the legacy APIs use other formats */
const createLicenseSurface = (
  base: string,
  type: LicenseKeyType,
  routers: ApiRouter<LicenseEnv>[],
  formatRefusal: typeof refuse = refuse,
): Api<LicenseEnv> =>
  createApi<LicenseEnv, LicenseCode>(
    {
      name: "license",
      base,
      logFields: (c) => ({ key: c.var.key?.id }),
      gate: [gate(type)],
      maxBody: (c) => (isVersionUpload(c.req.path, c.req.header("Content-Type")) ? null : MAX_BODY_BYTES[type]),
      codes: RESPONSE_BY_CODE,
      refuse: formatRefusal,
    },
    routers,
  )

const externalApi = createLicenseSurface("/api/external", "external", [externalConnection, external, wordpress])
const internalApi = createLicenseSurface("/api/internal", "internal", [
  internalConnection,
  products,
  versions,
  licenses,
  offline,
  activations,
])
const legacyExternalApi = createLicenseSurface("/api", "external", [legacyExternal], refuseLegacyExternal)
const legacyFilesApi = createLicenseSurface("/api", "external", [legacyFiles])
const legacyInternalApi = createLicenseSurface("/api", "internal", [legacyInternal], refuseLegacyInternal)

/** Returns the distinct first path segments of an app's routes, relative to `/api`. */
const pathPrefixes = (app: { routes: RouterRoute[] }): string[] => [
  ...new Set(app.routes.map(({ path }) => `/${path.split("/")[1]}`).filter((path) => !path.includes("*"))),
]

const SURFACES: [prefix: string, app: Api<LicenseEnv>][] = [
  ["/api/external", externalApi],
  ["/api/internal", internalApi],
  ...pathPrefixes(legacyExternal).map((path): [string, Api<LicenseEnv>] => [`/api${path}`, legacyExternalApi]),
  ...pathPrefixes(legacyFiles).map((path): [string, Api<LicenseEnv>] => [`/api${path}`, legacyFilesApi]),
  ...pathPrefixes(legacyInternal).map((path): [string, Api<LicenseEnv>] => [`/api${path}`, legacyInternalApi]),
]

const NOT_FOUND_BODY = { status: false, message: "Not found." }

/** Handles every path under `/api` that no other surface handles. */
export const licenseManager = {
  /** The routes of all its apps, for the OpenAPI document. */
  routes: [externalApi, internalApi, legacyExternalApi, legacyFilesApi, legacyInternalApi].flatMap((app) => app.routes),

  fetch(request: Request, env: Bindings, execution: ExecutionContext): Response | Promise<Response> {
    const { pathname } = new URL(request.url)
    const surface = SURFACES.find(([prefix]) => pathname === prefix || pathname.startsWith(`${prefix}/`))
    return surface?.[1].fetch(request, env, execution) ?? Response.json(NOT_FOUND_BODY, { status: 404 })
  },
}
