// The frame of every page: what it is, where it stands, where one can go from here, and what was just done.
import type { Context } from "hono"
import type { Child, PropsWithChildren } from "hono/jsx"
import { publicUrl, settingsOf } from "../../env"
import { SCRIPT_PATH, STYLE_PATH } from "../assets"
import type { FormState } from "../forms"
import { NAVIGATION } from "../navigation"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { Faults } from "./form"
import { Note } from "./parts"
import { useView, type View, ViewContext } from "./view"

type Crumb = [label: string, href: string]

interface Page {
  title: string
  /** What the page is below, from the overview on. */
  crumbs?: Crumb[]
  /** What stands beside the heading. */
  acts?: Child
  /** What was wrong with the form that is answered again. */
  state?: FormState
  status?: 200 | 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500
  children?: Child
}

const viewOf = (c: Context<ConsoleEnv>, state: FormState | null): View => {
  const session = c.var.session as ConsoleEnv["Variables"]["session"] | undefined
  const { operator } = session && !session.session.awaitsCode ? session : { operator: null }
  const url = new URL(c.req.url)
  return {
    app: settingsOf(c.env).APP_NAME,
    timeZone: operator?.timeZone ?? "UTC",
    theme: operator?.theme ?? "system",
    operator: operator && { name: operator.name, email: operator.email },
    mayWrite: operator?.role === "admin",
    now: new Date(),
    path: url.pathname,
    query: url.searchParams,
    state,
  }
}

/** A whole page of one who is signed in, answered. */
export function page(
  c: Context<ConsoleEnv>,
  { title, crumbs = [], acts, state, status = state?.status ?? 200, children }: Page,
): Response {
  const view = viewOf(c, state ?? null)
  return answer(c, view, status, title, <Shell {...{ title, crumbs, acts }}>{children}</Shell>)
}

/** A whole page in front of the sign-in, answered. */
export function gatePage(
  c: Context<ConsoleEnv>,
  { title, state, status = state?.status ?? 200, children }: Page,
): Response {
  const view = { ...viewOf(c, state ?? null), operator: null }
  return answer(
    c,
    view,
    status,
    title,
    <div class="gate">
      <main id="main">
        <p class="sub">{W.console(view.app)}</p>
        <h1>{title}</h1>
        {children}
      </main>
    </div>,
  )
}

function answer(c: Context<ConsoleEnv>, view: View, status: NonNullable<Page["status"]>, title: string, body: Child) {
  const document = (
    <ViewContext.Provider value={view}>
      <html lang="en" data-theme={view.theme === "system" ? undefined : view.theme}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>{`${title} · ${W.console(view.app)}`}</title>
          <link rel="stylesheet" href={STYLE_PATH} />
          <link rel="icon" href="data:," />
          <script type="module" src={SCRIPT_PATH} />
        </head>
        <body>{body}</body>
      </html>
    </ViewContext.Provider>
  )
  return c.html(`<!doctype html>${document}`, status) as unknown as Response
}

function Shell({ title, crumbs, acts, children }: PropsWithChildren<{ title: string; crumbs: Crumb[]; acts?: Child }>) {
  const { app, operator, path, query, mayWrite, state } = useView()
  const known = query.get("done")
  const said = known && Object.hasOwn(W.done, known) ? W.done[known as keyof typeof W.done] : null
  return (
    <>
      <a class="skip" href="#main">
        {W.common.skip}
      </a>
      <div class="shell">
        <aside class="side" aria-label={W.common.menu}>
          <a class="brand" href="/console">
            {W.console(app)}
          </a>
          <details>
            <summary>{W.common.menu}</summary>
            <nav aria-label={W.common.sections}>
              {NAVIGATION.map(({ group, links }) => (
                <>
                  <h2>{group}</h2>
                  <ul>
                    {links.map(([label, href]) => (
                      <li>
                        <a href={href} aria-current={isAt(path, href) ? "page" : undefined}>
                          {label}
                        </a>
                      </li>
                    ))}
                  </ul>
                </>
              ))}
            </nav>
          </details>
        </aside>
        <div>
          <header class="top">
            <search>
              <form method="get" action="/console/search">
                <label class="hidden" for="search">
                  {W.search.label}
                </label>
                <input
                  id="search"
                  name="q"
                  type="search"
                  placeholder={W.search.placeholder}
                  autocomplete="off"
                  maxlength={200}
                />
                <button type="submit" data-quiet>
                  {W.search.go}
                </button>
              </form>
            </search>
            <div class="who">
              {!mayWrite && <span class="badge">{W.common.viewer}</span>}
              <a href="/console/account">{operator?.name}</a>
              <form method="post" action="/console/logout">
                <button type="submit" data-quiet>
                  {W.login.out}
                </button>
              </form>
            </div>
          </header>
          <main id="main" tabindex={-1}>
            {path !== "/console" && (
              <nav class="crumbs" aria-label={W.common.crumbs}>
                <ol>
                  {[[W.overview.title, "/console"] as Crumb, ...crumbs].map(([label, href]) => (
                    <li>
                      <a href={href}>{label}</a>
                    </li>
                  ))}
                  <li aria-current="page">{title}</li>
                </ol>
              </nav>
            )}
            <div class="head">
              <h1>{title}</h1>
              {acts && <div class="acts">{acts}</div>}
            </div>
            {said && (
              <Note tone="good">
                <p role="status">{said}</p>
              </Note>
            )}
            <Faults state={state} />
            {children}
          </main>
        </div>
      </div>
    </>
  )
}

const isAt = (path: string, href: string): boolean =>
  href === "/console" ? path === href : path === href || path.startsWith(`${href}/`)

/** The console's own origin, as the world sees it. */
export const consoleOrigin = (c: Context<ConsoleEnv>): string => {
  const settings = settingsOf(c.env)
  return publicUrl(settings, settings.CENTRAL_DOMAIN)
}
