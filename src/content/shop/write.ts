// Writes the row of a shop's settings, with its entry in the audit log.
import { eq, sql } from "drizzle-orm"
import type { ShopEventDraft } from "../../core/write/site-events"
import { type StoredShopSettings, shopSettings } from "../../db/schema/sites/shop-settings"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched, type Write } from "../../db/write"
import { type UserCtx, writeAsUser } from "../user"
import type { Shop } from "./settings"

/** The settings in the site's database. */
const STORED = [
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
  "look",
] as const satisfies (keyof StoredShopSettings)[]

interface ShopChange {
  /** The stored settings; undefined while none was ever changed. */
  row: { settings: Partial<StoredShopSettings> } | undefined
  before: Shop
  after: Shop
  /** The currency that the input states, if any. */
  currency?: string | undefined
  events?: readonly ShopEventDraft[]
  /** Further writes of the change. */
  writes?: readonly Write[]
}

/**
 * Stores the settings that differ from the stored ones. Writes nothing when none does.
 * @param editor the context of the member of the staff who changes them
 * @returns the settings as they are stored
 * @throws Refusal as `writeAsUser` for the role `admin`; a conflict when the row changed since it was read
 */
export async function writeShop(
  editor: UserCtx,
  { row, before, after, currency, events = [], writes = [] }: ShopChange,
): Promise<Shop> {
  const { site, now } = editor
  // A stated currency is stored even if it is the default: then the price of shipping is known to be in it.
  const chosen = row?.settings.currency ?? null
  const from: StoredShopSettings = { ...before, currency: chosen }
  const to: StoredShopSettings = { ...after, currency: currency ?? chosen }
  const changed = STORED.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
  if (!changed.length) return before
  const pick = (shop: StoredShopSettings) => Object.fromEntries(changed.map((name) => [name, shop[name]]))
  const settings = { ...row?.settings, ...pick(to) }
  const revision = before.revision + 1
  await writeAsUser(
    editor,
    () => [
      inSite(site.id)
        .insertSelect(shopSettings, { settings, revision, updatedAt: now }, sql`where true`)
        .onConflictDoUpdate({
          target: shopSettings.siteId,
          set: { settings, revision, updatedAt: now },
          setWhere: eq(shopSettings.revision, before.revision),
        }),
      abortUnlessTouched,
      ...writes,
    ],
    {
      role: "admin",
      auditLog: [{ subject: "site_settings", action: "changed", id: site.id, before: pick(from), after: pick(to) }],
      events,
    },
  )
  return { ...after, revision }
}

/** Omits the fields without a value, which are unchanged. */
export const definedIn = <Fields extends object>(fields: Fields | undefined): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as Partial<Fields>
