// Where apps plug in: every path of an app answers 404 at a site where the app is off, and most answer users only.
//
// An app's manifest names its paths and its routes. A route that needs a user says so beside its path:
//
//   .get("/products", appUser, describe({…}), query(ListProducts), async (c) => …)
//
// Its verbs run their statements through `authed`, which looks up the token in the batch that reads the data, and refuses
// before anything is answered. Every statement names `site.id` in its `where`.
import type { Context, MiddlewareHandler, Next } from "hono"
import { Refusal } from "../core/http/refusal"
import { adding } from "../core/http/route"
import type { ContentEnv } from "./types"
import { user } from "./user"

/** Stands in front of everything of an app. The store's row, which the gate has read already, says which apps are on. */
export const whereEnabled =
  (slug: string): MiddlewareHandler<ContentEnv> =>
  async (c, next) => {
    if (!c.var.ctx.site.store?.apps.includes(slug)) throw new Refusal("not_found")
    await next()
  }

/** Stands in front of an app's route that needs a user. */
export const appUser = adding(
  { bearer: "required" },
  ["not_found", "unauthenticated", "email_unverified"],
  (c: Context<ContentEnv>, next: Next) => user(c, next),
)
