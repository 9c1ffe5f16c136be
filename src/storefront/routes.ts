// HTTP routes of the storefront: a store's pages on its hosts. Pages that depend on the visitor, and their forms, are
// served apart from the public ones, which are the same for all visitors and cached.
import { messageOf, statusOf } from "../content/envelope"
import { conditional } from "../core/cache/edge-cache"
import { respondErrorPage } from "../core/html/error-page"
import { lastValues, readForm } from "../core/http/body"
import { hostOf } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { isSameOriginForm } from "../core/http/same-origin"
import { createSurface, publicAccess, requestContext, type SurfaceEnv } from "../core/http/surface"
import { acceptedLocale, findAcceptedLocale } from "../core/i18n/locale"
import { serveStorefront } from "./service"
import { isVisitorPath, serveVisitorPage } from "./visitor/serve"

const ERRORS = {
  not_found: ["Not found.", 404],
  method_not_allowed: ["Method not allowed.", 405],
  store_unavailable: ["Something went wrong.", 500],
  temporarily_unavailable: ["This page is temporarily unavailable. Try again in a few seconds.", 503],
  server_error: ["Something went wrong.", 500],
} as const

/** Bytes of a form: more than the longest message takes when every character is encoded. */
const MAX_FORM_BYTES = 100_000

export const storefront = createSurface<SurfaceEnv, keyof typeof ERRORS | "forbidden" | "http_error">({
  name: "storefront",
  gate: [publicAccess],
  maxBody: MAX_FORM_BYTES,
  codes: { ...ERRORS, forbidden: null, http_error: null },
  refuse: (c, refusal) => {
    if (refusal.code === "forbidden" || refusal.code === "http_error") {
      const text = messageOf(refusal, acceptedLocale(c.req.header("Accept-Language")))
      return respondErrorPage(c, statusOf(refusal), { text })
    }
    const [text, status] = ERRORS[refusal.code]
    return c.text(text, status)
  },
})

storefront
  .get("*", async (c) => {
    const host = hostOf(c.env, c.req.url)
    if (host.kind === "central") throw new Refusal("not_found")
    const ctx = requestContext(c)
    const url = new URL(c.req.url)
    const accepted = findAcceptedLocale(c.req.header("Accept-Language"))
    const cookie = c.req.header("Cookie") ?? null
    const page = isVisitorPath(url.pathname)
      ? await serveVisitorPage(ctx, { url, cookie, accepted, readFields: null })
      : null
    return page ?? conditional(c.req.raw, await serveStorefront(ctx, c.req.raw, host.hostname, accepted))
  })
  .post("*", async (c) => {
    const host = hostOf(c.env, c.req.url)
    if (host.kind === "central") throw new Refusal("not_found")
    const ctx = requestContext(c)
    const url = new URL(c.req.url)
    if (!isVisitorPath(url.pathname)) throw new Refusal("method_not_allowed", { allow: ["GET", "HEAD", "OPTIONS"] })
    if (isSameOriginForm(c.req.raw, ctx.settings) === false) throw new Refusal("forbidden")
    const page = await serveVisitorPage(ctx, {
      url,
      cookie: c.req.header("Cookie") ?? null,
      accepted: findAcceptedLocale(c.req.header("Accept-Language")),
      readFields: async () => lastValues(await readForm(c)),
    })
    if (!page) throw new Refusal("not_found")
    return page
  })
