// Pages of apps exist only in shops that have the app.
import type { MiddlewareHandler } from "hono"
import { Refusal } from "../core/http/refusal"
import type { AdminEnv } from "./types"

/** Responds 404 in a shop that has not enabled the app. */
export const requireApp =
  (slug: string): MiddlewareHandler<AdminEnv> =>
  (c, next) => {
    if (!c.var.ctx.site.store?.apps.includes(slug)) throw new Refusal("not_found")
    return next()
  }
