// Every request: the path decides which surface answers; each surface asks first whose host it was sent to. A surface is loaded
// when it is first asked for, so that a cold start pays for one of them and not for all.
import { noticeWrite } from "./core/edge-cache"
import { hostOf } from "./core/host"
import { createLog } from "./core/log"
import type { Env } from "./env"

interface Surface {
  fetch(request: Request, env: Env, execution: ExecutionContext): Response | Promise<Response>
}

type Route = [prefix: string, load: () => Promise<Surface>]

/** The license manager's, whose writes change nothing of a site. */
const LICENSES = "/api"

const READS = new Set(["GET", "HEAD", "OPTIONS"])

const documentation = async () => (await import("./docs/routes")).docs
/** The platform's own pages; the front page among them, though it has the storefront's path. */
const FRONT: Route = ["/signup", async () => (await import("./front/routes")).front]

/** Path prefix -> surface, the longer ones of two first; what none of them claims is the storefront's. */
const SURFACES: Route[] = [
  ["/api/platform/v1", async () => (await import("./platform/app")).platform],
  ["/webhooks", async () => (await import("./platform/payments/routes")).providerWebhooks],
  ["/api/operator/v1", async () => (await import("./operator/routes")).operator],
  ["/api/v1", async () => (await import("./content/app")).content],
  ["/api/health-check", async () => (await import("./health")).health],
  [LICENSES, async () => (await import("./license/app")).licenseManager],
  ["/docs", documentation],
  ["/openapi", documentation],
  ["/llms.txt", documentation],
  ["/console", async () => (await import("./console/app")).console],
  ["/billing", async () => (await import("./owner/routes")).ownerPages],
  ["/account", async () => (await import("./content/account-pages/routes")).accountPages],
  ["/media", async () => (await import("./content/media/serving")).mediaServing],
  FRONT,
  ["/sign-in", FRONT[1]],
  ["", async () => (await import("./storefront/routes")).storefront],
]

/**
 * Answers a request. With bad settings a surface answers its own 500, and the health check says which they are; one that cannot
 * even do that, because its page of faults needs a setting, has this plain one.
 */
export async function app(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  const { pathname } = new URL(request.url)
  const isFront = pathname === "/" && isCentral(env, request.url)
  const surface = isFront
    ? FRONT
    : SURFACES.find(([prefix]) => pathname === prefix || pathname.startsWith(`${prefix}/`))
  if (!surface) return new Response(null, { status: 404 })
  const [prefix, load] = surface
  try {
    return await (await load()).fetch(request, env, execution)
  } catch (cause) {
    createLog({}).error("a surface gave no answer", cause, { surface: prefix })
    return new Response("Something went wrong on our side.\n", {
      status: 500,
      headers: { "Cache-Control": "no-store" },
    })
  } finally {
    if (!READS.has(request.method) && prefix !== LICENSES) noticeWrite()
  }
}

/** Whether a request was sent to the central host; with bad settings nobody knows. */
function isCentral(env: Env, url: string): boolean {
  try {
    return hostOf(env, url).kind === "central"
  } catch {
    return false
  }
}
