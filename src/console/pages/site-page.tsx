// Layout of the pages of a site, with tabs for its sections.
import type { Context } from "hono"
import { findSite, type SiteRef } from "../../content/site"
import { Refusal } from "../../core/http/refusal"
import { Tabs } from "../../page-kit/tabs"
import { page } from "../kit/page"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

/** @throws Refusal `not_found` when no site has the id */
export async function getSite(c: Context<ConsoleEnv>, id = c.req.param("site") ?? ""): Promise<SiteRef> {
  const site = await findSite(c.var.ctx, id)
  if (!site) throw new Refusal("not_found")
  return site
}

/** Turns the refusal of an unknown site id into `not_found`, because the id is part of the path. */
export function throwNotFound(thrown: unknown): never {
  throw thrown instanceof Refusal && thrown.code === "validation_failed" ? new Refusal("not_found") : thrown
}

export const getSitePath = (c: Context<ConsoleEnv>) => `/console/sites/${c.req.param("site")}`

/** The pages of a site. */
const SITE_SECTIONS = [
  "posts",
  "pages",
  "categories",
  "tags",
  "media",
  "products",
  "orders",
  "galleries",
  "messages",
  "reviews",
  "users",
  "tokens",
  "settings",
  "notifications",
] as const

/** Sections of the content of apps; the central site has no apps. */
const APP_SECTIONS: ReadonlySet<string> = new Set(["products", "orders", "galleries", "messages", "reviews"])

/** The sections of the content of a store's apps and of its users, and those of its content and settings. */
export const SECTIONS_OF_STORE = {
  shop: SITE_SECTIONS.filter((section) => APP_SECTIONS.has(section) || section === "users"),
  content: SITE_SECTIONS.filter((section) => !APP_SECTIONS.has(section) && section !== "users"),
}

/** The breadcrumb of a site's pages, up to the site. */
function listSiteCrumbs(site: string): [label: string, href: string][] {
  const path = `/console/sites/${site}`
  if (site === "central") return [[W.sites.central, path]]
  return [
    [W.stores.title, "/console/stores"],
    [site, `/console/stores/${site}`],
    [W.sites.site, path],
  ]
}

/** The breadcrumb of a confirmation page of a site. */
export const withSiteCrumbs = (c: Context<ConsoleEnv>, crumbs: [label: string, href: string][]) => [
  ...listSiteCrumbs(c.req.param("site") ?? ""),
  ...crumbs,
]

/** Renders a page of a site. */
export const sitePage = (c: Context<ConsoleEnv>, props: Parameters<typeof page>[1]) => {
  const site = c.req.param("site") ?? ""
  const isStore = site !== "central"
  return page(c, {
    ...props,
    crumbs: withSiteCrumbs(c, props.crumbs ?? []),
    children: (
      <>
        <Tabs
          label={W.sites.site}
          tabs={SITE_SECTIONS.filter((section) => isStore || !APP_SECTIONS.has(section)).map((section) => [
            W.sites[section],
            `/console/sites/${site}/${section}`,
          ])}
        />
        {props.children}
      </>
    ),
  })
}
