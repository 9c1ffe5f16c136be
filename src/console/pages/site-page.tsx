// What all pages of a site have: which site it is, and the way to its others.
import type { Context } from "hono"
import { type SiteRef, siteById } from "../../content/site"
import { Refusal } from "../../core/http/refusal"
import { page } from "../kit/page"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

/** @throws Refusal `not_found` for an id that is no site's */
export async function siteOf(c: Context<ConsoleEnv>, id = c.req.param("site") ?? ""): Promise<SiteRef> {
  return siteById(c.var.ctx, id).catch(noSite)
}

/** A site that is named in a path and is none is not there. */
export function noSite(thrown: unknown): never {
  throw thrown instanceof Refusal && thrown.code === "validation_failed" ? new Refusal("not_found") : thrown
}

export const base = (c: Context<ConsoleEnv>) => `/console/sites/${c.req.param("site")}`

const SECTIONS = [
  "posts",
  "pages",
  "categories",
  "tags",
  "media",
  "users",
  "tokens",
  "settings",
  "notifications",
] as const

/** A page of a site, with the way to its others. */
export const sitePage = (c: Context<ConsoleEnv>, given: Parameters<typeof page>[1]) => {
  const site = c.req.param("site") ?? ""
  const isStore = site !== "central"
  return page(c, {
    ...given,
    crumbs: [
      ...(isStore
        ? ([
            [W.stores.title, "/console/stores"],
            [site, `/console/stores/${site}`],
          ] as [string, string][])
        : []),
      [isStore ? W.sites.site : W.sites.central, `/console/sites/${site}`],
      ...(given.crumbs ?? []),
    ],
    children: (
      <>
        <nav class="row tabs" aria-label={W.sites.site}>
          {SECTIONS.map((section) => (
            <a
              class="button"
              data-quiet
              href={`/console/sites/${site}/${section}`}
              aria-current={c.req.path.startsWith(`/console/sites/${site}/${section}`) ? "page" : undefined}
            >
              {W.sites[section]}
            </a>
          ))}
        </nav>
        {given.children}
      </>
    ),
  })
}
