// Reads and updates a user's own profile.
import { and, eq, ne, sql } from "drizzle-orm"
import type * as z from "zod"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import { hashNetwork } from "../../core/http/client-network"
import type { Input } from "../../core/http/input"
import { afterRateLimit } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { WriteConflict } from "../../core/write/commit"
import { userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched, type Write } from "../../db/write"
import { type InputColumns, toColumns } from "../../lib/every-field"
import { buildAccountMailWrite, enqueueAccountMails } from "../mails/outbox"
import { selectSettings } from "../settings/service"
import { authenticate, getCallerParams, type User, type UserCtx, writeAsUser } from "../user"
import { createMailedToken, deleteMailedTokens, type NewToken, storeVerifyToken } from "./mailed-tokens"
import { resetNetworks } from "./networks"
import { hasEmail, isEmailTakenError, normalizeEmail } from "./queries"
import { type Me, meResource, splitName, type UpdateMe } from "./schemas"

/**
 * Reads the user's profile and settings.
 * @throws Refusal `unauthenticated`
 */
export async function readMe(ctx: UserCtx): Promise<z.input<typeof Me>> {
  const { user, results } = await authenticate(ctx, () => [selectSettings(getCallerParams(ctx))], {
    allowUnverified: true,
  })
  return meResource(ctx, user, results[0][0])
}

/**
 * Updates only the fields that the input contains. A new email address requires the current password, because it takes
 * over the account: the old address is notified, and all other sessions and mailed tokens end. Where the site verifies
 * addresses, the new one has to be confirmed.
 * @param hashing the permit for one hash; null without a current password
 * @throws Refusal as `hashing` does, `unauthenticated`, then `validation_failed`
 */
export async function updateMe(
  ctx: UserCtx,
  input: Input<typeof UpdateMe>,
  hashing: Promise<PasswordHasher | null>,
): Promise<z.input<typeof Me>> {
  const { db, id: siteId, api } = ctx.site
  const reads = () =>
    [
      selectSettings(getCallerParams(ctx)),
      db
        .select({ id: users.id })
        .from(users)
        .where(input.valid.email === undefined ? sql`false` : hasEmail(ctx, input.valid.email)),
    ] as const
  const { user, results } = await afterRateLimit(hashing, authenticate(ctx, reads, { allowUnverified: true }))
  const [settings, emailOwners] = results
  const { email } = input.valid
  const isEmailChanged = email !== undefined && normalizeEmail(email) !== user.emailKey
  const values = await validate(ctx, user, input, {
    isEmailChanged,
    isEmailTaken: emailOwners.some(({ id }) => id !== user.id),
    hasher: await hashing,
  })

  const changes = { ...toChanges(user, values), ...(isEmailChanged && { emailVerifiedAt: null }), updatedAt: ctx.now }
  const token = isEmailChanged && api.emailVerification ? await createMailedToken(ctx, "verify") : null
  const own = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash))
  const otherTokens = and(eq(userTokens.userId, user.id), ne(userTokens.id, ctx.caller.token?.id ?? 0))
  const network = await hashNetwork(ctx)
  const mailWrites = isEmailChanged ? buildMailWrites(ctx, user, email, token) : []
  try {
    await writeAsUser(
      ctx,
      () => [
        inSite(siteId).update(users).set(changes).where(own),
        abortUnlessTouched,
        ...(isEmailChanged
          ? [
              ...deleteMailedTokens(ctx, user.id),
              inSite(siteId).remove(userTokens).where(otherTokens),
              ...resetNetworks(ctx, user.id, network),
            ]
          : []),
        ...(token ? [storeVerifyToken(ctx, token, sql`${user.id}`, sql`where true`)] : []),
        ...mailWrites,
      ],
      { allowUnverified: true },
    )
  } catch (cause) {
    if (isEmailTakenError(cause)) throw input.reject("email", "taken")
    // The password has changed since it was checked.
    if (cause instanceof WriteConflict) throw new Refusal("unauthenticated")
    throw cause
  }
  const next = { ...user, ...changes }
  if (isEmailChanged) enqueueAccountMails(ctx)
  return meResource(ctx, next, settings[0])
}

/**
 * Builds the mails about a changed address: a notice to the old one and, where the site verifies addresses, a link to
 * the new one.
 */
function buildMailWrites(ctx: UserCtx, user: User, newEmail: string, token: NewToken | null): Write[] {
  const notice = {
    purpose: "email_changed" as const,
    to: user.email,
    isConfirmed: user.emailVerifiedAt !== null,
    isCounted: false,
  }
  const writes = [buildAccountMailWrite(ctx, notice, sql`where true`)]
  if (!token) return writes
  const link = { purpose: "verify" as const, to: newEmail, isConfirmed: false, isCounted: false, token }
  return [...writes, buildAccountMailWrite(ctx, link, sql`where true`)]
}

/**
 * Completes an update. A presented password is verified even when other fields are invalid, within the permit for one
 * hash.
 * @throws Refusal `validation_failed` with every invalid field
 */
async function validate(
  ctx: UserCtx,
  user: User,
  input: Input<typeof UpdateMe>,
  {
    isEmailChanged,
    isEmailTaken,
    hasher,
  }: { isEmailChanged: boolean; isEmailTaken: boolean; hasher: PasswordHasher | null },
): Promise<z.output<typeof UpdateMe>> {
  const { dob, current_password: password } = input.valid
  const isPasswordCorrect = async () => (password && hasher ? await hasher.verify(password, user.passwordHash) : null)
  const isCorrect = isEmailChanged ? await isPasswordCorrect() : true
  return input.complete({
    // Without the password, a login could be used to find out which addresses have accounts.
    email: isEmailTaken && isCorrect ? "taken" : null,
    dob: dob && new Date(dob) > ctx.now ? "date" : null,
    current_password: isCorrect === null ? "required" : isCorrect ? null : "current_password",
  })
}

/** The column that stores each field of the profile. */
const INPUT_COLUMNS = {
  name: { omitted: "split into first and last name" },
  first_name: { omitted: "depends on the other names" },
  last_name: { omitted: "depends on the other names" },
  email: "email",
  current_password: { omitted: "confirms a new email address" },
  phone: "phone",
  dob: "dob",
  gender: "gender",
  description: "description",
} as const satisfies InputColumns<z.output<typeof UpdateMe>, User>

/** Returns the columns that an update changes. */
function toChanges(user: User, input: z.output<typeof UpdateMe>): Partial<User> {
  const values = {
    ...toNameChanges(user, input),
    ...toColumns(input, INPUT_COLUMNS),
    emailKey: input.email && normalizeEmail(input.email),
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Returns the name columns after an update of the full name, or of one part. */
function toNameChanges(user: User, input: z.output<typeof UpdateMe>): Partial<User> {
  if (!input.first_name && !input.last_name) return input.name ? (splitName({ name: input.name }) ?? {}) : {}
  return { firstName: input.first_name ?? user.firstName, lastName: input.last_name ?? user.lastName }
}
