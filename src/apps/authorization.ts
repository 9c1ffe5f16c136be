// What of an app is for the site's staff only.
import type { User } from "../content/user"
import { Refusal } from "../core/http/refusal"

/** @throws Refusal `forbidden` */
export function assertStaff(user: User): void {
  if (!user.isStaff) throw new Refusal("forbidden")
}

/** The condition of a list's `status`: what is not published is seen by staff only. */
export function assertMaySee(user: User, status: string): void {
  if (status !== "published") assertStaff(user)
}
