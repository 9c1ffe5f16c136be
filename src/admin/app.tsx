// Routes the admin, /admin on each store's host: the pages in which a shop's staff run it.
import type { Context } from "hono"
import { MAX_IMPORT_LENGTH } from "../apps/ecommerce/products/import"
import { respondErrorPage } from "../core/html/error-page"
import { isMultipart } from "../core/http/body"
import { hostOf } from "../core/http/host"
import type { RefusalOf } from "../core/http/refusal"
import { mount } from "../core/http/router"
import { createSurface } from "../core/http/surface"
import { restoreForm } from "../page-kit/restored-forms"
import { createFormCheck } from "./access"
import { ADMIN_CODES, type AdminCode, getPlanLink, getRefusalMessage } from "./forms"
import {
  getDraftOwner,
  limitSignIns,
  loadClosure,
  loadSession,
  loadStore,
  parseForm,
  refuseWritesOfClosedStore,
  requireSameOrigin,
  requireSession,
  runOnce,
  serveAssets,
  setPageHeaders,
} from "./gate"
import { page, publicPage } from "./page"
import { account, security } from "./pages/account"
import { activity } from "./pages/activity"
import { appearance } from "./pages/appearance"
import { apps } from "./pages/apps"
import { categories } from "./pages/categories"
import { close } from "./pages/close"
import { customers } from "./pages/customers"
import { domains } from "./pages/domains"
import { downloadByLink, exports } from "./pages/export"
import { galleries } from "./pages/galleries"
import { home } from "./pages/home"
import { arrive, logout, showCode, showLogin, submitCode, submitLogin, submitPasskey } from "./pages/login"
import { media } from "./pages/media"
import { mediaItems } from "./pages/media-items"
import { messages } from "./pages/messages"
import { notifications } from "./pages/notifications"
import { orders } from "./pages/orders"
import { pageRevisions, pages } from "./pages/pages"
import { postRevisions, posts } from "./pages/posts"
import { productFiles } from "./pages/product-files"
import { products } from "./pages/products"
import { reviews } from "./pages/reviews"
import { settings } from "./pages/settings"
import { staff } from "./pages/staff"
import { tags } from "./pages/tags"
import { webhooks } from "./pages/webhooks"
import { ADMIN, ARRIVAL_PATH, EXPORT_DOWNLOAD, LOGIN_CODE_PATH, LOGIN_PASSKEY_PATH, LOGIN_PATH } from "./paths"
import type { AdminEnv } from "./types"

const MAX_SIGN_IN_FORM_BYTES = 20_000

/** The longest text is an import, and each of its characters takes up to nine bytes in a form. */
const MAX_FORM_BYTES = 9 * MAX_IMPORT_LENGTH + 20_000

/** Without a session, only the sign-in pages read a body. Upload routes enforce their own limits while reading. */
function getMaxBodyBytes(c: Context<AdminEnv>): number | null {
  if (isMultipart(c)) return null
  if (c.var.session) return MAX_FORM_BYTES
  return c.req.path === LOGIN_PATH || c.req.path.startsWith(`${LOGIN_PATH}/`) ? MAX_SIGN_IN_FORM_BYTES : null
}

const app = createSurface<AdminEnv, AdminCode>({
  name: "admin",
  logFields: (c) => ({ site: c.var.ctx?.site.id }),
  gate: [
    setPageHeaders,
    serveAssets,
    loadStore,
    requireSameOrigin,
    loadSession,
    loadClosure,
    (c, next) => {
      c.set("mayPost", mayPost)
      return next()
    },
  ],
  maxBody: getMaxBodyBytes,
  codes: ADMIN_CODES,
  refuse: renderRefusal,
})

app.use(`${LOGIN_PATH}/*`, limitSignIns, parseForm)
app.get(LOGIN_PATH, showLogin)
app.post(LOGIN_PATH, submitLogin)
app.get(LOGIN_CODE_PATH, showCode)
app.post(LOGIN_CODE_PATH, submitCode)
app.post(LOGIN_PASSKEY_PATH, submitPasskey)
// lint: a single-use link signs in
app.get(ARRIVAL_PATH, arrive)
app.get(EXPORT_DOWNLOAD, downloadByLink)
app.use(
  requireSession,
  refuseWritesOfClosedStore,
  restoreForm<AdminEnv>({
    home: ADMIN,
    fetch: (request, env, execution) => app.fetch(request, env, execution),
    getCtx: (c) => c.var.ctx,
    getOwner: getDraftOwner,
    renderExpired,
  }),
  parseForm,
  runOnce,
)
mount(app, [
  logout,
  home,
  products,
  productFiles,
  orders,
  customers,
  reviews,
  messages,
  notifications,
  appearance,
  domains,
  apps,
  webhooks,
  posts,
  postRevisions,
  pages,
  pageRevisions,
  categories,
  tags,
  galleries,
  media,
  mediaItems,
  settings,
  staff,
  activity,
  exports,
  close,
  account,
  security,
])

const mayPost = createFormCheck(app)

function renderExpired(c: Context<AdminEnv>) {
  const { errors, common } = c.var.strings
  return page(c, {
    title: errors.draft_expired,
    status: 404,
    children: (
      <>
        <p>{errors.draft_expired_body}</p>
        <p>
          <a href={ADMIN}>{common.home}</a>
        </p>
      </>
    ),
  })
}

type AdminRefusal = RefusalOf<AdminCode>

/** Seconds after which the page of a shop that is being set up reloads itself. */
const PREPARING_REFRESH_SECONDS = 3

function renderRefusal(c: Context<AdminEnv>, refusal: AdminRefusal) {
  // Before the store is known there is no page to render.
  if (!c.var.ctx) {
    const { errors } = c.var.strings ?? {}
    if (refusal.code !== "store_unavailable" || !errors) return respondErrorPage(c, toStatus(refusal))
    return respondErrorPage(c, 503, {
      text: `${errors.preparing}. ${errors.preparing_body}`,
      headers: { Refresh: String(PREPARING_REFRESH_SECONDS) },
    })
  }
  const { title, body } = describeRefusal(c, refusal)
  const link = getPlanLink(c, refusal)
  const render = c.var.session ? page : publicPage
  return render(c, {
    title,
    status: toStatus(refusal),
    children: (
      <>
        <p>
          {body} {link && <a href={link.href}>{link.label}</a>}
        </p>
        <p>
          <a href={ADMIN}>{c.var.strings.common.home}</a>
        </p>
      </>
    ),
  })
}

type Status = NonNullable<Parameters<typeof page>[1]["status"]>

const toStatus = (refusal: AdminRefusal): Status =>
  (refusal.code === "http_error" ? refusal.facts.status : STATUSES[refusal.code]) ?? 422

/** The statuses of pages that show a refusal; others are 422. */
const STATUSES: { [Code in AdminCode]?: Status } = {
  unauthenticated: 401,
  forbidden: 403,
  not_entitled: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  rate_limited: 429,
  server_error: 500,
  provider_unreachable: 502,
  store_unavailable: 503,
  temporarily_unavailable: 503,
}

function describeRefusal(c: Context<AdminEnv>, refusal: AdminRefusal): { title: string; body: string } {
  const { errors, closed } = c.var.strings
  // lint: every other refusal is shown with its message
  switch (refusal.code) {
    case "not_found":
      return { title: errors.not_found, body: errors.not_found_body }
    case "forbidden":
      return { title: errors.forbidden, body: errors.forbidden_body }
    case "store_unavailable":
      return { title: errors.refused, body: closed.read_only }
    case "server_error":
      return { title: errors.failed, body: errors.failed_body(c.var.requestId) }
    case "temporarily_unavailable":
      return { title: errors.unavailable, body: errors.unavailable_body }
    default:
      return { title: errors.refused, body: getRefusalMessage(c, refusal) }
  }
}

/** Serves the admin on stores' hosts; the central host responds 404. */
export const admin = {
  /** Tests derive the list of all pages and forms from this, so new ones are covered automatically. */
  routes: app.routes,

  fetch(request: Request, env: AdminEnv["Bindings"], execution: ExecutionContext): Response | Promise<Response> {
    if (hostOf(env, request.url).kind === "central") return new Response("Not found.\n", { status: 404 })
    return app.fetch(request, env, execution)
  },
}
