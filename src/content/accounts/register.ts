// Registers accounts.
import { sql } from "drizzle-orm"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import type { Input } from "../../core/http/input"
import { afterRateLimit } from "../../core/http/rate-limit"
import { commitSite } from "../../core/write/site-commit"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { buildAccountMailWrite, enqueueAccountMails } from "../mails/outbox"
import type { SiteCtx } from "../site"
import { buildCustomerEvent } from "./customer-events"
import { createMailedToken, storeVerifyToken } from "./mailed-tokens"
import { hasEmail, isEmailTakenError, normalizeEmail, selectByEmail } from "./queries"
import { type Register, splitName } from "./schemas"
import { prepareFirstSession } from "./sessions"

/** Returns whether an email address has an account. */
export const emailExists = async (ctx: SiteCtx, email: string): Promise<boolean> =>
  (await selectByEmail(ctx, email)).length > 0

/**
 * Registers a customer. Where the site verifies addresses, the user can log in after following the mailed link.
 * @param hashing the permit for one hash
 * @param sessionTtl logs the customer in for this number of milliseconds, in the same transaction
 * @returns the token of the session; null without `sessionTtl`, and where the site verifies addresses
 * @throws Refusal as `hashing` does, so that looking up addresses is limited; `validation_failed` for an address
 *   that has an account
 */
export async function register(
  ctx: SiteCtx,
  input: Input<typeof Register>,
  hashing: Promise<PasswordHasher>,
  sessionTtl?: number,
): Promise<string | null> {
  const { id: siteId, api } = ctx.site
  const { email } = input.valid
  const isTaken = await afterRateLimit(hashing, email === undefined ? Promise.resolve(false) : emailExists(ctx, email))
  const fields = input.complete({ email: isTaken ? "taken" : null })
  const token = api.emailVerification ? await createMailedToken(ctx, "verify") : null
  const profile = {
    email: fields.email,
    ...(splitName(fields) ?? { firstName: "", lastName: "" }),
    phone: fields.phone ?? null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
  const emailKey = normalizeEmail(fields.email)
  const passwordHash = await (await hashing).hash(fields.password)
  const insertion = inSite(siteId)
    .insert(users)
    .values({ ...profile, emailKey, passwordHash, isStaff: false })
  const newUser = sql`last_insert_rowid()`
  const mail = { purpose: "verify" as const, to: fields.email, isConfirmed: false, isCounted: false }
  const mailWrites = token
    ? [
        storeVerifyToken(ctx, token, newUser, sql`where true`),
        buildAccountMailWrite(ctx, { ...mail, token }, sql`where true`),
      ]
    : []
  const session = token || !sessionTtl ? null : await prepareFirstSession(ctx, fields.email, sessionTtl)
  let results: readonly unknown[]
  try {
    results = await commitSite(ctx, ctx.site, {
      writes: [insertion, ...(session?.writes ?? []), ...mailWrites],
      auditLog: { auditSkipped: "site_user" },
      events: [
        buildCustomerEvent(
          "shop.customer.registered",
          profile,
          sql`(select ${users.id} from ${users} where ${hasEmail(ctx, fields.email)})`,
        ),
      ],
    })
  } catch (cause) {
    if (isEmailTakenError(cause)) throw input.reject("email", "taken")
    throw cause
  }
  if (token) enqueueAccountMails(ctx)
  return session?.toToken(results[1] as { id: number }[]) ?? null
}
