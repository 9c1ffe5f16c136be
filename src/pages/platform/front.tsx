// The front page, and what crawlers and browsers request of the platform's host: robots.txt, the sitemap, the icon and
// the pictures of the themes.
import type { Hono } from "hono"
import { conditional } from "../../core/cache/edge-cache"
import { LOGO_FILE } from "../../core/html/brand"
import { contentSecurityPolicy } from "../../core/html/content-security-policy"
import { Refusal } from "../../core/http/refusal"
import { requestContext, type SurfaceEnv } from "../../core/http/surface"
import { publicUrl, settingsOf } from "../../env"
import { readOffer } from "../../platform/signups/offer"
import { respondPage } from "../kit/page"
import { FrontPage } from "./front-page"
import { t as front } from "./front-strings"
import { type C, localeOf, pageDefaults } from "./respond"
import { getPreviewPicturePath, respondThemePicture } from "./theme-picture"

const DAY_SECONDS = 86_400

/** Paths that crawlers need not request: forms behind a link, and pages behind a sign-in. */
const DISALLOWED_PATHS = ["/console", "/billing", "/account", "/signup/", "/api/"]

/** Adds the pages to the surface. */
export function addFrontPages(pages: Hono<SurfaceEnv>): void {
  pages.get("/", async (c) => {
    const locale = localeOf(c)
    const { APP_NAME: brand, TENANCY_SIGNUP_ENABLED: canSignUp } = settingsOf(c.env)
    const offer = await readOffer(requestContext(c))
    return respondPage(c, 200, {
      ...pageDefaults(c),
      title: brand,
      isIndexable: true,
      description: front("hero_body", locale),
      preview: { url: buildUrl(c, "/"), image: buildUrl(c, getPreviewPicturePath()) },
      body: <FrontPage offer={offer} locale={locale} canSignUp={canSignUp} />,
    })
  })

  pages.get("/robots.txt", (c) => {
    const lines = ["User-agent: *", ...DISALLOWED_PATHS.map((path) => `Disallow: ${path}`)]
    const text = [...lines, "", `Sitemap: ${buildUrl(c, "/sitemap.xml")}`, ""].join("\n")
    return respondFile(c, text, "text/plain; charset=utf-8")
  })

  pages.get("/sitemap.xml", (c) => {
    const paths = ["/", ...(settingsOf(c.env).TENANCY_SIGNUP_ENABLED ? ["/signup"] : []), "/docs", "/status"]
    const urls = paths.map((path) => `<url><loc>${buildUrl(c, path)}</loc></url>`).join("")
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>\n`
    return respondFile(c, xml, "application/xml; charset=utf-8")
  })

  for (const path of ["/favicon.ico", "/favicon.svg"] as const)
    pages.get(path, (c) => respondFile(c, LOGO_FILE, "image/svg+xml"))

  pages.get("/themes/:file", async (c) => {
    const picture = await respondThemePicture(c.env, c.req.param("file"))
    if (!picture) throw new Refusal("not_found")
    return conditional(c.req.raw, picture)
  })
}

const buildUrl = (c: C, path: string): string => {
  const settings = settingsOf(c.env)
  return publicUrl(settings, settings.CENTRAL_DOMAIN, path)
}

const respondFile = (c: C, text: string, type: string): Response =>
  c.body(text, 200, {
    "Content-Type": type,
    "Cache-Control": `public, max-age=${DAY_SECONDS}`,
    // Browsers show XML and SVG as documents.
    "Content-Security-Policy": contentSecurityPolicy({}),
  })
