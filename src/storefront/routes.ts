// A browser's requests: a store's pages on its hosts, the platform's front page on the central one.
import { conditional } from "../core/edge-cache"
import { hostOf } from "../core/host"
import { acceptedLocale } from "../core/locale"
import { Refusal } from "../core/refusal"
import { createSurface, requestContext, type SurfaceEnv } from "../core/surface"
import { settingsOf } from "../env"
import { renderLanding } from "./render"
import { respond, visit } from "./service"

export const storefront = createSurface<SurfaceEnv>({
  name: "storefront",
  maxBody: null,
  refuse: (c, { code }) => {
    if (code === "method_not_allowed") return c.text("Method not allowed.", 405, { Allow: "GET, HEAD" })
    return code === "not_found" ? c.text("Not found.", 404) : c.text("Something went wrong.", 500)
  },
})

storefront.get("*", async (c) => {
  const host = hostOf(c.env, c.req.url)
  if (host.kind === "central") {
    if (c.req.path !== "/") throw new Refusal("not_found")
    return conditional(c.req.raw, await respond(renderLanding(settingsOf(c.env).APP_NAME)))
  }
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  return conditional(c.req.raw, await visit(requestContext(c), c.req.raw, host.hostname, locale))
})
