// Renders a whole console page: document, navigation, breadcrumb, heading and notices.

import type { Context } from "hono"
import type { Child, PropsWithChildren } from "hono/jsx"
import { Logo } from "../../core/html/brand"
import { HtmlDocument } from "../../core/html/document"
import { settingsOf } from "../../env"
import { currentTime } from "../../lib/clock"
import { ActionButton } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Note } from "../../page-kit/parts"
import { type Crumb, Shell as PageShell } from "../../page-kit/shell"
import { ViewContext } from "../../page-kit/view"
import { consoleAssets } from "../assets"
import { NAVIGATION } from "../navigation"
import { findNotice } from "../notices"
import { SEARCH, storeInPath } from "../paths"
import { KIT_STRINGS, W } from "../strings"
import type { ConsoleEnv } from "../types"
import { type ConsoleView, ConsoleViewContext, useConsoleView } from "./view"

interface PageProps {
  title: string
  /** The breadcrumb between the overview and this page. */
  crumbs?: Crumb[]
  /** Buttons and links next to the heading. */
  actions?: Child
  /** State of a refused form that is shown again. */
  state?: FormState
  status?: 200 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  children?: Child
}

const createView = (c: Context<ConsoleEnv>, state: FormState | null): ConsoleView => {
  const { session } = c.var
  const { operator } = session && !session.session.awaitsCode ? session : { operator: null }
  const url = new URL(c.req.url)
  return {
    app: settingsOf(c.env).APP_NAME,
    strings: KIT_STRINGS,
    locale: "en",
    timeZone: operator?.timeZone ?? "UTC",
    theme: operator?.theme ?? "system",
    usesSingleKeys: operator?.usesSingleKeys ?? true,
    operator: operator && { name: operator.name, email: operator.email, role: operator.role },
    canPost: (action) => operator !== null && c.var.getFormPermission(operator.role, action).isAllowed,
    isConfirmed: (action) => operator !== null && c.var.getFormPermission(operator.role, action).isConfirmed,
    now: currentTime(),
    // A form with files carries the time of its page, because the gate that compares it does not read the files.
    getUploadAction: (action) => (storeInPath(action) ? `${action}?shown_at=${currentTime().getTime()}` : action),
    path: url.pathname,
    query: url.searchParams,
    views: session?.views ?? [],
    state,
  }
}

/** Renders a page for a signed-in operator. */
export function page(
  c: Context<ConsoleEnv>,
  { title, crumbs = [], actions = null, state, status = state?.status ?? 200, children }: PageProps,
): Response | Promise<Response> {
  const view = createView(c, state ?? null)
  return renderDocument(c, view, status, title, <Shell {...{ title, crumbs, actions }}>{children}</Shell>)
}

/** Renders a page without navigation, for visitors who are not signed in. */
export function publicPage(
  c: Context<ConsoleEnv>,
  { title, state, status = state?.status ?? 200, children }: PageProps,
): Response | Promise<Response> {
  const view = { ...createView(c, state ?? null), operator: null }
  return renderDocument(
    c,
    view,
    status,
    title,
    <div class="gate">
      <main id="main">
        <p class="brand">
          <Logo />
          {W.console(view.app)}
        </p>
        <h1>{title}</h1>
        {children}
      </main>
    </div>,
  )
}

function renderDocument(
  c: Context<ConsoleEnv>,
  view: ConsoleView,
  status: NonNullable<PageProps["status"]>,
  title: string,
  body: Child,
) {
  const document = (
    <ConsoleViewContext.Provider value={view}>
      <ViewContext.Provider value={view}>
        <HtmlDocument
          lang="en"
          theme={view.theme === "system" ? undefined : view.theme}
          title={`${title} · ${W.console(view.app)}`}
          stylesheet={consoleAssets.paths.css}
          head={<script type="module" src={consoleAssets.paths.js} />}
        >
          {body}
        </HtmlDocument>
      </ViewContext.Provider>
    </ConsoleViewContext.Provider>
  )
  return c.html(document.toString(), status)
}

function Shell({
  title,
  crumbs,
  actions,
  children,
}: PropsWithChildren<{ title: string; crumbs: Crumb[]; actions: Child }>) {
  const { app, path, query } = useConsoleView()
  const notice = findNotice(path, query)
  return (
    <PageShell
      {...{ title, crumbs, actions }}
      brand={
        <a class="brand" href="/console">
          <Logo />
          {W.console(app)}
        </a>
      }
      home={[W.overview.title, "/console"]}
      groups={NAVIGATION}
      top={<TopBar />}
      notice={
        notice && (
          <Note tone={notice.tone}>
            <p role="status">{notice.text}</p>
            {notice.undo && (
              <ActionButton action={notice.undo.action} hidden={notice.undo.fields} label={W.common.undo} />
            )}
          </Note>
        )
      }
      labels={W.common}
    >
      {children}
    </PageShell>
  )
}

/** The search of the platform, and the operator. */
function TopBar() {
  const { operator, usesSingleKeys, path, query } = useConsoleView()
  return (
    <>
      <search>
        <form method="get" action={SEARCH}>
          <label class="hidden" for="search">
            {W.search.label}
          </label>
          <input
            id="search"
            data-single-keys={usesSingleKeys || undefined}
            name="q"
            type="search"
            value={path === SEARCH ? (query.get("q") ?? "") : undefined}
            placeholder={W.search.placeholder}
            autocomplete="off"
            maxlength={200}
          />
          <button type="submit" data-quiet>
            {W.search.submit}
          </button>
        </form>
      </search>
      <div class="who">
        {operator && operator.role !== "admin" && <span class="badge">{W.operators.roles[operator.role]}</span>}
        <a href="/console/account">{operator?.name}</a>
        <form method="post" action="/console/logout">
          <button type="submit" data-quiet>
            {W.login.sign_out}
          </button>
        </form>
      </div>
    </>
  )
}
