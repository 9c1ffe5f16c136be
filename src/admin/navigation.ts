// The admin's navigation: the pages that exist for the member's role and the shop's apps.

import type { StaffRole } from "../db/schema/sites/users"
import { hasGalleries, sellsProducts } from "./apps"
import {
  ACCOUNT,
  ADMIN,
  CATEGORIES,
  CUSTOMERS,
  GALLERIES,
  MEDIA,
  ORDERS,
  PAGES,
  POSTS,
  PRODUCTS,
  SETTINGS,
  STAFF,
  TAGS,
} from "./paths"
import type { AdminStrings } from "./strings/types"

interface Group {
  group: string
  links: [label: string, href: string][]
}

/**
 * @param apps slugs of the enabled apps
 * @param has whether the member has a role or a higher one
 */
export function listNavigation(
  { nav, content }: AdminStrings,
  apps: readonly string[],
  has: (role: StaffRole) => boolean,
): Group[] {
  const shop: Group["links"] = sellsProducts(apps)
    ? [
        [nav.products, PRODUCTS],
        [nav.orders, ORDERS],
        [nav.customers, CUSTOMERS],
      ]
    : []
  const texts: Group["links"] = [
    [content.nav.posts, POSTS],
    [content.nav.pages, PAGES],
    [content.nav.categories, CATEGORIES],
    [content.nav.tags, TAGS],
    ...(hasGalleries(apps) ? ([[content.nav.galleries, GALLERIES]] satisfies Group["links"]) : []),
    [content.nav.media, MEDIA],
  ]
  const administration: Group["links"] = [
    [nav.settings, SETTINGS],
    [nav.staff, STAFF],
    ...(has("owner") ? ([[nav.billing, "/billing"]] satisfies Group["links"]) : []),
    [nav.account, ACCOUNT],
  ]
  const groups: Group[] = [
    { group: nav.shop, links: [[nav.home, ADMIN], ...shop] },
    { group: content.nav.content, links: texts },
    { group: nav.administration, links: administration },
  ]
  return groups.filter(({ links }) => links.length > 0)
}
