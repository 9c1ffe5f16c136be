// A browser's requests: a store's pages on its hosts, the platform's front page on the central one.
import { type Context, Hono } from "hono"
import { createContext } from "../core/context"
import { hostOf } from "../core/host"
import { acceptedLocale } from "../core/locale"
import { type Env, settingsOf } from "../env"
import { matchesTag } from "../lib/entity-tag"
import { sha256 } from "../lib/hash"
import { type Rendered, renderLanding } from "./render"
import { visit } from "./service"

export const storefront = new Hono<{ Bindings: Env }>()
  .on(["GET", "HEAD"], "*", async (c) => {
    const host = hostOf(c.env, c.req.url)
    if (host.kind === "central") {
      if (c.req.path !== "/") return c.text("Not found.", 404)
      return answer(c, renderLanding(settingsOf(c.env).APP_NAME))
    }
    const ctx = createContext(c.env, (work) => c.executionCtx.waitUntil(work))
    const locale = acceptedLocale(c.req.header("Accept-Language"))
    return answer(c, await visit(ctx, host.hostname, new URL(c.req.url), locale))
  })
  .all("*", (c) => c.text("Method not allowed.", 405, { Allow: "GET, HEAD" }))

storefront.onError((thrown, c) => {
  const ctx = createContext(c.env, (work) => c.executionCtx.waitUntil(work))
  ctx.log.error("unexpected fault", thrown, { surface: "storefront" })
  return c.text("Something went wrong.", 500)
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
