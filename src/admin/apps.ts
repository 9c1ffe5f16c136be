// Pages of apps exist only in shops that have the app.
import type { MiddlewareHandler } from "hono"
import { ecommerce } from "../apps/ecommerce/manifest"
import { Refusal } from "../core/http/refusal"
import type { AdminEnv } from "./types"

/** @param apps slugs of the enabled apps */
export const sellsProducts = (apps: readonly string[]): boolean => apps.includes(ecommerce.slug)

/** Responds 404 in a shop that sells no products. */
export const requireShop: MiddlewareHandler<AdminEnv> = (c, next) => {
  if (!sellsProducts(c.var.ctx.site.store?.apps ?? [])) throw new Refusal("not_found")
  return next()
}
