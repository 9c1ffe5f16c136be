// The operator console, /console on the central host: the gate in front, a file of pages a noun behind it, or a folder.
import type { Context } from "hono"
import { isMultipart } from "../core/http/body"
import { hostOf } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { createSurface } from "../core/http/surface"
import { wordsOf } from "./forms"
import { assets, frame, isSignedIn, limitSignIns, parseForm, role, sameOrigin, signedIn, visitor } from "./gate"
import { gatePage, page } from "./kit/page"
import { account } from "./pages/account"
import { activations } from "./pages/activations"
import { audit } from "./pages/audit"
import { billing } from "./pages/billing"
import { coupons } from "./pages/coupons"
import { deliveries } from "./pages/deliveries"
import { dns } from "./pages/dns"
import { domains } from "./pages/domains"
import { keys } from "./pages/keys"
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
import { sites } from "./pages/sites"
import { store } from "./pages/store/routes"
import { stores } from "./pages/stores"
import { support } from "./pages/support"
import { system } from "./pages/system"
import { tail } from "./pages/tail"
import { theme } from "./pages/theme"
import { versions } from "./pages/versions"
import { webhooks } from "./pages/webhooks"
import { assertDeclared } from "./reauthentication"
import { W } from "./strings"
import type { ConsoleEnv } from "./types"

const MAX_FORM = 1_000_000

/** Bytes of a form that is sent to sign in. */
const MAX_SIGN_IN_FORM = 10_000

const SIGN_IN = "/console/login"

/** Without a session only the sign-in pages read a body. Routes limit uploads as they read them. */
function maxBody(c: Context<ConsoleEnv>): number | null {
  if (isMultipart(c)) return null
  if (isSignedIn(c)) return MAX_FORM
  return c.req.path.startsWith(SIGN_IN) ? MAX_SIGN_IN_FORM : null
}

const app = createSurface<ConsoleEnv>({
  name: "console",
  facts: (c) => ({ operator: c.var.session?.operator.id }),
  gate: [frame, assets, sameOrigin, visitor],
  maxBody,
  refuse: answerRefusal,
})

app.use(`${SIGN_IN}/*`, limitSignIns, parseForm)
app.route("/", login)
app.use(signedIn, role, parseForm)
for (const pages of [
  overview,
  stores,
  store,
  theme,
  dns,
  support,
  webhooks,
  tail,
  deliveries,
  coupons,
  plans,
  billing,
  domains,
  media,
  notifications,
  sites,
  products,
  licenses,
  activations,
  licenseKeys,
  licenseSettings,
  versions,
  search,
  system,
  keys,
  operators,
  account,
  audit,
]) {
  assertDeclared(pages)
  app.route("/", pages)
}

function answerRefusal(c: Context<ConsoleEnv>, refusal: Refusal): Response {
  const { title, status, body } = described(refusal, c.var.requestId)
  const whole = isSignedIn(c) ? page : gatePage
  return whole(c, {
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

function described({ code, facts }: Refusal, requestId: string) {
  if (code === "not_found") return { title: W.errors.not_found, status: 404, body: W.errors.not_found_body } as const
  if (code === "forbidden") return { title: W.errors.forbidden, status: 403, body: W.errors.forbidden_body } as const
  if (code === "unauthenticated")
    return { title: W.errors.signed_out, status: 401, body: W.errors.signed_out_body } as const
  if (code === "http_error" && facts.status === 415) {
    return { title: W.errors.unsupported, status: 415, body: W.errors.unsupported_body } as const
  }
  if (code === "http_error" && facts.status === 400) {
    return { title: W.errors.incomplete, status: 400, body: W.errors.incomplete_body } as const
  }
  if (code === "http_error") return { title: W.errors.too_large, status: 413, body: W.errors.too_large_body } as const
  if (code === "server_error")
    return { title: W.errors.fault, status: 500, body: W.errors.fault_body(requestId) } as const
  const words = wordsOf(new Refusal(code, facts))
  return { title: W.errors.forbidden, status: code === "rate_limited" ? 429 : 422, body: words } as const
}

/** The console answers on the central host; every other host has no such page. */
export const console = {
  /** Its pages and forms: what holds for each of them is tested of a new one on its first day. */
  routes: app.routes,

  fetch(request: Request, env: ConsoleEnv["Bindings"], execution: ExecutionContext): Response | Promise<Response> {
    if (hostOf(env, request.url).kind !== "central") return new Response("Not found.\n", { status: 404 })
    return app.fetch(request, env, execution)
  },
}
