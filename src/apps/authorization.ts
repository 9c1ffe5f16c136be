// Authorization checks that the apps share.
import { hasRole } from "../content/staff/rules"
import type { User } from "../content/user"
import { Refusal } from "../core/http/refusal"
import type { StaffRole } from "../db/schema/sites/users"

/**
 * @param role the lowest role that suffices
 * @throws Refusal `forbidden` when the user is not staff with this role or a higher one
 */
export function assertStaff(user: User, role: StaffRole): void {
  if (!hasRole(user, role)) throw new Refusal("forbidden")
}

/**
 * Checks a list's `status` filter: only staff may list unpublished items.
 * @throws Refusal `forbidden`
 */
export function assertCanListStatus(user: User, status: string): void {
  if (status !== "published") assertStaff(user, "viewer")
}
