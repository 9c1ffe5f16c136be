// Mounts the routes of apps: every path of an app is 404 at a site where the app is disabled.
//
// An app's manifest names its paths and its routes. A route that requires a user has `appUser` before its handler:
//
//   .get("/products", describe({…}), appUser, query(ListProducts), async (c) => …)
//
// Its service functions run their statements through `authenticate`, which looks up the token in the batch that reads
// the data and throws before anything is returned. Every statement has `site.id` in its `where`.
import type { Context, MiddlewareHandler, Next } from "hono"
import { Refusal } from "../core/http/refusal"
import { withTraits } from "../core/http/route"
import type { ContentEnv } from "./types"
import { ANONYMOUS, user } from "./user"

/** Rejects requests to an app that the store has not enabled. The gate has already read the store's row. */
export const requireEnabledApp =
  (slug: string): MiddlewareHandler<ContentEnv> =>
  async (c, next) => {
    if (!c.var.ctx.site.store?.apps.includes(slug)) throw new Refusal("not_found")
    await next()
  }

/** Identifies the user on an app's route that guests may use too. A token that is not valid is refused. */
export const appGuest = withTraits(
  { bearer: "optional" },
  ["not_found", "unauthenticated", "email_unverified"],
  (c: Context<ContentEnv>, next: Next) => {
    const isGuest = /^(Bearer)?$/i.test(c.req.header("Authorization")?.trim() ?? "")
    if (!isGuest) return user(c, next)
    c.set("userCtx", { ...c.var.ctx, caller: ANONYMOUS })
    return next()
  },
)

/** Requires a user on an app's route. */
export const appUser = withTraits(
  { bearer: "required" },
  ["not_found", "unauthenticated", "email_unverified"],
  (c: Context<ContentEnv>, next: Next) => user(c, next),
)
