// Renders the pages of the platform's own host, of /billing and of /account. A page loads nothing from other hosts and
// runs no script except the one it is given, which its policy allows by hash.
import type { Context } from "hono"
import { raw } from "hono/html"
import type { Child, PropsWithChildren } from "hono/jsx"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { Logo } from "../../core/html/brand"
import { contentSecurityPolicy, hashSource } from "../../core/html/content-security-policy"
import { HtmlDocument } from "../../core/html/document"
import type { Locale } from "../../core/i18n/locale"
import { t } from "./strings"
import { STYLE } from "./stylesheet"

export interface Link {
  href: string
  text: string
  /** The action that most readers take. */
  isPrimary?: boolean
}

export interface Page {
  locale: Locale
  /** Name of the platform or the store. */
  brand: string
  title: string
  body: Child
  navigation?: Link[]
  /** A message above the header, for as long as a condition lasts. */
  banner?: string
  footer?: string
  footerLinks?: Link[]
  /** The content of a refresh: seconds, or `0;url=…`. */
  refresh?: string
  isIndexable?: boolean
  description?: string
  /** Absolute URLs of the page and of the picture that link previews show (https://ogp.me). */
  preview?: { url: string; image: string }
  /** JavaScript that is added to the page. */
  script?: string
  /** Set for pages that caches may store: the same for all readers of a language. */
  cacheControl?: string
  /** Set for pages whose URL contains a token: their URL is sent to no host, including their own. */
  hasSecretUrl?: boolean
}

/** Responds with a whole page, which no cache stores by default. */
export function respondPage(c: Context, status: ContentfulStatusCode, page: Page): Response {
  const { locale, brand, title, navigation = [], footer, footerLinks = [], script } = page
  const document = (
    <HtmlDocument
      lang={locale}
      title={title === brand ? brand : `${title} · ${brand}`}
      description={page.description}
      isIndexable={page.isIndexable}
      refresh={page.refresh}
      colorScheme="light dark"
      css={STYLE}
      head={<LinkPreview page={page} />}
    >
      <a class="skip" href="#content">
        {t("skip", locale)}
      </a>
      {page.banner && (
        <p class="banner" role="status">
          {page.banner}
        </p>
      )}
      <header class="shell top">
        <a class="brand" href="/">
          <Logo />
          {brand}
        </a>
        {navigation.length > 0 && (
          <nav aria-label={brand}>
            {navigation.map(({ href, text }) => (
              <a href={href}>{text}</a>
            ))}
          </nav>
        )}
      </header>
      <main id="content">{page.body}</main>
      {footer && (
        <footer class="foot">
          <div class="shell">
            <span>{footer}</span>
            {footerLinks.map(({ href, text }) => (
              <a href={href}>{text}</a>
            ))}
          </div>
        </footer>
      )}
      {script && <script>{raw(script)}</script>}
    </HtmlDocument>
  )
  return c.body(document.toString(), status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": contentSecurityPolicy({
      "style-src": [hashSource(STYLE)],
      "img-src": ["'self'", "data:"],
      ...(script && { "script-src": [hashSource(script)], "connect-src": ["'self'"] }),
    }),
    "Cache-Control": page.cacheControl ?? "no-store",
    // Under `no-referrer` browsers send `Origin: null` with forms, so pages that check the origin need `same-origin`.
    "Referrer-Policy": page.hasSecretUrl ? "no-referrer" : "same-origin",
    "X-Content-Type-Options": "nosniff",
    Vary: "Accept-Language",
  })
}

/** Metadata for link previews on other sites. */
function LinkPreview({ page: { preview, title, description, brand, locale } }: { page: Page }) {
  if (!preview) return null
  return (
    <>
      <link rel="canonical" href={preview.url} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={brand} />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      <meta property="og:url" content={preview.url} />
      <meta property="og:image" content={preview.image} />
      <meta property="og:locale" content={locale} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}

/** A narrow column with a heading, for forms and messages. */
export const Column = ({ title, lead, children }: PropsWithChildren<{ title: string; lead?: string }>) => (
  <div class="shell narrow page">
    <h1>{title}</h1>
    {lead && <p class="lede">{lead}</p>}
    {children}
  </div>
)

interface TableProps {
  /** Column heads; the last column contains amounts. */
  head: readonly string[]
  rows: readonly (readonly Child[])[]
}

export function Table({ head, rows }: TableProps) {
  const columnClass = (index: number) => (index === head.length - 1 ? "num" : undefined)
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {head.map((label, index) => (
              <th scope="col" class={columnClass(index)}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, index) => (
                <td class={columnClass(index)}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const DescriptionList = ({ rows }: { rows: readonly (readonly [label: string, value: Child])[] }) => (
  <dl class="facts">
    {rows.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
