// The pages of the console, as its own links lead to them.
import { base } from "./browser.ts"

/** Pages of one route that are looked at: an empty one and a full one often differ. */
const PER_ROUTE = 2

/** Where one begins: the overview, what its form leads to, and a store with a domain of its own. */
const ENTRIES = ["/console", "/console/stores/fern", "/console/search?q=ceramics", "/console/search?q=nothing-like-it"]

interface FoundPage {
  /** The route: `/console/stores/:id`. */
  route: string
  path: string
}

/**
 * Follows links from the overview.
 * @param routes the patterns of pages
 * @param cookie of who looks
 * @returns some pages of each route that a link leads to
 */
export async function findPages(routes: readonly string[], cookie: string): Promise<FoundPage[]> {
  const known = routes.map((route) => ({ route, form: formOf(route) }))
  const found = new Map<string, string[]>()
  const waiting = [...ENTRIES]
  const seen = new Set(waiting)
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { pathname } = new URL(path, base)
    const route = known.find(({ form }) => form.test(pathname))?.route
    if (route === undefined) continue
    const already = found.get(route) ?? []
    if (already.length >= PER_ROUTE) continue
    const response = await fetch(base + path, { headers: { Cookie: cookie }, redirect: "manual" })
    const isPage = response.headers.get("Content-Type")?.startsWith("text/html") && response.status === 200
    const text = isPage ? await response.text() : ""
    await response.body?.cancel().catch(() => {})
    const leads = [
      response.headers.get("Location"),
      ...[...text.matchAll(/href="(\/console[^"#]*)/g)].map(([, href]) => href),
    ]
    found.set(route, isPage ? [...already, path] : already)
    for (const lead of leads) {
      const next = lead?.replaceAll("&amp;", "&")
      if (next?.startsWith("/console") && !seen.has(next)) {
        seen.add(next)
        waiting.push(next)
      }
    }
  }
  return [...found].flatMap(([route, paths]) => paths.map((path) => ({ route, path })))
}

/** A route with names matches paths with values; one without comes first of the two. */
const formOf = (route: string): RegExp => new RegExp(`^${route.replaceAll(/:\w+/g, "(?!new$|live$)[^/]+")}$`)
