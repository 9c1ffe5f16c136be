// Layout of every shop page: the header with its menu, the content, the footer.
import type { Child } from "hono/jsx"
import type { Appearance } from "./appearance"
import { CART_COUNT_ID } from "./cart-cookie"
import { CART_SCRIPT } from "./cart-script"
import { SearchField } from "./components/search-field"
import type { MenuLink, PageLink } from "./data"
import { type PageMeta, ShopDocument } from "./document"
import { ACCOUNT, CART, HOME, listPath, PAGES, singlePath } from "./paths"
import { safeImage } from "./text/safe-url"
import type { View } from "./view"

/** Content of a page without the layout around it. */
export type PageContent = {
  meta: PageMeta
  /** Path of the menu entry that the page belongs to. */
  section?: string
  body: Child
  /** The content after the sections that apps add to the page. */
  more?: Child
}

const toText = ({ strings, translate }: View, name: MenuLink["name"]): string =>
  typeof name === "string" ? name : name ? translate(name) : strings.home

/** Links to content pages in the header; the footer lists all of them. */
const MAX_HEADER_PAGES = 3

export function Layout({ view, appearance, content }: { view: View; appearance: Appearance; content: PageContent }) {
  const { shop, strings } = view
  const toLinks = (pages: readonly PageLink[]) =>
    pages.map(({ slug, name }) => ({ href: singlePath(PAGES, slug), name }))
  const legalPages = shop.legalPages ?? []
  const pages = toLinks(shop.pages.filter(({ slug }) => !legalPages.some((legal) => legal.slug === slug)))
  const footerLinks = [
    ...(shop.footerLinks ?? []).map(({ href, name }) => ({ href, name: view.translate(name) })),
    ...pages,
    ...toLinks(legalPages),
  ]
  const menu = shop.ownMenu?.length
    ? shop.ownMenu.map(({ href, name }) => ({ href, name: toText(view, name) }))
    : [
        ...shop.menu.map(({ path, name }) => ({ href: listPath(path), name: view.translate(name) })),
        ...pages.slice(0, MAX_HEADER_PAGES),
      ]
  const logo = safeImage(shop.logo ?? null)
  return (
    <ShopDocument
      meta={content.meta}
      site={shop.name}
      rootUrl={shop.rootUrl}
      locale={view.locale}
      appearance={appearance}
      icon={shop.favicon}
      logo={shop.logo}
      script={shop.cart === "counted" ? CART_SCRIPT : undefined}
    >
      <a class="skip" href="#content">
        {strings.skip}
      </a>
      <header class="masthead">
        <div class="shell">
          <a class="brand" href={HOME}>
            {logo ? <img src={logo} alt={shop.name} /> : shop.name}
          </a>
          {menu.length > 0 && (
            <nav aria-label={strings.menu}>
              <ul class="menu">
                {menu.map(({ href, name }) => (
                  <li key={href}>
                    <a href={href} aria-current={href === content.section ? "page" : undefined}>
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          )}
          <div class="tools">
            <SearchField view={view} />
            {shop.cart && (
              <a href={ACCOUNT} aria-current={content.section === ACCOUNT ? "page" : undefined}>
                {strings.account}
              </a>
            )}
            {shop.cart && (
              <a href={CART} aria-current={content.section === CART ? "page" : undefined}>
                {strings.cart}
                <span id={CART_COUNT_ID} />
              </a>
            )}
          </div>
        </div>
      </header>
      <main id="content">
        {content.body}
        {content.more}
      </main>
      <footer class="foot">
        <div class="shell">
          <p>{shop.name}</p>
          {footerLinks.length > 0 && (
            <nav aria-label={strings.footer}>
              <ul>
                {footerLinks.map(({ href, name }) => (
                  <li key={href}>
                    <a href={href}>{name}</a>
                  </li>
                ))}
              </ul>
            </nav>
          )}
          {shop.branding && (
            <p>
              {strings.poweredBy} <a href={shop.branding.url}>{shop.branding.name}</a>
            </p>
          )}
        </div>
      </footer>
    </ShopDocument>
  )
}
