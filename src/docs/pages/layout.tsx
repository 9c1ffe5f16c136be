// The frame around every page of the documentation.
import { raw } from "hono/html"
import type { Child, PropsWithChildren } from "hono/jsx"
import type { Assets } from "../assets/assets"

interface NavLink {
  href: string
  text: string
  verb?: string
}

export interface NavGroup {
  title: string
  links: NavLink[]
}

export interface Frame {
  title: string
  description: string
  /** The path of this page. */
  path: string
  side: NavGroup[]
  assets: Assets
  appName: string
  /** What was searched for. */
  query?: string
}

const TOP: NavLink[] = [
  { href: "/docs", text: "Start" },
  { href: "/docs/platform", text: "Control plane" },
  { href: "/docs/content", text: "Content" },
  { href: "/docs/license", text: "Licenses" },
  { href: "/docs/events", text: "Events" },
  { href: "/docs/codes", text: "Errors" },
]

export function Layout({ title, description, path, side, assets, appName, query, children }: PropsWithChildren<Frame>) {
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>{path === "/docs" ? `${appName} documentation` : `${title} · ${appName} documentation`}</title>
          <meta name="description" content={description} />
          <meta name="color-scheme" content="light dark" />
          <link rel="icon" href={ICON} />
          <link rel="stylesheet" href={`/docs/assets/${assets.style}`} />
          <link rel="alternate" type="text/markdown" href={path === "/docs" ? "/llms.txt" : `${path}.md`} />
          <script src={`/docs/assets/${assets.script}`} defer></script>
        </head>
        <body>
          <a class="skip" href="#content">
            Skip to the content
          </a>
          <header class="top">
            <a class="brand" href="/docs">
              <Mark />
              {appName} <span>docs</span>
            </a>
            <nav aria-label="Documentation">
              {TOP.map(({ href, text }) => (
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
          {side.length > 0 && (
            <details class="menu">
              <summary>Contents</summary>
              <Groups groups={side} />
            </details>
          )}
          <div class="frame">
            <nav class="side" aria-label="Contents">
              <Groups groups={side} />
            </nav>
            <main id="content">{children}</main>
          </div>
        </body>
      </html>
    </>
  )
}

const Groups = ({ groups }: { groups: NavGroup[] }) => (
  <>
    {groups.map(({ title, links }) => (
      <>
        <h2>{title}</h2>
        <ul>
          {links.map(({ href, text, verb }) => (
            <li>
              <a href={href}>
                {text}
                {verb && <Verb verb={verb} />}
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
  </>
)

/** A verb of HTTP, in its colour. */
export const Verb = ({ verb }: { verb: string }) => <span class={`verb ${verb}`}>{verb}</span>

/** The line under every page. */
export const Foot = ({ markdown, children }: { markdown: string; children?: Child }) => (
  <footer class="foot">
    <a href={markdown}>This page as Markdown</a>
    {children}
    <a href="/llms.txt">For language models</a>
  </footer>
)

const Mark = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0b5fd0" />
    <path d="M8 10h16M16 10v13M11 16v7M21 16v7" stroke="#fff" stroke-width="3" stroke-linecap="round" fill="none" />
  </svg>
)

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230b5fd0'/%3E%3Cpath d='M8 10h16M16 10v13M11 16v7M21 16v7' stroke='%23fff' stroke-width='3' stroke-linecap='round' fill='none'/%3E%3C/svg%3E"
