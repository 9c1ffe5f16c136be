// Dispatches every request to the surface of its path; the surface then checks the host.
import { hostOf } from "./core/http/host"
import { createLog } from "./core/log"
import type { Bindings } from "./env"
import { CENTRAL_PAGES, SURFACES } from "./surfaces"

/** Prefixes of the surfaces that the central host does not have. */
const STORE_PREFIXES: ReadonlySet<string> = new Set(["", "/admin", "/billing"])

/** Pages whose address people also type with a slash at the end. */
const INDEX_PAGES = ["/admin", "/console", "/billing", "/account", "/cart"]

/** Redirects from a page's address with a slash at the end to the one without. */
function redirectIndexPage({ method }: Request, { pathname, search }: URL): Response | null {
  const page = method === "GET" || method === "HEAD" ? INDEX_PAGES.find((path) => pathname === `${path}/`) : undefined
  return page === undefined
    ? null
    : new Response(null, { status: 308, headers: { Location: `${page}${search}`, "Cache-Control": "no-store" } })
}

/**
 * Handles a request. With invalid settings a surface returns its own 500, and the health check names them. This plain
 * 500 covers a surface whose error page itself needs a setting.
 */
export async function app(request: Request, env: Bindings, execution: ExecutionContext): Promise<Response> {
  const url = new URL(request.url)
  const redirect = redirectIndexPage(request, url)
  if (redirect) return redirect
  const { pathname } = url
  const matching = SURFACES.find(({ prefix }) => pathname === prefix || pathname.startsWith(`${prefix}/`))
  if (!matching) return new Response(null, { status: 404 })
  // Paths that only stores have are on the central host those of the platform's own pages.
  const isOfStores = STORE_PREFIXES.has(matching.prefix)
  const surface = isOfStores && isCentral(env, request.url) ? CENTRAL_PAGES : matching
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
