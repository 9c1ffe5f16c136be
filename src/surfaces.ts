// The surfaces and the paths they answer, the longer ones of two first. Each is loaded when it is first asked for, so that a cold
// start pays for one of them and not for all.
import type { Env } from "./env"

interface Surface {
  fetch(request: Request, env: Env, execution: ExecutionContext): Response | Promise<Response>
}

export interface SurfaceAt {
  /** The path that all its paths begin with. */
  prefix: string
  load(): Promise<Surface>
  /** Whether its writes change nothing that a site shows. */
  isApart?: true
}

const documentation = async () => (await import("./docs/routes")).docs
const pages = async () => (await import("./pages/platform/routes")).front

/** The platform's own front page, which has the path of a storefront's. */
export const FRONT_PAGE: SurfaceAt = { prefix: "/", load: pages }

/** What none of them claims is the last one's, the storefront's. */
export const SURFACES: readonly SurfaceAt[] = [
  { prefix: "/api/platform/v1", load: async () => (await import("./platform/app")).platform },
  { prefix: "/webhooks", load: async () => (await import("./platform/payments/routes")).providerWebhooks },
  { prefix: "/api/operator/v1", load: async () => (await import("./operator/routes")).operator },
  { prefix: "/api/v1", load: async () => (await import("./content/app")).content },
  { prefix: "/api/health-check", load: async () => (await import("./health")).health },
  { prefix: "/api", load: async () => (await import("./license/app")).licenseManager, isApart: true },
  { prefix: "/docs", load: documentation },
  { prefix: "/openapi", load: documentation },
  { prefix: "/llms.txt", load: documentation },
  { prefix: "/console", load: async () => (await import("./console/app")).console },
  { prefix: "/billing", load: async () => (await import("./pages/billing/routes")).ownerPages },
  { prefix: "/account", load: async () => (await import("./pages/account/routes")).accountPages },
  { prefix: "/media", load: async () => (await import("./content/media/serving")).mediaServing },
  { prefix: "/signup", load: pages },
  { prefix: "/sign-in", load: pages },
  { prefix: "", load: async () => (await import("./storefront/routes")).storefront },
]
