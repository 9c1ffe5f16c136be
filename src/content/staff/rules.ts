// Rules of staff roles. An owner may do everything; an admin everything except billing, staff, domains and closing the
// store; an editor changes content, products, orders, messages and reviews; a viewer only reads.
import type { StaffRole } from "../../db/schema/sites/users"

/** The roles, highest first. */
export const STAFF_ROLES = ["owner", "admin", "editor", "viewer"] as const satisfies readonly StaffRole[]

/** The columns of a user that decide the role. */
export interface RoleColumns {
  isStaff: boolean
  role: StaffRole | null
}

/** Returns a user's role; null for a customer. */
export const staffRole = ({ isStaff, role }: RoleColumns): StaffRole | null => (isStaff ? (role ?? "owner") : null)

/** Returns the roles that include a role, itself among them. */
export const rolesFrom = (minimum: StaffRole): StaffRole[] => STAFF_ROLES.slice(0, STAFF_ROLES.indexOf(minimum) + 1)

/** Whether a user has a role or a higher one. */
export function hasRole(user: RoleColumns, minimum: StaffRole): boolean {
  const role = staffRole(user)
  return role !== null && rolesFrom(minimum).includes(role)
}
