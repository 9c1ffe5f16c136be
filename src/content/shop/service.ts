// Reads and updates a store's shop settings. Those of orders and payments are a row of the site's database; the name is
// the store's, and language and CORS origins are the site's API settings.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Input } from "../../core/http/input"
import { validInput } from "../../core/http/input"
import type { Precondition } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { compareResources } from "../../core/write/changes"
import { retryOnConflict } from "../../core/write/commit"
import { pages } from "../../db/schema/sites/pages"
import type { StoredShopSettings } from "../../db/schema/sites/shop-settings"
import { updateStore } from "../../platform/stores/update"
import { deleteContactToken } from "../accounts/mailed-tokens"
import { normalizeEmail } from "../accounts/queries"
import { resourceTag } from "../blog/caching"
import { toCorsOrigins, UpdateSiteSettings } from "../keys/schemas"
import { updateSiteSettings } from "../keys/service"
import { enqueueAccountMails } from "../mails/outbox"
import type { ContentSite } from "../site"
import { withActor } from "../staff/write"
import { authenticate, type UserCtx } from "../user"
import { buildContactLinkWrites, selectContact, selectIsConfirmed } from "./contact-email"
import type { ShopSettings, UpdateShopSettings } from "./schemas"
import { type Shop, selectShopSettings, toShop } from "./settings"
import { definedIn, writeShop } from "./write"

type Resource = z.input<typeof ShopSettings>

type Values = z.output<typeof UpdateShopSettings>

/**
 * Reads the settings.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden` for customers; `not_found` at the central site
 */
export async function readShopSettings(ctx: UserCtx): Promise<Resource> {
  const { results } = await authenticate(ctx, () => [selectShopSettings({ site: ctx.site.id })], { role: "viewer" })
  return shopResource(ctx.site, toShop(ctx.site, results[0][0]))
}

/** The settings, and the address that gets the mails about orders. */
interface SettingsAndContact {
  settings: Resource
  contact: { email: string | null; isConfirmed: boolean }
}

/**
 * Reads the settings, and whether the address that gets the mails about orders is confirmed.
 * @throws Refusal as `readShopSettings`
 */
export async function readSettingsAndContact(ctx: UserCtx): Promise<SettingsAndContact> {
  const { site } = ctx
  const { results } = await authenticate(
    ctx,
    () => [selectShopSettings({ site: site.id }), selectContact(site)] as const,
    { role: "viewer" },
  )
  const [[row], [contact]] = results
  return { settings: shopResource(site, toShop(site, row)), contact: contact ?? { email: null, isConfirmed: false } }
}

/**
 * Updates only the fields that the input contains. A new contact address that is not confirmed gets a link to confirm it.
 * @param precondition compares the `resourceTag` of the current settings
 * @returns all settings
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden` below the role `admin`; `not_found` at the central
 *   site; `precondition_failed`; `validation_failed` for a page that is not published
 */
export async function updateShopSettings(
  ctx: UserCtx,
  input: Input<typeof UpdateShopSettings>,
  precondition?: Precondition,
): Promise<Resource> {
  const { editor, values, shop } = await saveShop(ctx, input, precondition)
  const resource = shopResource(ctx.site, shop)
  const { name, language, cors_origins: origins } = precondition ? withoutUnedited(values, resource) : values
  const corsOrigins = origins && toCorsOrigins(origins)
  const assertUnchanged = async (current: Partial<Resource>) => {
    const found = { ...resource, ...current }
    if (JSON.stringify(found) !== JSON.stringify(resource)) precondition?.(await resourceTag(found))
  }
  // Further transactions, because they are in another database. Each is repeatable, so a client retries the request.
  if (language !== undefined || corsOrigins !== undefined) {
    const changed = { language, "cors-origins": corsOrigins }
    const changedInput = validInput(UpdateSiteSettings, changed)
    await updateSiteSettings(editor, ctx.site.id, changedInput, {
      assertUnchanged: (current) => assertUnchanged(apiFields(current)),
      buildEvents: (before, after) =>
        buildEvents(ctx.site.id, { ...resource, ...apiFields(before) }, { ...resource, ...apiFields(after) }),
    })
  }
  if (name !== undefined)
    await updateStore(editor, ctx.site.id, { name }, undefined, {
      assertUnchanged: (current) => assertUnchanged({ name: current.name }),
      buildEvents: (before, after) =>
        buildEvents(ctx.site.id, { ...resource, name: before.name }, { ...resource, name: after.name }),
    })
  return {
    ...resource,
    name: name ?? resource.name,
    language: language ?? resource.language,
    cors_origins: corsOrigins === undefined ? resource.cors_origins : (corsOrigins ?? ["*"]),
  }
}

/** Returns the settings that the central database has of a site's API. */
const apiFields = ({
  language,
  corsOrigins,
}: Pick<ContentSite, "language"> & Pick<ContentSite["api"], "corsOrigins">) => ({
  language: language ?? "en",
  cors_origins: [...(corsOrigins ?? ["*"])],
})

/** Omits the values that a form sent as it showed them, so that they cannot undo a concurrent change. */
const withoutUnedited = (values: Values, shown: Resource): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(shown[field as keyof Resource]),
    ),
  )

/** Builds the event of changed settings; none if they are the same. */
function buildEvents(storeId: string, before: Resource, settings: Resource) {
  const changes = compareResources(before, settings, [])
  if (!Object.keys(changes).length) return []
  return [{ type: "shop.settings.updated" as const, data: { store: { id: storeId }, settings, changes } }]
}

/** Saves the settings in the site's database. Writes nothing if the input has none of them. */
const saveShop = (ctx: UserCtx, input: Input<typeof UpdateShopSettings>, precondition: Precondition | undefined) =>
  retryOnConflict(async () => {
    const { site } = ctx
    const slugs = input.valid.legal_pages ?? []
    const { user, results } = await authenticate(
      ctx,
      () =>
        [
          selectShopSettings({ site: site.id }),
          selectPublishedPages(site, slugs),
          selectIsConfirmed(site, input.valid.contact_email),
        ] as const,
      { role: "admin" },
    )
    const [[row], known, [contact]] = results
    const areKnown = slugs.every((slug) => known.some((page) => page.slug === slug))
    const origins = input.valid.cors_origins
    const values = input.complete({
      cors_origins: origins && toCorsOrigins(origins) === undefined ? "url" : null,
      legal_pages: areKnown ? null : "selected",
    })
    const editor = withActor(ctx, user)
    const before = toShop(site, row)
    const shown = shopResource(site, before)
    precondition?.(await resourceTag(shown))
    const after = mergeSettings(before, values)
    const events = buildEvents(site.id, shown, shopResource(site, after))
    const writes = await buildContactWrites(
      ctx,
      before.contact_email,
      after.contact_email,
      contact?.isConfirmed ?? false,
    )
    const { currency } = values
    const stored = await writeShop(editor, { row, before, after, currency, events, writes })
    if (writes.length) enqueueAccountMails(ctx)
    return { editor, values, shop: stored }
  })

/** Builds the writes that mail a link to a new contact address, or end the link to the one before it. */
async function buildContactWrites(ctx: UserCtx, before: string | null, after: string | null, isConfirmed: boolean) {
  if (normalizeEmail(before ?? "") === normalizeEmail(after ?? "")) return []
  return after && !isConfirmed ? buildContactLinkWrites(ctx, after) : [deleteContactToken(ctx)]
}

const selectPublishedPages = ({ db }: ContentSite, slugs: readonly string[]) =>
  db
    .select({ slug: pages.slug })
    .from(pages)
    .where(
      and(eq(pages.status, "published"), sql`${pages.slug} in (select value from json_each(${JSON.stringify(slugs)}))`),
    )

/** The settings of the input that the site's database has. */
const UPDATABLE = [
  "contact_email",
  "currency",
  "timezone",
  "address",
  "tax_number",
  "tax_rate",
  "prices_include_tax",
  "shipping",
  "payment",
  "guest_orders",
  "max_item_quantity",
  "legal_pages",
] as const satisfies (keyof StoredShopSettings & keyof Values)[]

/** Applies the present values; those of `shipping` and `payment` one by one. */
function mergeSettings(shop: Shop, values: Values): Shop {
  const present = UPDATABLE.filter((name) => values[name] !== undefined)
  return {
    ...shop,
    ...Object.fromEntries(present.map((name) => [name, values[name]])),
    shipping: { ...shop.shipping, ...definedIn(values.shipping) },
    payment: { ...shop.payment, ...definedIn(values.payment) },
  }
}

/** @throws Refusal `not_found` at the central site, which has no shop */
function shopResource(
  { store, api: { corsOrigins }, language }: ContentSite,
  { revision: _, look: __, shippingCurrency: ___, ...shop }: Shop,
): Resource {
  if (!store) throw new Refusal("not_found")
  return { name: store.name, ...apiFields({ language, corsOrigins }), ...shop }
}
