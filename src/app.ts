// Dispatches every request to the surface of its path; the surface then checks the host.
import { hostOf } from "./core/http/host"
import { createLog } from "./core/log"
import type { Bindings } from "./env"
import { FRONT_PAGE, SURFACES } from "./surfaces"

/**
 * Handles a request. With invalid settings a surface returns its own 500, and the health check names them. This plain
 * 500 covers a surface whose error page itself needs a setting.
 */
export async function app(request: Request, env: Bindings, execution: ExecutionContext): Promise<Response> {
  const { pathname } = new URL(request.url)
  const isFrontPage = pathname === "/" && isCentral(env, request.url)
  const surface = isFrontPage
    ? FRONT_PAGE
    : SURFACES.find(({ prefix }) => pathname === prefix || pathname.startsWith(`${prefix}/`))
  if (!surface) return new Response(null, { status: 404 })
  try {
    return await (await surface.load()).fetch(request, env, execution)
  } catch (cause) {
    createLog({}).error("unhandled error", cause, { surface: surface.prefix })
    return new Response("Something went wrong on our side.\n", {
      status: 500,
      headers: { "Cache-Control": "no-store" },
    })
  }
}

/** Whether a request was sent to the central host; false with invalid settings. */
function isCentral(env: Bindings, url: string): boolean {
  try {
    return hostOf(env, url).kind === "central"
  } catch {
    return false
  }
}
