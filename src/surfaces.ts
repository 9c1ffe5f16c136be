// Lists the surfaces by path prefix, longer prefixes first. Each is loaded on first use, so a cold start pays for one
// surface only.
import type { Bindings } from "./env"

interface Surface {
  fetch(request: Request, env: Bindings, execution: ExecutionContext): Response | Promise<Response>
}

export interface MountedSurface {
  /** The prefix of all its paths. */
  prefix: string
  load(): Promise<Surface>
}

const documentation = async () => (await import("./docs/routes")).docs
const pages = async () => (await import("./pages/platform/routes")).platformPages

/** The platform's own pages, which on the central host handle all paths without another surface. */
export const CENTRAL_PAGES: MountedSurface = { prefix: "", load: pages }

/** The last one, the storefront, handles all paths without another surface. */
export const SURFACES: readonly MountedSurface[] = [
  { prefix: "/api/platform/v1", load: async () => (await import("./platform/app")).platform },
  { prefix: "/webhooks", load: async () => (await import("./platform/payments/routes")).providerWebhooks },
  { prefix: "/api/operator/v1", load: async () => (await import("./operator/routes")).operator },
  { prefix: "/api/v1", load: async () => (await import("./content/app")).content },
  { prefix: "/api/health-check", load: async () => (await import("./health")).health },
  { prefix: "/api/downloads", load: async () => (await import("./license/wordpress/downloads")).downloads },
  { prefix: "/api", load: async () => (await import("./license/app")).licenseManager },
  { prefix: "/mcp", load: async () => (await import("./mcp/app")).mcp },
  { prefix: "/docs", load: documentation },
  { prefix: "/openapi", load: documentation },
  { prefix: "/llms.txt", load: documentation },
  { prefix: "/console", load: async () => (await import("./console/app")).console },
  { prefix: "/admin", load: async () => (await import("./admin/app")).admin },
  { prefix: "/billing", load: async () => (await import("./pages/billing/routes")).billingPages },
  ...["verify-email", "reset-password", "forgot-password", "resend-confirmation", "invitation", "contact-email"].map(
    (page) => ({
      prefix: `/account/${page}`,
      load: async () => (await import("./pages/account/routes")).accountPages,
    }),
  ),
  { prefix: "/media", load: async () => (await import("./content/media/serving")).mediaServing },
  { prefix: "/signup", load: pages },
  { prefix: "/sign-in", load: pages },
  { prefix: "", load: async () => (await import("./storefront/routes")).storefront },
]
