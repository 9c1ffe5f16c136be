// The conditions on the address that gets a shop's mails about orders and messages. These mails have text that visitors
// wrote, so until the holder of the address has confirmed it, they obey the limits of unconfirmed addresses.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { shopSettings } from "../../db/schema/sites/shop-settings"
import { users } from "../../db/schema/sites/users"

/** The id of the owner who joined first. */
export const selectOwnerId = (siteId: string): SQL =>
  sql`(select min(${users.id}) from ${users} where ${and(
    eq(users.siteId, siteId),
    eq(users.isStaff, true),
    sql`coalesce(${users.role}, 'owner') = 'owner'`,
  )})`

/**
 * Whether an address is confirmed at a site: by a member of the staff with this address, or by its holder as the shop's.
 * @param email the address, or the expression for it. Addresses are ASCII, which `lower` folds.
 */
export const isConfirmedContact = (siteId: string, email: string | SQL): SQL<boolean> =>
  sql<boolean>`(exists (select 1 from ${users} "member" where "member"."site_id" = ${siteId}
      and "member"."email_key" = lower(${email}) and "member"."is_staff" = 1
      and "member"."email_verified_at" is not null)
    or exists (select 1 from ${shopSettings} "own" where "own"."site_id" = ${siteId}
      and "own"."confirmed_email" = lower(${email})))`
