// Where apps plug in: a route of an app answers 404 at a site where the app is off, and to users only where it is on.
//
// Each route of an app names it, and is mounted by `plugins/app.ts` under /api/v1:
//
//   .get("/products", pluginOf("ecommerce"), describe({…}), query(ListProducts), async (c) => …)
//
// Its verbs run their statements through `authed`, which looks up the token in the batch that reads the data, and refuses
// before anything is answered. Every statement names `site.id` in its `where`.
import type { Context, MiddlewareHandler, Next } from "hono"
import { Refusal } from "../core/refusal"
import { adding } from "../core/route"
import type { ContentEnv } from "./types"
import { user } from "./user"

/**
 * Stands in front of a route of an app. The store's row, which the gate has read already, says which apps are on.
 * @param slug the app's
 */
export const pluginOf = (slug: string): MiddlewareHandler<ContentEnv> =>
  adding({ bearer: "required" }, ["not_found", "unauthenticated"], (c: Context<ContentEnv>, next: Next) => {
    if (!c.var.ctx.site.store?.apps.includes(slug)) throw new Refusal("not_found")
    return user(c, next)
  })
