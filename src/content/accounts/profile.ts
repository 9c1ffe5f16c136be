// A user's own profile: read and changed.
import { and, eq, ne, sql } from "drizzle-orm"
import type * as z from "zod"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import { hashNetwork } from "../../core/http/client-network"
import { afterRateLimit } from "../../core/http/rate-limit"
import { type FieldFaults, invalid, Refusal } from "../../core/http/refusal"
import { WriteConflict } from "../../core/write/commit"
import { userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { abortUnlessTouched, remove, update } from "../../db/write"
import { sendAccountMail } from "../mails/account"
import { settingsOfAsker } from "../settings/service"
import { askerOf, asUser, authed, type User, type UserCtx } from "../user"
import { endMailedTokens, newMailedToken, storeVerifyToken } from "./mailed-tokens"
import { resetNetworks } from "./networks"
import { emailKey, hasEmail, isTaken } from "./queries"
import { type Me, me, nameParts, type UpdateMe } from "./schemas"

/** @throws Refusal `unauthenticated` */
export async function readMe(ctx: UserCtx): Promise<z.input<typeof Me>> {
  const { user, answers } = await authed(ctx, () => [settingsOfAsker(askerOf(ctx))], { unverified: true })
  return me(ctx, user, answers[0][0])
}

/**
 * Changes what is given and leaves the rest. Another address is the account itself, so it takes the password; the old one is told,
 * every other login ends, and so does whatever was mailed. Where addresses are verified it has to be confirmed anew.
 * @param hashing the permit for one hash, where a password is given
 * @throws Refusal as `hashing` does, `unauthenticated`, then `validation_failed`
 */
export async function updateMe(
  ctx: UserCtx,
  input: z.output<typeof UpdateMe>,
  hashing: Promise<PasswordHasher | null>,
): Promise<z.input<typeof Me>> {
  const { db, id: siteId, api } = ctx.site
  const reads = () =>
    [
      settingsOfAsker(askerOf(ctx)),
      db
        .select({ id: users.id })
        .from(users)
        .where(input.email === undefined ? sql`false` : hasEmail(ctx, input.email)),
    ] as const
  const { user, answers } = await afterRateLimit(hashing, authed(ctx, reads, { unverified: true }))
  const [settings, others] = answers
  const moved = input.email !== undefined && emailKey(input.email) !== user.emailKey
  await assertValid(ctx, user, input, { moved, taken: others.some(({ id }) => id !== user.id), hasher: await hashing })

  const changes = { ...changesOf(user, input), ...(moved && { emailVerifiedAt: null }), updatedAt: ctx.now }
  const token = moved && api.emailVerification ? await newMailedToken("verify") : null
  const own = and(eq(users.siteId, siteId), eq(users.id, user.id), eq(users.passwordHash, user.passwordHash))
  const elsewhere = and(
    eq(userTokens.siteId, siteId),
    eq(userTokens.userId, user.id),
    ne(userTokens.id, ctx.caller.token?.id ?? 0),
  )
  const network = await hashNetwork(ctx)
  try {
    await asUser(
      ctx,
      () => [
        update(users).set(changes).where(own),
        abortUnlessTouched,
        ...(moved
          ? [
              ...endMailedTokens(ctx, user.id),
              remove(userTokens).where(elsewhere),
              ...resetNetworks(ctx, user.id, network),
            ]
          : []),
        ...(token ? [storeVerifyToken(ctx, token, sql`${user.id}`, sql`where true`)] : []),
      ],
      { unverified: true },
    )
  } catch (cause) {
    if (isTaken(cause)) throw invalid("email", "taken")
    // The password that was given has changed meanwhile.
    if (cause instanceof WriteConflict) throw new Refusal("unauthenticated")
    throw cause
  }
  const next = { ...user, ...changes }
  if (moved) sendAccountMail(ctx, "email_changed", user)
  if (token) sendAccountMail(ctx, "verify", next, token)
  return me(ctx, next, settings[0])
}

/** @throws Refusal `validation_failed` with all that is wrong */
async function assertValid(
  ctx: UserCtx,
  user: User,
  input: z.output<typeof UpdateMe>,
  { moved, taken, hasher }: { moved: boolean; taken: boolean; hasher: PasswordHasher | null },
): Promise<void> {
  const fields: FieldFaults = {}
  if (taken) fields.email = [{ rule: "taken" }]
  if (input.dob && new Date(input.dob) > ctx.now) fields.dob = [{ rule: "date" }]
  if (moved && !(input.current_password && hasher)) fields.current_password = [{ rule: "required" }]
  else if (moved && !(await hasher?.verify(input.current_password ?? "", user.passwordHash))) {
    fields.current_password = [{ rule: "current_password" }]
  }
  if (Object.keys(fields).length) throw new Refusal("validation_failed", { fields })
}

/** The columns that an update changes. */
function changesOf(user: User, input: z.output<typeof UpdateMe>): Partial<User> {
  const given = {
    ...namesOf(user, input),
    email: input.email,
    emailKey: input.email && emailKey(input.email),
    phone: input.phone,
    dob: input.dob,
    gender: input.gender,
    description: input.description,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** The name as it is after an update of the whole of it, or of one part. */
function namesOf(user: User, input: z.output<typeof UpdateMe>): Partial<User> {
  if (!input.first_name && !input.last_name) return input.name ? (nameParts({ name: input.name }) ?? {}) : {}
  return { firstName: input.first_name ?? user.firstName, lastName: input.last_name ?? user.lastName }
}
