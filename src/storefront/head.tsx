// What a page tells machines about itself: title, canonical address, previews, icon, structured data.
import { raw } from "hono/html"
import type { Look } from "./appearance"
import { absolute } from "./paths"

export type Meta = {
  /** Of the page alone; null on the front page, whose title is the shop's name. */
  title: string | null
  description: string
  /** Canonical path with its query; null for a page that search engines should not keep. */
  path: string | null
  /** Picture for previews, absolute or from the root. */
  image?: string | null
  type?: "website" | "article" | "product"
  /** A schema.org object. */
  structuredData?: Record<string, unknown>
  /** Seconds after which the browser asks again. */
  refresh?: number
}

export function Head({
  meta,
  site,
  rootUrl,
  locale,
  look,
}: {
  meta: Meta
  site: string
  rootUrl?: string
  locale: string
  look: Look
}) {
  const title = meta.title === null ? site : `${meta.title} · ${site}`
  const canonical = rootUrl && meta.path !== null ? absolute(rootUrl, meta.path) : null
  const image = rootUrl && meta.image ? absoluteImage(rootUrl, meta.image) : null
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      {meta.refresh && <meta http-equiv="refresh" content={String(meta.refresh)} />}
      <title>{title}</title>
      {meta.description && <meta name="description" content={meta.description} />}
      {canonical ? <link rel="canonical" href={canonical} /> : <meta name="robots" content="noindex" />}
      <meta name="color-scheme" content={look.tokens.scheme} />
      <meta name="theme-color" content={look.tokens.ground} />
      {canonical && (
        <>
          <meta property="og:site_name" content={site} />
          <meta property="og:title" content={meta.title ?? site} />
          <meta property="og:type" content={meta.type ?? "website"} />
          <meta property="og:url" content={canonical} />
          <meta property="og:locale" content={locale.replaceAll("-", "_")} />
          {meta.description && <meta property="og:description" content={meta.description} />}
          {image && <meta property="og:image" content={image} />}
          <meta name="twitter:card" content={image ? "summary_large_image" : "summary"} />
        </>
      )}
      <link rel="icon" href={icon(site, look)} />
      <style>{raw(look.css)}</style>
      {meta.structuredData && <script type="application/ld+json">{raw(dataBlock(meta.structuredData))}</script>}
    </head>
  )
}

/** JSON that cannot end the script element it stands in. */
function dataBlock(data: Record<string, unknown>): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026")
}

/** The shop's initial on its accent colour. */
function icon(site: string, { tokens }: Look): string {
  const initial = [...site.trim()].find((character) => /[\p{L}\p{N}]/u.test(character))?.toLocaleUpperCase() ?? "•"
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${tokens.accent}"/><text x="32" y="45" text-anchor="middle" font-family="sans-serif" font-size="38" font-weight="600" fill="${tokens.onAccent}">${initial}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/**
 * @param rootUrl scheme and host of the store
 * @param image address as stored
 * @returns the address a machine can fetch, or null when it cannot be read
 */
export function absoluteImage(rootUrl: string, image: string): string | null {
  return URL.parse(image, `${rootUrl.replace(/\/+$/, "")}/`)?.href ?? null
}
