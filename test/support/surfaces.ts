// Lists every route of every surface from the app itself, so that attacks cover all of them.
import type { RouterRoute } from "hono/types"
import { loadContentRoutes } from "../../src/content/app"
import { SURFACES } from "../../src/surfaces"

export interface SurfaceRoute {
  /** The path prefix of the surface. */
  surface: string
  method: string
  /** A pattern from the root. */
  path: string
}

/** Lists the routes of every surface, each once. */
export async function listRoutes(): Promise<SurfaceRoute[]> {
  const routesByName = new Map<string, SurfaceRoute>()
  // The content API loads some routes on first use.
  const complete: Record<string, RouterRoute[]> = { "/api/v1": (await loadContentRoutes()).routes }
  for (const { prefix, load } of SURFACES) {
    const routes = complete[prefix] ?? ((await load()) as { routes?: RouterRoute[] }).routes
    if (!routes) throw new Error(`The surface at ${prefix} does not expose its routes`)
    for (const { method, path } of routes) {
      // Middleware is registered for every method, with a pattern that ends in a star.
      if (method === "ALL" && path.endsWith("*")) continue
      const name = `${method} ${path}`
      // The pages of mailed links are one surface with several prefixes.
      const surface = prefix.startsWith("/account/") ? "/account" : prefix
      if (!routesByName.has(name)) routesByName.set(name, { surface, method, path })
    }
  }
  return [...routesByName.values()]
}

/**
 * Replaces each parameter of a route's path, or of a path of an OpenAPI document. A parameter that lists its values gets
 * the first of them.
 */
export const fillPath = (pattern: string, value = "1"): string =>
  pattern
    .replace(/:\w+(?:\{([^}]+)\})?/g, (_, values?: string) =>
      values?.includes("|") ? (values.split("|")[0] ?? "") : value,
    )
    .replace(/\{\w+\}/g, value)
    .replace(/\*$/, "x")
