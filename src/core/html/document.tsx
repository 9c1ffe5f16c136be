// Renders the HTML document of every page: console, documentation, storefronts, sign-up, billing and account pages.
// It is part of core because these surfaces must not import each other (tools/lint/layers.ts).
import { raw } from "hono/html"
import type { Child, PropsWithChildren } from "hono/jsx"
import { direction } from "../../lib/intl"
import { BRAND_ICON } from "./brand"

interface DocumentProps {
  /** Canonical BCP 47 tag; the direction of writing follows from it. */
  lang: string
  title: string
  description?: string
  /** Allows search engines to index the page. */
  isIndexable?: boolean
  /** The content of a refresh: seconds, or `0;url=…`. */
  refresh?: string | number
  colorScheme?: "light" | "dark" | "light dark"
  /** URL of the icon; the platform's by default. */
  icon?: string
  /** URL of a stylesheet. */
  stylesheet?: string
  /** An inline stylesheet, which the page's policy has to allow by its hash (`hashSource`). */
  css?: string
  /** Further elements of the head. */
  head?: Child
  /** Forces light or dark colours (`data-theme`). */
  theme?: "light" | "dark"
  bodyClass?: string
}

/** A whole document with its doctype. The children are the content of its body. */
export function HtmlDocument({
  lang,
  title,
  description,
  isIndexable = false,
  refresh,
  colorScheme,
  icon = BRAND_ICON,
  stylesheet,
  css,
  head,
  theme,
  bodyClass,
  children,
}: PropsWithChildren<DocumentProps>) {
  return (
    <>
      {raw("<!doctype html>")}
      <html lang={lang} dir={direction(lang)} data-theme={theme}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          {refresh !== undefined && <meta http-equiv="refresh" content={String(refresh)} />}
          <title>{title}</title>
          {description && <meta name="description" content={description} />}
          {!isIndexable && <meta name="robots" content="noindex" />}
          {colorScheme && <meta name="color-scheme" content={colorScheme} />}
          <link rel="icon" href={icon} />
          {stylesheet && <link rel="stylesheet" href={stylesheet} />}
          {css && <style>{raw(css)}</style>}
          {head}
        </head>
        <body class={bodyClass}>{children}</body>
      </html>
    </>
  )
}
