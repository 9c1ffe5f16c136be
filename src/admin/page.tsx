// Renders a whole admin page: document, navigation, breadcrumb, heading and notices.
import type { Context } from "hono"
import type { Child, PropsWithChildren } from "hono/jsx"
import { roleOf } from "../content/accounts/staff-sessions"
import { hasRole } from "../content/staff/rules"
import { Logo } from "../core/html/brand"
import { HtmlDocument } from "../core/html/document"
import { Sentence } from "../core/html/moment"
import { fullName } from "../lib/full-name"
import type { FormState } from "../page-kit/form-state"
import { Note, Time } from "../page-kit/parts"
import { type Crumb, Shell as PageShell } from "../page-kit/shell"
import { ViewContext } from "../page-kit/view"
import { adminAssets } from "./assets"
import { findNotice } from "./forms"
import { listNavigation } from "./navigation"
import { ACCOUNT, ADMIN, LOGOUT_PATH } from "./paths"
import type { AdminEnv, Closure } from "./types"
import { type AdminView, AdminViewContext, createView, useAdminView } from "./view"

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

/** Shows that the shop is closed, since when and why, and what to do. */
function Closed() {
  const { t, isClosed, closure, platform, session } = useAdminView()
  if (!isClosed) return null
  // The reason is only known to members.
  if (!closure && !session)
    return (
      <Note tone="bad">
        <p role="status">{t.closed.signed_out}</p>
      </Note>
    )
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

/** Ends a text that an operator wrote with a period, unless it has one or another mark. More sentences follow it. */
const endSentence = (text: string): string => (/[.!?…]["'”’»)]*$/.test(text) ? text : `${text}.`)

/** Shows why and since when the shop is closed, and when its data is deleted. */
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
        {suspensionReason && ` ${reasons.said(endSentence(suspensionReason))}`}{" "}
        {purgedAt && dated(reasons.purged, purgedAt)}
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
  const { t, session, query, apps } = useAdminView()
  const notice = findNotice(t, query)
  return (
    <PageShell
      {...{ title, crumbs, actions }}
      brand={<Brand />}
      home={[t.nav.home, ADMIN]}
      groups={session ? listNavigation(t, apps, (role) => hasRole(session.user, role)) : []}
      top={
        <>
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
        </>
      }
      banner={<Closed />}
      notice={
        notice && (
          <Note tone={notice.key === "form_restored" ? "warn" : "good"}>
            <p role="status">{notice.text}</p>
          </Note>
        )
      }
      labels={t.common}
    >
      {children}
    </PageShell>
  )
}
