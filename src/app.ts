// Every request: the path decides which surface answers; each surface asks first whose host it was sent to. A surface is loaded
// when it is first asked for, so that a cold start pays for one of them and not for all.
import { createLog } from "./core/log"
import { type Env, SettingsError, settingsOf } from "./env"

interface Surface {
  fetch(request: Request, env: Env, execution: ExecutionContext): Response | Promise<Response>
}

/** Path prefix -> surface, the longer ones of two first; what none of them claims is the storefront's. */
const SURFACES: [prefix: string, load: () => Promise<Surface>][] = [
  ["/api/platform/v1", async () => (await import("./platform/app")).platform],
  ["/api/operator/v1", async () => (await import("./operator/routes")).operator],
  ["/api/v1", async () => (await import("./content/app")).content],
  ["/api/health-check", async () => (await import("./health")).health],
  ["/api", async () => (await import("./license/app")).licenseManager],
  ["/account", async () => (await import("./content/account-pages/routes")).accountPages],
  ["/media", async () => (await import("./content/media/serving")).mediaServing],
  ["", async () => (await import("./storefront/routes")).storefront],
]

/** Answers a request; a Worker with bad settings answers nothing but the sentence that names them. */
export async function app(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  try {
    settingsOf(env)
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown
    createLog({}).error("bad settings", thrown)
    return Response.json({ status: "error", message: thrown.message }, { status: 500 })
  }
  const { pathname } = new URL(request.url)
  for (const [prefix, load] of SURFACES) {
    if (pathname === prefix || pathname.startsWith(`${prefix}/`)) return (await load()).fetch(request, env, execution)
  }
  return new Response(null, { status: 404 })
}
