// The layout of every documentation page: header with search, side navigation, content.
import type { Child, PropsWithChildren } from "hono/jsx"
import { Logo } from "../../core/html/brand"
import { HtmlDocument } from "../../core/html/document"
import { docsAssets, tryItAssets } from "../assets/assets"
import type { TryIt } from "../try-it"

interface NavLink {
  href: string
  text: string
  /** HTTP method of the linked operation. */
  method?: string
}

export interface NavGroup {
  title: string
  links: NavLink[]
}

export interface LayoutProps {
  title: string
  description: string
  /** URL path of the page. */
  path: string
  /** The side navigation. */
  navigation: NavGroup[]
  appName: string
  /** The search query, to fill in the search field. */
  query?: string
  /** Loads the forms that send requests. */
  tryIt?: TryIt | null
}

const HEADER_LINKS: NavLink[] = [
  { href: "/docs", text: "Overview" },
  { href: "/docs/platform", text: "Control plane" },
  { href: "/docs/content", text: "Content" },
  { href: "/docs/license", text: "Licenses" },
  { href: "/docs/events", text: "Events" },
  { href: "/docs/codes", text: "Errors" },
]

export function Layout({
  title,
  description,
  path,
  navigation,
  appName,
  query,
  tryIt,
  children,
}: PropsWithChildren<LayoutProps>) {
  return (
    <HtmlDocument
      lang="en"
      title={path === "/docs" ? `${appName} documentation` : `${title} · ${appName} documentation`}
      description={description}
      isIndexable
      colorScheme="light dark"
      stylesheet={docsAssets.paths.css}
      head={
        <>
          <link rel="alternate" type="text/markdown" href={path === "/docs" ? "/llms.txt" : `${path}.md`} />
          <script src={docsAssets.paths.js} defer></script>
          {tryIt && (
            <script
              src={tryItAssets.paths.js}
              defer
              data-keys={JSON.stringify(tryIt.keys)}
              data-store={tryIt.storeOrigin}
            ></script>
          )}
        </>
      }
    >
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="/docs">
          <Logo />
          {appName} <span>docs</span>
        </a>
        <nav aria-label="Documentation">
          {HEADER_LINKS.map(({ href, text }) => (
            <a href={href} {...(href === path && { "aria-current": "page" })}>
              {text}
            </a>
          ))}
        </nav>
        <search>
          <form action="/docs/search" method="get">
            <input
              type="search"
              name="q"
              value={query ?? ""}
              placeholder="Search"
              aria-label="Search the documentation"
              autocomplete="off"
            />
            <kbd>/</kbd>
            <div id="results" hidden></div>
          </form>
        </search>
      </header>
      {navigation.length > 0 && (
        <details class="menu">
          <summary>Contents</summary>
          <Groups groups={navigation} />
        </details>
      )}
      <div class="columns">
        <nav class="side" aria-label="Contents">
          <Groups groups={navigation} />
        </nav>
        <main id="content">{children}</main>
      </div>
    </HtmlDocument>
  )
}

const Groups = ({ groups }: { groups: NavGroup[] }) => (
  <>
    {groups.map(({ title, links }) => (
      <>
        <h2>{title}</h2>
        <ul>
          {links.map(({ href, text, method }) => (
            <li>
              <a href={href}>
                {text}
                {method && <Method method={method} />}
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
  </>
)

/** A color-coded HTTP method. */
export const Method = ({ method }: { method: string }) => <span class={`method ${method}`}>{method}</span>

export const PageFooter = ({ markdown, children }: { markdown: string; children?: Child }) => (
  <footer class="foot">
    <a href={markdown}>View as Markdown</a>
    {children}
    <a href="/llms.txt">llms.txt</a>
  </footer>
)
