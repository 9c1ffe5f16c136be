// A new account.
import { sql } from "drizzle-orm"
import type * as z from "zod"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import { afterRateLimit } from "../../core/http/rate-limit"
import { invalid } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { users } from "../../db/schema/sites/users"
import { insert } from "../../db/write"
import { sendAccountMail } from "../mails/account"
import type { SiteCtx } from "../site"
import { newMailedToken, storeVerifyToken } from "./mailed-tokens"
import { emailKey, isTaken, selectByEmail } from "./queries"
import { nameParts, type Register } from "./schemas"

/** Whether somebody has an account under an address. */
export const emailExists = async (ctx: SiteCtx, email: string): Promise<boolean> =>
  (await selectByEmail(ctx, email)).length > 0

/**
 * Registers a customer. Where addresses are verified, the account waits for its owner to follow the link that is mailed.
 * @param hashing the permit for one hash
 * @throws Refusal as `hashing` does, `validation_failed` for an address that has an account
 */
export async function register(
  ctx: SiteCtx,
  input: z.output<typeof Register>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { id: siteId, api } = ctx.site
  if (await afterRateLimit(hashing, emailExists(ctx, input.email))) throw invalid("email", "taken")
  const token = api.emailVerification ? await newMailedToken("verify") : null
  const added = insert(users).values({
    siteId,
    email: input.email,
    emailKey: emailKey(input.email),
    ...(nameParts(input) ?? { firstName: "", lastName: "" }),
    passwordHash: await (await hashing).hash(input.password),
    phone: input.phone ?? null,
    isStaff: false,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  })
  const newUser = sql`last_insert_rowid()`
  try {
    const writes = token ? [added, storeVerifyToken(ctx, token, newUser, sql`where true`)] : [added]
    await commitSite(ctx, ctx.site, { writes, trail: [] })
  } catch (cause) {
    if (isTaken(cause)) throw invalid("email", "taken")
    throw cause
  }
  if (token) sendAccountMail(ctx, "verify", { email: input.email, emailVerifiedAt: null }, token)
}
