// Renders a storefront document with its metadata: title, canonical URL, link previews, icon and structured data.
import { raw } from "hono/html"
import type { PropsWithChildren } from "hono/jsx"
import { HtmlDocument } from "../core/html/document"
import type { Appearance } from "./appearance"
import { absoluteUrl, FEED } from "./paths"
import { safeImage } from "./text/safe-url"

export type PageMeta = {
  /** Title of the page alone; null on the front page, whose title is the shop's name. */
  title: string | null
  description: string
  /** Canonical path with its query; null for a page that search engines should not index. */
  path: string | null
  /** Picture for link previews: an absolute URL, or a path from the root. */
  image?: string | null
  type?: "website" | "article" | "product"
  /** A schema.org object. */
  structuredData?: Record<string, unknown>
  /** Seconds after which the browser reloads the page. */
  refresh?: number
}

interface Props {
  meta: PageMeta
  /** The store's name; the host where there is no store. */
  site: string
  /** Scheme and host of the store. */
  rootUrl?: string
  locale: string
  appearance: Appearance
  /** URL of the shop's own icon; its initial by default. */
  icon?: string | null
  /** Picture for link previews of pages without a picture. */
  logo?: string | null
  bodyClass?: string
  /** Runs at the end of the body. The page's policy has to allow it by its hash. */
  script?: string
}

/** Document in the store's theme. */
export function ShopDocument({
  meta,
  site,
  rootUrl,
  locale,
  appearance,
  icon,
  logo,
  bodyClass,
  script,
  children,
}: PropsWithChildren<Props>) {
  const canonical = rootUrl && meta.path !== null ? absoluteUrl(rootUrl, meta.path) : null
  const picture = meta.image ?? logo
  const image = rootUrl && picture ? absoluteImageUrl(rootUrl, picture) : null
  const head = (
    <>
      {appearance.accentCss && <style>{raw(appearance.accentCss)}</style>}
      <meta name="theme-color" content={appearance.tokens.ground} />
      {canonical && (
        <>
          <link rel="canonical" href={canonical} />
          <link rel="alternate" type="application/rss+xml" title={site} href={FEED} />
          <meta property="og:site_name" content={site} />
          <meta property="og:title" content={meta.title ?? site} />
          <meta property="og:type" content={meta.type ?? "website"} />
          <meta property="og:url" content={canonical} />
          <meta property="og:locale" content={locale.replaceAll("-", "_")} />
          {meta.description && <meta property="og:description" content={meta.description} />}
          {image && <meta property="og:image" content={image} />}
          <meta name="twitter:card" content={image && meta.image ? "summary_large_image" : "summary"} />
        </>
      )}
      {meta.structuredData && <script type="application/ld+json">{raw(escapeJsonLd(meta.structuredData))}</script>}
    </>
  )
  return (
    <HtmlDocument
      lang={locale}
      title={meta.title === null ? site : `${meta.title} · ${site}`}
      description={meta.description}
      isIndexable={canonical !== null}
      refresh={meta.refresh}
      colorScheme={appearance.tokens.scheme}
      icon={safeImage(icon ?? null) ?? iconUrl(site, appearance)}
      css={appearance.css}
      head={head}
      bodyClass={bodyClass}
    >
      {children}
      {script && <script>{raw(script)}</script>}
    </HtmlDocument>
  )
}

/** Serializes JSON so that it cannot end the script element around it. */
function escapeJsonLd(data: Record<string, unknown>): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026")
}

/** Builds the favicon: the shop's initial on its accent color, as a data URL. */
function iconUrl(site: string, { tokens }: Appearance): string {
  const initial = [...site.trim()].find((character) => /[\p{L}\p{N}]/u.test(character))?.toLocaleUpperCase() ?? "•"
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${tokens.accent}"/><text x="32" y="45" text-anchor="middle" font-family="sans-serif" font-size="38" font-weight="600" fill="${tokens.onAccent}">${initial}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/**
 * Resolves the URL of a picture for clients outside the page.
 * @param rootUrl scheme and host of the store
 * @param image URL as stored, absolute or relative
 * @returns the absolute URL, or null when it cannot be parsed
 */
export function absoluteImageUrl(rootUrl: string, image: string): string | null {
  return URL.parse(image, `${rootUrl.replace(/\/+$/, "")}/`)?.href ?? null
}
