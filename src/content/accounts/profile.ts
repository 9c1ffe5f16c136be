// A user's own profile: read and changed.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { invalid } from "../../core/refusal"
import { batch, type Statement } from "../../db/client"
import { mailedTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { sendAccountMail } from "../mails/account"
import { selectSettings } from "../settings/service"
import { authed, type User, type UserCtx } from "../user"
import { mailedLink, newMailedToken, storeMailedToken } from "./mailed-tokens"
import { emailKey, hasEmail, isTaken } from "./queries"
import { type Me, me, nameParts, type UpdateMe } from "./schemas"

/** @throws Refusal `unauthenticated` */
export async function readMe(ctx: UserCtx): Promise<z.input<typeof Me>> {
  const { user, answers } = await authed(ctx, (userId) => [selectSettings(ctx, userId)])
  return me(ctx, user, answers[0][0])
}

/**
 * Changes what is given and leaves the rest. Another address has to be confirmed anew where addresses are verified, and
 * whatever was mailed to the old one is no good any more.
 * @throws Refusal `unauthenticated`, then `validation_failed` for an address that another account has
 */
export async function updateMe(ctx: UserCtx, input: z.output<typeof UpdateMe>): Promise<z.input<typeof Me>> {
  const { db, id: siteId, api } = ctx.site
  const { user, answers } = await authed(ctx, (userId) => [
    selectSettings(ctx, userId),
    db
      .select({ id: users.id })
      .from(users)
      .where(input.email === undefined ? sql`false` : hasEmail(ctx, input.email)),
  ])
  if (answers[1].some(({ id }) => id !== user.id)) throw invalid("email", "taken")
  if (input.dob && new Date(input.dob) > ctx.now) throw invalid("dob", "date")
  const moved = input.email !== undefined && emailKey(input.email) !== user.emailKey
  const changes = { ...changesOf(user, input), ...(moved && { emailVerifiedAt: null }), updatedAt: ctx.now }
  const token = moved && api.emailVerification ? await newMailedToken("verify") : null
  const statements: Statement[] = [
    db
      .update(users)
      .set(changes)
      .where(and(eq(users.siteId, siteId), eq(users.id, user.id))),
  ]
  if (moved) {
    statements.push(
      db.delete(mailedTokens).where(and(eq(mailedTokens.siteId, siteId), eq(mailedTokens.userId, user.id))),
    )
  }
  if (token) statements.push(storeMailedToken(ctx, token, sql`${user.id}`, sql`where true`))
  try {
    await batch(db, statements)
  } catch (cause) {
    if (isTaken(cause)) throw invalid("email", "taken")
    throw cause
  }
  const next = { ...user, ...changes }
  if (token) sendAccountMail(ctx, "verify", next.email, { token: token.token, url: mailedLink(ctx, token, next.email) })
  return me(ctx, next, answers[0][0])
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
