// A visit to a store's host: whose it is, whether it is open, and the page that was asked for, in two round trips.
import type { Ctx } from "../core/context"
import { type Site, siteOf } from "../core/host"
import { replicaOf } from "../db/client"
import { publicUrl, type Settings } from "../env"
import { accessState } from "../platform/stores/schemas"
import type { Closed, Shop } from "./data"
import { partsOf } from "./parts"
import { readShop } from "./reading"
import { type Rendered, renderClosed, renderPage } from "./render"
import { wantedAt } from "./wanted"

/**
 * What a visitor sees at an address.
 * @param hostname the host asked for
 * @param locale the language the visitor wants
 * @returns always a finished page: a fault of the store's database is the store being out of order
 */
export async function visit(ctx: Ctx, hostname: string, url: URL, locale: string): Promise<Rendered> {
  const site = await siteOf(ctx.env, hostname)
  if (!site) return renderClosed({ kind: "unknown_host", host: hostname, locale })
  const { store } = site
  const state = accessState(store.status)
  if (state !== "serving") return renderClosed(closed(site, state, locale))
  try {
    if (!store.database) throw new Error("A serving store has no database")
    const database = replicaOf(ctx.env, store.database)
    const parts = await partsOf(store.apps, store.theme)
    const { page, menu, pages } = await readShop(database, { siteId: store.id }, parts, wantedAt(url))
    return renderPage({ ...shopOf(ctx.settings, site, locale), menu, pages }, page)
  } catch (cause) {
    ctx.log.error("a storefront could not be read", cause, { store: store.id })
    return renderClosed(closed(site, "unavailable", locale))
  }
}

const closed = ({ store }: Site, kind: Exclude<Closed["kind"], "unknown_host">, locale: string): Closed => ({
  kind,
  name: store.name,
  theme: store.theme,
  preset: store.preset,
  locale,
})

/** The store as its pages name it. */
const shopOf = (
  settings: Settings,
  { store, subscription, primary }: Site,
  locale: string,
): Omit<Shop, "menu" | "pages"> => ({
  name: store.name,
  rootUrl: publicUrl(settings, primary),
  theme: store.theme,
  preset: store.preset,
  locale,
  branding: subscription?.plan?.features.remove_branding
    ? null
    : { name: settings.APP_NAME, url: publicUrl(settings, settings.CENTRAL_DOMAIN, "/") },
})
