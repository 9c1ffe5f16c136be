// Pages of apps exist only in shops that have the app.
import type { MiddlewareHandler } from "hono"
import { contact } from "../apps/contact/manifest"
import { ecommerce } from "../apps/ecommerce/manifest"
import { galleries } from "../apps/galleries/manifest"
import { findApp } from "../apps/registry"
import { reviews } from "../apps/reviews/manifest"
import { Refusal } from "../core/http/refusal"
import { type Locale, translate } from "../core/i18n/locale"
import type { AdminEnv } from "./types"

/** Returns the name of an app in a language; its slug if the app does not exist. */
export function nameApp(slug: string, locale: Locale): string {
  const app = findApp(slug)
  return app?.localName ? translate(app.localName, locale) : (app?.name ?? slug)
}

/** Responds 404 in a shop without the app. */
const requireApp =
  ({ slug }: { slug: string }): MiddlewareHandler<AdminEnv> =>
  (c, next) => {
    if (!c.var.ctx.site.store?.apps.includes(slug)) throw new Refusal("not_found")
    return next()
  }

/** @param apps slugs of the enabled apps */
export const sellsProducts = (apps: readonly string[]): boolean => apps.includes(ecommerce.slug)

/** Responds 404 in a shop that sells no products. */
export const requireShop = requireApp(ecommerce)

/** Whether visitors can write messages. */
export const receivesMessages = (apps: readonly string[]): boolean => apps.includes(contact.slug)

export const requireMessages = requireApp(contact)

/** Whether customers can review products. */
export const hasReviews = (apps: readonly string[]): boolean => apps.includes(reviews.slug)

export const requireReviews = requireApp(reviews)

/** Whether the shop has galleries. */
export const hasGalleries = (apps: readonly string[]): boolean => apps.includes(galleries.slug)

export const requireGalleries = requireApp(galleries)
