// Rules of invitations by mail, to the console and to the staff of a store. The mailed link proves the address; its
// recipient chooses a name and a password.
import { HOUR } from "../../lib/time"
import type { Ctx } from "../context"
import { takeTokens } from "../http/rate-limit"

/** Validity of a mailed link. */
export const INVITATION_TTL = 72 * HOUR

/** Invitations per inviting party, each of which sends a mail. */
const INVITATIONS_PER_HOUR = 30

/**
 * Counts an invitation.
 * @param inviter who sends it, such as a site
 * @throws Refusal `rate_limited`
 */
export const countInvitation = async ({ env, log }: Pick<Ctx, "env" | "log">, inviter: string): Promise<void> => {
  await takeTokens(env, log, [{ name: inviter, limit: INVITATIONS_PER_HOUR, windowMs: HOUR }])
}
