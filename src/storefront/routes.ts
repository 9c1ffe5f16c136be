// HTTP routes of the storefront: a store's pages on its hosts.
import { conditional } from "../core/cache/edge-cache"
import { hostOf } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { createSurface, publicAccess, requestContext, type SurfaceEnv } from "../core/http/surface"
import { acceptedLocale } from "../core/i18n/locale"
import { serveStorefront } from "./service"

export const storefront = createSurface<SurfaceEnv>({
  name: "storefront",
  gate: [publicAccess],
  maxBody: null,
  refuse: (c, { code }) => {
    if (code === "method_not_allowed") return c.text("Method not allowed.", 405, { Allow: "GET, HEAD" })
    return code === "not_found" ? c.text("Not found.", 404) : c.text("Something went wrong.", 500)
  },
})

storefront.get("*", async (c) => {
  const host = hostOf(c.env, c.req.url)
  if (host.kind === "central") throw new Refusal("not_found")
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  return conditional(c.req.raw, await serveStorefront(requestContext(c), c.req.raw, host.hostname, locale))
})
