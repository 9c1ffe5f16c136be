// Pages of apps exist only in shops that have the app.
import type { MiddlewareHandler } from "hono"
import { ecommerce } from "../apps/ecommerce/manifest"
import { galleries } from "../apps/galleries/manifest"
import { Refusal } from "../core/http/refusal"
import type { AdminEnv } from "./types"

/** @param apps slugs of the enabled apps */
export const sellsProducts = (apps: readonly string[]): boolean => apps.includes(ecommerce.slug)

/** @param apps slugs of the enabled apps */
export const hasGalleries = (apps: readonly string[]): boolean => apps.includes(galleries.slug)

const requireApps =
  (isMet: (apps: readonly string[]) => boolean): MiddlewareHandler<AdminEnv> =>
  (c, next) => {
    if (!isMet(c.var.ctx.site.store?.apps ?? [])) throw new Refusal("not_found")
    return next()
  }

/** Responds 404 in a shop that sells no products. */
export const requireShop = requireApps(sellsProducts)

/** Responds 404 in a shop without galleries. */
export const requireGalleries = requireApps(hasGalleries)
