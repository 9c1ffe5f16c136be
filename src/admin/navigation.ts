// The admin's navigation: the pages that exist for the member's role and the shop's apps.

import type { StaffRole } from "../db/schema/sites/users"
import { hasGalleries, hasReviews, receivesMessages, sellsProducts } from "./apps"
import {
  ACCOUNT,
  ACTIVITY,
  ADMIN,
  APPEARANCE,
  APPS,
  CATEGORIES,
  CUSTOMERS,
  DOMAINS,
  EXPORT,
  GALLERIES,
  MEDIA,
  MESSAGES,
  NOTIFICATIONS,
  ORDERS,
  PAGES,
  POSTS,
  PRODUCTS,
  REVIEWS,
  SETTINGS,
  STAFF,
  TAGS,
  WEBHOOKS,
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
  {
    nav,
    content,
    messages,
    reviews,
    notifications,
    appearance,
    domains,
    apps: appStrings,
    export: exportStrings,
    webhooks,
  }: AdminStrings,
  apps: readonly string[],
  has: (role: StaffRole) => boolean,
): Group[] {
  const shop: Group["links"] = sellsProducts(apps)
    ? [
        [nav.products, PRODUCTS],
        [nav.orders, ORDERS],
      ]
    : []
  const visitors: Group["links"] = [
    ...(hasReviews(apps) ? ([[reviews.title, REVIEWS]] satisfies Group["links"]) : []),
    ...(receivesMessages(apps) ? ([[messages.title, MESSAGES]] satisfies Group["links"]) : []),
  ]
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
    [appearance.title, APPEARANCE],
    [domains.title, DOMAINS],
    [appStrings.title, APPS],
    ...(has("admin") ? ([[webhooks.title, WEBHOOKS]] satisfies Group["links"]) : []),
    [nav.staff, STAFF],
    [nav.activity, ACTIVITY],
    ...(has("admin") ? ([[exportStrings.title, EXPORT]] satisfies Group["links"]) : []),
    ...(has("owner") ? ([[nav.billing, "/billing"]] satisfies Group["links"]) : []),
    [nav.account, ACCOUNT],
  ]
  const groups: Group[] = [
    {
      group: nav.shop,
      links: [
        [nav.home, ADMIN],
        ...shop,
        [nav.customers, CUSTOMERS],
        ...visitors,
        [notifications.title, NOTIFICATIONS],
      ],
    },
    { group: content.nav.content, links: texts },
    { group: nav.administration, links: administration },
  ]
  return groups.filter(({ links }) => links.length > 0)
}
