// Finds the console's pages by following links.
import { base } from "./browser.ts"

/** Two, because empty and filled pages often differ. */
const PAGES_PER_ROUTE = 2

/** The overview, two searches, and a store with a custom domain. */
const START_PATHS = [
  "/console",
  "/console/stores/fern",
  "/console/search?q=ceramics",
  "/console/search?q=nothing-like-it",
]

/** A page that a link leads to. */
export interface FoundPage {
  /** The route: `/console/stores/:id`. */
  route: string
  path: string
}

/**
 * Follows links from the overview.
 * @param routes the patterns of pages
 * @param cookie of the signed-in operator
 * @returns up to `PAGES_PER_ROUTE` pages per route
 */
export async function findPages(routes: readonly string[], cookie: string): Promise<FoundPage[]> {
  const known = routes.map((route) => ({ route, pattern: toPattern(route) }))
  const found = new Map<string, string[]>()
  const queue = [...START_PATHS]
  const seen = new Set(queue)
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const { pathname } = new URL(path, base)
    const route = known.find(({ pattern }) => pattern.test(pathname))?.route
    if (route === undefined) continue
    const already = found.get(route) ?? []
    if (already.length >= PAGES_PER_ROUTE) continue
    const response = await fetch(base + path, { headers: { Cookie: cookie }, redirect: "manual" })
    const isPage = response.headers.get("Content-Type")?.startsWith("text/html") && response.status === 200
    const text = isPage ? await response.text() : ""
    await response.body?.cancel().catch(() => {})
    const links = [
      response.headers.get("Location"),
      ...[...text.matchAll(/href="(\/console[^"#]*)/g)].map(([, href]) => href),
    ]
    found.set(route, isPage ? [...already, path] : already)
    for (const link of links) {
      const next = link?.replaceAll("&amp;", "&")
      if (next?.startsWith("/console") && !seen.has(next)) {
        seen.add(next)
        queue.push(next)
      }
    }
  }
  return [...found].flatMap(([route, paths]) => paths.map((path) => ({ route, path })))
}

/** Converts a route to a regular expression; parameters do not match the static segments `new` and `live`. */
const toPattern = (route: string): RegExp => new RegExp(`^${route.replaceAll(/:\w+/g, "(?!new$|live$)[^/]+")}$`)
