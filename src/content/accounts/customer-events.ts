// Events about a customer's account, with the customer as `GET /customers` shows new ones.
import { type SQL, sql } from "drizzle-orm"
import type { ShopEventDraft } from "../../core/write/site-events"
import type { users } from "../../db/schema/sites/users"
import { fullName } from "../../lib/full-name"
import { formatTimestamp } from "../../lib/time"

type Profile = Pick<
  typeof users.$inferSelect,
  "email" | "firstName" | "lastName" | "phone" | "createdAt" | "updatedAt"
> & { disabledAt?: Date | null }

/**
 * Builds the event of an account that is registered, or deleted and has no more orders.
 * @param id the customer's id, or its expression
 * @param by who does it; a member of the staff is the actor of the context
 */
export function buildCustomerEvent(
  type: "shop.customer.registered" | "shop.customer.deleted",
  profile: Profile,
  id: number | SQL,
  by: "customer" | "staff" = "customer",
): ShopEventDraft {
  const name = fullName(profile)
  const customer = {
    id: 0,
    name,
    email: profile.email,
    phone: profile.phone,
    orders_count: 0,
    disabled_at: formatTimestamp(profile.disabledAt ?? null),
    created_at: formatTimestamp(profile.createdAt),
    updated_at: formatTimestamp(profile.updatedAt),
  }
  const fill = { "$.data.customer.id": sql`${id}` }
  if (by === "staff") return { type, data: { customer }, fill }
  return { type, data: { customer }, fill: { ...fill, "$.meta.actor.id": sql`${id}` }, actor: { id: 0, name } }
}
