// Closes a shop for its owner: the subscription ends now, and the data is purged after the retention period.
import * as z from "zod"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import type { Input } from "../../core/http/input"
import { afterRateLimit } from "../../core/http/rate-limit"
import { shortText, withLookups } from "../../core/http/validation"
import { cancelSubscription } from "../../platform/subscriptions/service"
import { authenticate, type UserCtx } from "../user"
import { authenticateOwner } from "./owner"

/** The shop's name as its owner types it, and the owner's password. */
export const CloseShop = withLookups(
  z.object({ name: shortText(250).min(1), password: shortText(250).min(1) }),
  "name",
  "password",
)

/**
 * Closes the shop immediately. It can be reopened until its data is purged.
 * @param hashing the permit for one hash
 * @throws Refusal as `hashing` does, `unauthenticated`, `forbidden`; `validation_failed` for another name and a wrong
 *   password; `no_subscription`, `stripe_managed`, `illegal_transition` when it is closed already
 */
export async function closeShop(
  ctx: UserCtx,
  input: Input<typeof CloseShop>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { user } = await afterRateLimit(hashing, authenticate(ctx, undefined, { role: "owner" }))
  const { name, password } = input.valid
  const isCorrect = password !== undefined && (await (await hashing).verify(password, user.passwordHash))
  input.complete({
    name: name?.trim() === ctx.site.store?.name ? null : "confirmed",
    password: isCorrect ? null : "current_password",
  })
  const owner = await authenticateOwner(ctx)
  await cancelSubscription(owner, owner.storeId, { at_period_end: false, notify: true })
}
