// Renders a shop's robots.txt (RFC 9309).
import { absoluteUrl, SITEMAP } from "../paths"

/** Paths without pages for search engines. */
const DISALLOWED = ["/api/", "/account/", "/billing"]

/** @param rootUrl scheme and host of the store */
export const renderRobots = (rootUrl: string): string =>
  [
    "User-agent: *",
    ...DISALLOWED.map((path) => `Disallow: ${path}`),
    "",
    `Sitemap: ${absoluteUrl(rootUrl, SITEMAP)}`,
    "",
  ].join("\n")
