// Every request: the path decides which surface answers; each surface asks first whose host it was sent to.
import type { Hono } from "hono"
import { accountPages } from "./content/account-pages/routes"
import { content } from "./content/app"
import { mediaServing } from "./content/media/serving"
import { createLog } from "./core/log"
import { type Env, SettingsError, settingsOf } from "./env"
import { health } from "./health"
import { LICENSE_SURFACES } from "./license/app"
import { operator } from "./operator/routes"
import { platform } from "./platform/app"
import { storefront } from "./storefront/routes"

type Surface = Pick<Hono, "fetch">

/** Path prefix -> surface; what none of them claims is the storefront's. */
const SURFACES: [prefix: string, surface: Surface][] = [
  ["/api/platform/v1", platform as unknown as Surface],
  ["/api/operator/v1", operator as unknown as Surface],
  ["/api/v1", content as unknown as Surface],
  ["/account", accountPages as unknown as Surface],
  ["/media", mediaServing as unknown as Surface],
  ["/api/health-check", health as unknown as Surface],
  ...LICENSE_SURFACES.map(([prefix, surface]): [string, Surface] => [prefix, surface as unknown as Surface]),
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
  const claimed = SURFACES.find(([prefix]) => pathname === prefix || pathname.startsWith(`${prefix}/`))
  const surface = claimed?.[1] ?? (storefront as unknown as Surface)
  return surface.fetch(request, env, execution)
}
