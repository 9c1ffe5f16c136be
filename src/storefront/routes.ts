// A browser's requests: a store's pages on its hosts, the platform's front page on the central one.
import type { Context } from "hono"
import { hostOf } from "../core/host"
import { acceptedLocale } from "../core/locale"
import { Refusal } from "../core/refusal"
import { createSurface, requestContext, type SurfaceEnv } from "../core/surface"
import { settingsOf } from "../env"
import { matchesTag } from "../lib/entity-tag"
import { sha256 } from "../lib/hash"
import { type Rendered, renderLanding } from "./render"
import { visit } from "./service"

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
    return answer(c, renderLanding(settingsOf(c.env).APP_NAME))
  }
  const locale = acceptedLocale(c.req.header("Accept-Language"))
  return answer(c, await visit(requestContext(c), host.hostname, new URL(c.req.url), locale))
})

/** A finished page, which is asked for again every time and sent only when it has changed: a store closes at once. */
async function answer(c: Context, { html, status, headers }: Rendered): Promise<Response> {
  const fresh: Record<string, string> = { "Cache-Control": "public, no-cache", Vary: "Accept-Language", ...headers }
  if (status !== 200) return c.body(html, status, fresh)
  const etag = `"${(await sha256(html)).slice(0, 32)}"`
  if (!matchesTag(c.req.header("If-None-Match"), etag)) return c.body(html, 200, { ...fresh, ETag: etag })
  const { "Content-Type": _, ...known } = fresh
  return c.body(null, 304, { ...known, ETag: etag })
}
