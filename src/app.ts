// Every request: the path decides which surface answers, and the surface asks whose host it was sent to.
import { invalidateIsolateCache } from "./core/cache/edge-cache"
import { hostOf } from "./core/http/host"
import { createLog } from "./core/log"
import type { Env } from "./env"
import { FRONT_PAGE, SURFACES } from "./surfaces"

const READS = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * Answers a request. With bad settings a surface answers its own 500, and the health check says which they are; one that cannot
 * even do that, because its page of faults needs a setting, has this plain one.
 */
export async function app(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  const { pathname } = new URL(request.url)
  const isFront = pathname === "/" && isCentral(env, request.url)
  const surface = isFront
    ? FRONT_PAGE
    : SURFACES.find(({ prefix }) => pathname === prefix || pathname.startsWith(`${prefix}/`))
  if (!surface) return new Response(null, { status: 404 })
  try {
    return await (await surface.load()).fetch(request, env, execution)
  } catch (cause) {
    createLog({}).error("a surface gave no answer", cause, { surface: surface.prefix })
    return new Response("Something went wrong on our side.\n", {
      status: 500,
      headers: { "Cache-Control": "no-store" },
    })
  } finally {
    if (!READS.has(request.method) && !surface.isApart) invalidateIsolateCache()
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
