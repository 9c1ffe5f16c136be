// A new account.
import { sql } from "drizzle-orm"
import type * as z from "zod"
import { invalid } from "../../core/refusal"
import { batch } from "../../db/client"
import { users } from "../../db/schema/sites/users"
import { hashPassword } from "../../lib/password"
import { sendAccountMail } from "../mails/account"
import type { SiteCtx } from "../site"
import { mailedLink, newMailedToken, storeMailedToken } from "./mailed-tokens"
import { emailKey, isTaken, selectByEmail } from "./queries"
import { nameParts, type Register } from "./schemas"

/** Whether somebody has an account under an address. */
export const emailExists = async (ctx: SiteCtx, email: string): Promise<boolean> =>
  (await selectByEmail(ctx, email)).length > 0

/**
 * Registers a customer. Where addresses are verified, the account waits for its owner to follow the link that is mailed.
 * @throws Refusal `validation_failed` for an address that has an account
 */
export async function register(ctx: SiteCtx, input: z.output<typeof Register>): Promise<void> {
  const { db, id: siteId, api } = ctx.site
  if (await emailExists(ctx, input.email)) throw invalid("email", "taken")
  const token = api.emailVerification ? await newMailedToken("verify") : null
  const insert = db.insert(users).values({
    siteId,
    email: input.email,
    emailKey: emailKey(input.email),
    ...(nameParts(input) ?? { firstName: "", lastName: "" }),
    passwordHash: await hashPassword(input.password),
    phone: input.phone ?? null,
    isStaff: false,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  })
  const newUser = sql`last_insert_rowid()`
  try {
    await batch(db, token ? [insert, storeMailedToken(ctx, token, newUser, sql`where true`)] : [insert])
  } catch (cause) {
    if (isTaken(cause)) throw invalid("email", "taken")
    throw cause
  }
  if (token) {
    sendAccountMail(ctx, "verify", input.email, { token: token.token, url: mailedLink(ctx, token, input.email) })
  }
}
