// Renders a whole admin page: document, navigation, breadcrumb, heading and notices.
import type { Context } from "hono"
import type { Child, PropsWithChildren } from "hono/jsx"
import { roleOf } from "../content/accounts/staff-sessions"
import { hasRole } from "../content/staff/rules"
import { Logo } from "../core/html/brand"
import { HtmlDocument } from "../core/html/document"
import { Sentence } from "../core/html/moment"
import { fullName } from "../lib/full-name"
import { FormErrors } from "../page-kit/form"
import type { FormState } from "../page-kit/form-state"
import { Note, Time } from "../page-kit/parts"
import { ViewContext } from "../page-kit/view"
import { adminAssets } from "./assets"
import { listNavigation } from "./navigation"
import { ACCOUNT, ADMIN, LOGOUT_PATH } from "./paths"
import type { AdminEnv, Closure } from "./types"
import { type AdminView, AdminViewContext, createView, useAdminView } from "./view"

type Crumb = [label: string, href: string]

interface PageProps {
  title: string
  /** The breadcrumb between the start page and this page. */
  crumbs?: Crumb[]
  /** Buttons and links next to the heading. */
  actions?: Child
  /** State of a refused form that is shown again. */
  state?: FormState
  status?: 200 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503
  /** Seconds until the page reloads itself. */
  refresh?: number
  children?: Child
}

/** Renders a page for a member of the staff who is signed in. */
export function page(c: Context<AdminEnv>, props: PageProps): Response | Promise<Response> {
  const { title, crumbs = [], actions = null, children } = props
  return render(c, props, <Shell {...{ title, crumbs, actions }}>{children}</Shell>)
}

/** Renders a page without navigation, for visitors who are not signed in. */
export function publicPage(c: Context<AdminEnv>, props: PageProps): Response | Promise<Response> {
  const { title, children } = props
  return render(
    c,
    props,
    <div class="gate">
      <main id="main">
        <Brand />
        <Closed />
        <h1>{title}</h1>
        {children}
      </main>
    </div>,
  )
}

/** Renders a document to print, without navigation. */
export function printPage(c: Context<AdminEnv>, props: PageProps): Response | Promise<Response> {
  return render(
    c,
    props,
    <main id="main" class="print">
      {props.children}
    </main>,
  )
}

function render(
  c: Context<AdminEnv>,
  { title, state, status = state?.status ?? 200, refresh }: PageProps,
  body: Child,
) {
  const view: AdminView = createView(c, state ?? null)
  const document = (
    <AdminViewContext.Provider value={view}>
      <ViewContext.Provider value={view}>
        <HtmlDocument
          lang={view.language}
          title={`${title} · ${view.shopName}`}
          stylesheet={adminAssets.paths.css}
          refresh={refresh}
          head={<script type="module" src={adminAssets.paths.js} />}
        >
          {body}
        </HtmlDocument>
      </ViewContext.Provider>
    </AdminViewContext.Provider>
  )
  return c.html(document.toString(), status)
}

function Brand() {
  const { shopName } = useAdminView()
  return (
    <a class="brand" href={ADMIN}>
      <Logo />
      {shopName}
    </a>
  )
}

/** Says that the shop is closed, since when and why, and what to do. */
function Closed() {
  const { t, isClosed, closure, platform, session } = useAdminView()
  if (!isClosed) return null
  const isOwner = session !== null && roleOf(session) === "owner"
  const isByPlatform = closure?.operatorSuspendedAt != null
  return (
    <Note tone="bad">
      <p role="status">
        {closure ? <ClosureText closure={closure} /> : t.closed.unpaid}{" "}
        {isByPlatform ? t.closed.platform_action(platform) : t.closed.unpaid_action}{" "}
        {isOwner && <a href="/billing">{t.closed.to_billing}</a>}
      </p>
    </Note>
  )
}

/** Says why and since when the shop is closed, and when its data is deleted. */
function ClosureText({ closure }: { closure: Closure }) {
  const { t, platform } = useAdminView()
  const { closed, closed_reasons: reasons } = t
  const { operatorSuspendedAt, suspensionReason, cancelledAt, suspendedAt, purgedAt } = closure
  const dated = (text: (date: string) => string, at: Date) => (
    <Sentence of={text}>
      <Time at={at} isExact />
    </Sentence>
  )
  if (operatorSuspendedAt)
    return (
      <>
        {dated((date) => closed.by_platform(platform, date), operatorSuspendedAt)}
        {suspensionReason && ` ${reasons.said(suspensionReason)}`}
      </>
    )
  const since = cancelledAt ?? suspendedAt
  return (
    <>
      {since ? dated(cancelledAt ? reasons.cancelled : reasons.unpaid, since) : closed.unpaid}{" "}
      {purgedAt && dated(reasons.purged, purgedAt)}
    </>
  )
}

function Shell({
  title,
  crumbs,
  actions,
  children,
}: PropsWithChildren<{ title: string; crumbs: Crumb[]; actions: Child }>) {
  const { t, session, path, query, state, apps } = useAdminView()
  const done = query.get("done") ?? ""
  const notice = Object.hasOwn(t.notices, done) ? t.notices[done] : undefined
  const groups = session ? listNavigation(t, apps, (role) => hasRole(session.user, role)) : []
  return (
    <>
      <a class="skip" href="#main">
        {t.common.skip}
      </a>
      <div class="shell">
        <aside class="side" aria-label={t.common.menu}>
          <Brand />
          <details>
            <summary>{t.common.menu}</summary>
            <nav aria-label={t.common.navigation}>
              {groups.map(({ group, links }) => (
                <>
                  <h2>{group}</h2>
                  <ul>
                    {links.map(([label, href]) => (
                      <li>
                        <a href={href} aria-current={isCurrent(path, href) ? "page" : undefined}>
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
            <a href="/">{t.common.view_shop}</a>
            <div class="who">
              {session && <span class="badge">{t.roles[roleOf(session)]}</span>}
              {session && <a href={ACCOUNT}>{fullName(session.user)}</a>}
              <form method="post" action={LOGOUT_PATH}>
                <button type="submit" data-quiet>
                  {t.common.sign_out}
                </button>
              </form>
            </div>
          </header>
          <main id="main" tabindex={-1}>
            <Closed />
            {path !== ADMIN && (
              <nav class="crumbs" aria-label={t.common.breadcrumb}>
                <ol>
                  {[[t.nav.home, ADMIN] as Crumb, ...crumbs].map(([label, href]) => (
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
              {actions && (
                <div class="acts" id="actions">
                  {actions}
                </div>
              )}
            </div>
            {notice && (
              <Note tone={done === "form_restored" ? "warn" : "good"}>
                <p role="status">{notice}</p>
              </Note>
            )}
            <FormErrors state={state} />
            {children}
          </main>
        </div>
      </div>
    </>
  )
}

const isCurrent = (path: string, href: string): boolean =>
  href === ADMIN ? path === href : path === href || path.startsWith(`${href}/`)
