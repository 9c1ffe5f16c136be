// The document around every page of a shop: header with its menu, the page, footer.
import type { Child } from "hono/jsx"
import type { Look } from "./appearance"
import { Head, type Meta } from "./head"
import { HOME, listPath, PAGES, singlePath } from "./paths"
import type { View } from "./view"

/** A rendered page before it stands in the document. */
export type Sheet = {
  meta: Meta
  /** Path of the menu entry it belongs under. */
  section?: string
  body: Child
}

/** Entries of content pages that the header has room for; the footer has them all. */
const HEADER_PAGES = 3

export function Layout({ view, look, sheet }: { view: View; look: Look; sheet: Sheet }) {
  const { shop, words } = view
  const pages = shop.pages.map(({ slug, name }) => ({ href: singlePath(PAGES, slug), name }))
  const menu = [
    ...shop.menu.map(({ path, name }) => ({ href: listPath(path), name: view.say(name) })),
    ...pages.slice(0, HEADER_PAGES),
  ]
  return (
    <html lang={view.locale} dir={view.dir}>
      <Head meta={sheet.meta} site={shop.name} rootUrl={shop.rootUrl} locale={view.locale} look={look} />
      <body>
        <a class="skip" href="#content">
          {words.skip}
        </a>
        <header class="masthead">
          <div class="shell">
            <a class="brand" href={HOME}>
              {shop.name}
            </a>
            {menu.length > 0 && (
              <nav aria-label={words.menu}>
                <ul class="menu">
                  {menu.map(({ href, name }) => (
                    <li key={href}>
                      <a href={href} aria-current={href === sheet.section ? "page" : undefined}>
                        {name}
                      </a>
                    </li>
                  ))}
                </ul>
              </nav>
            )}
          </div>
        </header>
        <main id="content">{sheet.body}</main>
        <footer class="foot">
          <div class="shell">
            <p>{shop.name}</p>
            {pages.length > 0 && (
              <nav aria-label={words.footer}>
                <ul>
                  {pages.map(({ href, name }) => (
                    <li key={href}>
                      <a href={href}>{name}</a>
                    </li>
                  ))}
                </ul>
              </nav>
            )}
            {shop.branding && (
              <p>
                {words.poweredBy} <a href={shop.branding.url}>{shop.branding.name}</a>
              </p>
            )}
          </div>
        </footer>
      </body>
    </html>
  )
}
