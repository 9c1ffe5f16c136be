// Every surface with every route of it, found in the app itself: what is attacked is what is there.
import type { RouterRoute } from "hono/types"
import { contentRoutes } from "../../src/content/app"
import { SURFACES } from "../../src/surfaces"

export interface FoundRoute {
  /** The path that the surface's paths begin with. */
  surface: string
  method: string
  /** A pattern, from the root. */
  path: string
}

/** The routes of every surface, each once. */
export async function everyRoute(): Promise<FoundRoute[]> {
  const found = new Map<string, FoundRoute>()
  // The content API has routes that wait to be asked for.
  const complete: Record<string, RouterRoute[]> = { "/api/v1": (await contentRoutes()).routes }
  for (const { prefix, load } of SURFACES) {
    const routes = complete[prefix] ?? ((await load()) as { routes?: RouterRoute[] }).routes
    if (!routes) throw new Error(`The surface at ${prefix} does not tell its routes`)
    for (const { method, path } of routes) {
      // What stands before many routes is mounted for every verb, under a pattern that ends in a star.
      if (method === "ALL" && path.endsWith("*")) continue
      const name = `${method} ${path}`
      if (!found.has(name)) found.set(name, { surface: prefix, method, path })
    }
  }
  return [...found.values()]
}

/** The address of a pattern, with something in place of each parameter. */
export const fillPath = (pattern: string, value = "1"): string =>
  pattern.replace(/[:{]\w+\}?/g, value).replace(/\*$/, "x")
