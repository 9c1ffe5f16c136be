// Authorization checks that the apps share.
import type { User } from "../content/user"
import { Refusal } from "../core/http/refusal"

/** @throws Refusal `forbidden` when the user is not staff */
export function assertStaff(user: User): void {
  if (!user.isStaff) throw new Refusal("forbidden")
}

/**
 * Checks a list's `status` filter: only staff may list unpublished items.
 * @throws Refusal `forbidden`
 */
export function assertCanListStatus(user: User, status: string): void {
  if (status !== "published") assertStaff(user)
}
