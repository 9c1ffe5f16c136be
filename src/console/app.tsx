// Routes the operator console, /console on the central host.
import type { Context, MiddlewareHandler } from "hono"
import { isMultipart } from "../core/http/body"
import { hostOf } from "../core/http/host"
import type { HttpErrorStatus, RefusalOf } from "../core/http/refusal"
import { mount } from "../core/http/router"
import { createSurface } from "../core/http/surface"
import { assertDeclared, createFormPermissions } from "./form-access"
import { CONSOLE_CODES, type ConsolePageCode, getRefusalMessage } from "./forms"
import {
  isSignedIn,
  limitSignIns,
  loadSession,
  parseForm,
  requireSameOrigin,
  requireSession,
  serveAssets,
  setPageHeaders,
} from "./gate"
import { page, publicPage } from "./kit/page"
import { account } from "./pages/account"
import { activations } from "./pages/activations"
import { audit } from "./pages/audit"
import { billing } from "./pages/billing"
import { billingExports } from "./pages/billing-exports"
import { contentActions } from "./pages/content-actions"
import { coupons } from "./pages/coupons"
import { deliveries } from "./pages/deliveries"
import { dns } from "./pages/dns"
import { domains } from "./pages/domains"
import { exportPages } from "./pages/exports"
import { incidents } from "./pages/incidents"
import { invitation } from "./pages/invitation"
import { invoices } from "./pages/invoices"
import { keys } from "./pages/keys"
import { lateDeliveries } from "./pages/late-deliveries"
import { licenseKeys } from "./pages/license-keys"
import { licenseSettings } from "./pages/license-settings"
import { licenses } from "./pages/licenses"
import { login } from "./pages/login"
import { media } from "./pages/media"
import { notifications } from "./pages/notifications"
import { operators } from "./pages/operators"
import { overview } from "./pages/overview"
import { plans } from "./pages/plans"
import { products } from "./pages/products"
import { search } from "./pages/search"
import { shopGalleries } from "./pages/shop/galleries"
import { shopMessages } from "./pages/shop/messages"
import { shopOrders } from "./pages/shop/orders"
import { shopProducts } from "./pages/shop/products"
import { shopReviews } from "./pages/shop/reviews"
import { siteUsers } from "./pages/shop/users"
import { sites } from "./pages/sites"
import { storeActions } from "./pages/store/confirmed-actions"
import { store } from "./pages/store/routes"
import { stores } from "./pages/stores"
import { support } from "./pages/support"
import { system } from "./pages/system"
import { tail } from "./pages/tail"
import { tax } from "./pages/tax"
import { theme } from "./pages/theme"
import { versions } from "./pages/versions"
import { views } from "./pages/views"
import { webhooks } from "./pages/webhooks"
import { INVITATION_PATH, LOGIN_PATH } from "./paths"
import { restoreForm } from "./restored-forms"
import { W } from "./strings"
import type { ConsoleEnv } from "./types"

const MAX_FORM_BYTES = 1_000_000

/** For sign-in forms, which anonymous clients send. */
const MAX_SIGN_IN_FORM_BYTES = 10_000

/** Without a session, only the sign-in pages read a body. Upload routes enforce their own limits while reading. */
function getMaxBodyBytes(c: Context<ConsoleEnv>): number | null {
  if (isMultipart(c)) return null
  if (isSignedIn(c)) return MAX_FORM_BYTES
  return c.req.path.startsWith(LOGIN_PATH) || c.req.path === INVITATION_PATH ? MAX_SIGN_IN_FORM_BYTES : null
}

const provideFormPermissions: MiddlewareHandler<ConsoleEnv> = (c, next) => {
  c.set("getFormPermission", getFormPermission)
  return next()
}

const app = createSurface<ConsoleEnv, ConsolePageCode>({
  name: "console",
  logFields: (c) => ({ operator: c.var.session?.operator.id }),
  gate: [setPageHeaders, serveAssets, requireSameOrigin, loadSession, provideFormPermissions],
  maxBody: getMaxBodyBytes,
  codes: CONSOLE_CODES,
  refuse: renderRefusal,
})

app.use(`${LOGIN_PATH}/*`, limitSignIns, parseForm)
app.route("/", login)
app.use(`${INVITATION_PATH}/*`, limitSignIns, parseForm)
app.route("/", invitation)
app.use(
  requireSession,
  restoreForm((request, env, execution) => app.fetch(request, env, execution)),
  parseForm,
)
const pages = [
  overview,
  stores,
  store,
  storeActions,
  theme,
  dns,
  support,
  webhooks,
  tail,
  deliveries,
  coupons,
  plans,
  billing,
  billingExports,
  exportPages,
  invoices,
  tax,
  domains,
  media,
  notifications,
  shopProducts,
  shopOrders,
  shopGalleries,
  shopMessages,
  shopReviews,
  siteUsers,
  sites,
  contentActions,
  products,
  licenses,
  activations,
  licenseKeys,
  licenseSettings,
  versions,
  search,
  system,
  lateDeliveries,
  incidents,
  keys,
  operators,
  account,
  views,
  audit,
]
pages.forEach(assertDeclared)
mount(app, pages)

const getFormPermission = createFormPermissions(app)

type ConsoleRefusal = RefusalOf<ConsolePageCode>

const HTTP_ERRORS = {
  400: { title: W.errors.incomplete, status: 400, body: W.errors.incomplete_body },
  413: { title: W.errors.too_large, status: 413, body: W.errors.too_large_body },
  415: { title: W.errors.unsupported, status: 415, body: W.errors.unsupported_body },
} as const satisfies Record<HttpErrorStatus, object>

function renderRefusal(c: Context<ConsoleEnv>, refusal: ConsoleRefusal) {
  const { title, status, body } = describeRefusal(refusal, c.var.requestId)
  const render = isSignedIn(c) ? page : publicPage
  return render(c, {
    title,
    status,
    children: (
      <>
        <p>{body}</p>
        <p>
          <a href="/console">{W.errors.home}</a>
        </p>
      </>
    ),
  })
}

function describeRefusal(refusal: ConsoleRefusal, requestId: string) {
  const { errors } = W
  // lint: every other refusal is shown with its message
  switch (refusal.code) {
    case "not_found":
      return { title: errors.not_found, status: 404, body: errors.not_found_body } as const
    case "forbidden":
      return { title: errors.forbidden, status: 403, body: errors.forbidden_body } as const
    case "unauthenticated":
      return { title: errors.signed_out, status: 401, body: errors.signed_out_body } as const
    case "http_error":
      return HTTP_ERRORS[refusal.facts.status]
    case "server_error":
      return { title: errors.server_error, status: 500, body: errors.server_error_body(requestId) } as const
    case "temporarily_unavailable":
      return { title: errors.unavailable, status: 503, body: errors.unavailable_body } as const
    case "method_not_allowed":
      return { title: errors.refused, status: 405, body: getRefusalMessage(refusal) } as const
    case "idempotency_in_progress":
      return { title: errors.refused, status: 409, body: getRefusalMessage(refusal) } as const
    case "rate_limited":
      return { title: errors.refused, status: 429, body: getRefusalMessage(refusal) } as const
    default:
      return { title: errors.refused, status: 422, body: getRefusalMessage(refusal) } as const
  }
}

/** Serves the console on the central host; other hosts respond 404. */
export const console = {
  /** Tests derive the list of all pages and forms from this, so new ones are covered automatically. */
  routes: app.routes,

  fetch(request: Request, env: ConsoleEnv["Bindings"], execution: ExecutionContext): Response | Promise<Response> {
    if (hostOf(env, request.url).kind !== "central") return new Response("Not found.\n", { status: 404 })
    return app.fetch(request, env, execution)
  },
}
