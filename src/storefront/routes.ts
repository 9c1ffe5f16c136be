// HTTP routes of the storefront: a store's pages on its hosts.
import { conditional } from "../core/cache/edge-cache"
import { hostOf } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { createSurface, publicAccess, requestContext, type SurfaceEnv } from "../core/http/surface"
import { acceptedLocale } from "../core/i18n/locale"
import { serveStorefront } from "./service"

const ERRORS = {
  not_found: ["Not found.", 404],
  method_not_allowed: ["Method not allowed.", 405],
  store_unavailable: ["Something went wrong.", 500],
  temporarily_unavailable: ["This page is temporarily unavailable. Try again in a few seconds.", 503],
  server_error: ["Something went wrong.", 500],
} as const

export const storefront = createSurface<SurfaceEnv, keyof typeof ERRORS>({
  name: "storefront",
  gate: [publicAccess],
  maxBody: null,
  codes: ERRORS,
  refuse: (c, { code }) => {
    const [text, status] = ERRORS[code]
    return c.text(text, status, code === "method_not_allowed" ? { Allow: "GET, HEAD" } : {})
  },
})

storefront.get("*", async (c) => {
  const host = hostOf(c.env, c.req.url)
  if (host.kind === "central") throw new Refusal("not_found")
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  return conditional(c.req.raw, await serveStorefront(requestContext(c), c.req.raw, host.hostname, locale))
})
