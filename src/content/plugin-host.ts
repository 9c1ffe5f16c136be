// Where apps plug in: a route of an app answers 404 at a site where the app is not enabled, and to users only where it is.
//
// An app's routes are a Hono app of ContentEnv, mounted by `content/app.ts` under /api/v1. Each of its routes names the app:
//
//   .get("/products", pluginOf("ecommerce"), describe({…}), query(ListProducts), async (c) => {
//     const { user, answers } = await authed(c.var.userCtx, (userId) => [ …statements on c.var.userCtx.site.db… ])
//     return single(c, …)
//   })
//
// `authed` looks up the app's switch and the token in the batch that reads the data, and refuses by either before anything
// is answered; a handler that calls nothing else needs no further check. Every statement names `site.id` in its `where`.
import type { MiddlewareHandler } from "hono"
import type { ContentEnv } from "./types"
import { authed, bearerToken } from "./user"

/**
 * Stands in front of a route of an app.
 * @param slug the app's
 */
export const pluginOf =
  (slug: string): MiddlewareHandler<ContentEnv> =>
  async (c, next) => {
    const token = await bearerToken(c.req.header("Authorization"))
    const userCtx = { ...c.var.ctx, caller: { token, app: slug, admitted: false } }
    c.set("userCtx", userCtx)
    // Without a token it is settled which of the two refusals it is; a handler need not run for that.
    if (!token) await authed(userCtx)
    await next()
  }
