// Updates the appearance of a shop: logo, favicon, accent color and menu. Pages show them; no API returns them.
import { asc, eq } from "drizzle-orm"
import * as z from "zod"
import { emptyAsNull, listOf, shortText, text } from "../../core/http/validation"
import { retryOnConflict } from "../../core/write/commit"
import { pages } from "../../db/schema/sites/pages"
import { categories } from "../../db/schema/sites/posts"
import type { ShopAppearance } from "../../db/schema/sites/shop-settings"
import { image } from "../blog/fields"
import { withActor } from "../staff/write"
import { authenticate, type UserCtx } from "../user"
import { selectShopSettings, toShop } from "./settings"
import { definedIn, writeShop } from "./write"

/** Entries of a menu. More do not fit into a header. */
export const MAX_MENU_ITEMS = 10

/** Pages, and categories, that a menu can be made of. */
const MAX_TARGETS = 50

/** A path on this host, which neither `//` nor a backslash turns into one of another, or a URL. */
const MENU_URL = /^(\/(?![/\\])|https?:\/\/[^\s/\\]|mailto:|tel:)[^\s\\]*$/

export const MenuItem = z.object({
  name: emptyAsNull(text({ max: 40 })).transform((name) => name ?? null),
  url: shortText(300).trim().regex(MENU_URL),
})

const lowercase = (value: string) => value.trim().toLowerCase()

export const UpdateShopAppearance = z.object({
  logo: image,
  favicon: image,
  accent: emptyAsNull(
    shortText(20)
      .transform(lowercase)
      .pipe(z.string().regex(/^#[0-9a-f]{6}$/)),
  ),
  menu: listOf(MenuItem, { max: MAX_MENU_ITEMS }).optional(),
})

/**
 * Updates only the fields that the input contains.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden` below the role `admin`
 */
export const updateShopAppearance = (
  ctx: UserCtx,
  values: z.output<typeof UpdateShopAppearance>,
): Promise<ShopAppearance> =>
  retryOnConflict(async () => {
    const { site } = ctx
    const { user, results } = await authenticate(ctx, () => [selectShopSettings({ site: site.id })] as const, {
      role: "admin",
    })
    const [[row]] = results
    const before = toShop(site, row)
    const after = { ...before, look: { ...before.look, ...definedIn(values) } }
    return (await writeShop(withActor(ctx, user), { row, before, after })).look
  })

interface Target {
  slug: string
  name: string
}

/**
 * Reads the targets of menu entries besides the lists of apps: the first published pages, and the categories by name.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden` for customers
 */
export async function readMenuTargets(ctx: UserCtx): Promise<{ pages: Target[]; categories: Target[] }> {
  const { db } = ctx.site
  const { results } = await authenticate(
    ctx,
    () =>
      [
        db
          .select({ slug: pages.slug, name: pages.name })
          .from(pages)
          .where(eq(pages.status, "published"))
          .orderBy(asc(pages.id))
          .limit(MAX_TARGETS),
        db
          .select({ slug: categories.slug, name: categories.name })
          .from(categories)
          .orderBy(asc(categories.nameKey))
          .limit(MAX_TARGETS),
      ] as const,
    { role: "viewer" },
  )
  return { pages: results[0], categories: results[1] }
}
