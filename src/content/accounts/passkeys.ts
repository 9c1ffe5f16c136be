// Registers and verifies the passkeys of a store's staff. A passkey works on the host on which it was registered.
import { and, eq, lt, sql } from "drizzle-orm"
import type * as z from "zod"
import {
  type AddConfirmedPasskey,
  consumeCeremony,
  createPasskeyRequest,
  type PasskeyAssertion,
  type PasskeyRequest,
} from "../../core/auth/passkeys"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import type { Input } from "../../core/http/input"
import { afterRateLimit } from "../../core/http/rate-limit"
import { type FieldError, Refusal } from "../../core/http/refusal"
import { WriteConflict, writeUnaudited } from "../../core/write/commit"
import { aliasedColumns } from "../../db/join-columns"
import { userPasskeys } from "../../db/schema/sites/second-factors"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { verifyAssertion, verifyRegistration } from "../../lib/webauthn"
import type { SiteCtx } from "../site"
import { staffRole } from "../staff/rules"
import { writeAsStaff } from "../staff/write"
import { authenticate, type User, type UserCtx } from "../user"

/** Limit per member. */
const MAX_PASSKEYS = 20

const tooMany: FieldError = { rule: "max_count", facts: { max: MAX_PASSKEYS } }

/** A challenge is valid for one purpose in one store, of which a later one may have the name. */
const purposeOf = ({ site }: SiteCtx, what: "sign-in" | `register:${number}`): string =>
  `store ${site.id} ${site.store?.seq} ${what}`

/** Creates the options of the prompt that signs in. */
export const createSignInRequest = (ctx: SiteCtx): Promise<PasskeyRequest> =>
  createPasskeyRequest(ctx, purposeOf(ctx, "sign-in"), ctx.site.hostname)

/** Creates the options of the prompt that registers a passkey. */
export const createRegistrationRequest = (ctx: SiteCtx, userId: number): Promise<PasskeyRequest> =>
  createPasskeyRequest(ctx, purposeOf(ctx, `register:${userId}`), ctx.site.hostname)

/**
 * Registers a passkey, given the current password.
 * @throws Refusal as `hashing` does, `unauthenticated`; `validation_failed` on `current_password`, and on `name` when
 *   the limit is reached; `passkey_refused` for an invalid response
 */
export async function addPasskey(
  ctx: UserCtx,
  input: Input<typeof AddConfirmedPasskey>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { hostname, id: siteId, db } = ctx.site
  const { user, results } = await afterRateLimit(
    hashing,
    authenticate(
      ctx,
      (userId) => [
        db
          .select({ id: userPasskeys.id })
          .from(userPasskeys)
          .where(and(eq(userPasskeys.siteId, siteId), eq(userPasskeys.userId, userId))),
      ],
      { role: "viewer" },
    ),
  )
  const { current_password: password } = input.valid
  const isCorrect = password !== undefined && (await (await hashing).verify(password, user.passwordHash))
  const values = input.complete({
    name: results[0].length < MAX_PASSKEYS ? null : tooMany,
    current_password: isCorrect ? null : "current_password",
  })
  const ceremony = await consumeCeremony(ctx, purposeOf(ctx, `register:${user.id}`), values.client_data, hostname)
  const verified =
    ceremony &&
    (await verifyRegistration(ceremony, {
      credentialId: values.credential_id,
      clientData: values.client_data,
      authenticatorData: values.authenticator_data,
      publicKey: values.public_key,
      algorithm: values.algorithm,
    }))
  if (!verified) throw new Refusal("passkey_refused")
  const row = {
    userId: user.id,
    host: hostname,
    credentialId: values.credential_id,
    publicKey: values.public_key,
    algorithm: verified.algorithm,
    counter: verified.counter,
    name: values.name,
    createdAt: ctx.now,
  }
  const own = sql`${userPasskeys.siteId} = ${siteId} and ${userPasskeys.userId} = ${user.id}`
  const isBelowLimit = sql`where (select count(*) from ${userPasskeys} where ${own}) < ${MAX_PASSKEYS}`
  await writeAsStaff(ctx, user, {
    role: "viewer",
    writes: [inSite(siteId).insertSelect(userPasskeys, row, isBelowLimit), abortUnlessTouched],
    auditLog: [{ subject: "staff", action: "changed", id: user.id, after: { passkey: values.name } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("name", tooMany) : cause
  })
}

/**
 * Removes a passkey of the member.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export async function removePasskey(ctx: UserCtx, id: number): Promise<void> {
  const { db, id: siteId } = ctx.site
  const { user, results } = await authenticate(
    ctx,
    (userId) => [
      db
        .select({ name: userPasskeys.name })
        .from(userPasskeys)
        .where(and(eq(userPasskeys.siteId, siteId), eq(userPasskeys.userId, userId), eq(userPasskeys.id, id))),
    ],
    { role: "viewer" },
  )
  const [passkey] = results[0]
  if (!passkey) throw new Refusal("not_found")
  await writeAsStaff(ctx, user, {
    role: "viewer",
    writes: [
      inSite(siteId)
        .remove(userPasskeys)
        .where(and(eq(userPasskeys.userId, user.id), eq(userPasskeys.id, id))),
    ],
    auditLog: [{ subject: "staff", action: "changed", id: user.id, before: { passkey: passkey.name } }],
  })
}

/**
 * Authenticates a member of the staff by a passkey.
 * @throws Refusal `passkey_refused` for any invalid part of the response
 */
export async function authenticateByPasskey(ctx: SiteCtx, input: z.output<typeof PasskeyAssertion>): Promise<User> {
  const { db, id: siteId, hostname } = ctx.site
  const [row] = await db
    .select({ passkey: aliasedColumns(userPasskeys), user: aliasedColumns(users) })
    .from(userPasskeys)
    .innerJoin(users, and(eq(users.siteId, siteId), eq(users.id, userPasskeys.userId)))
    .where(and(eq(userPasskeys.siteId, siteId), eq(userPasskeys.credentialId, input.passkey_id)))
  const ceremony = await consumeCeremony(ctx, purposeOf(ctx, "sign-in"), input.passkey_client_data, hostname)
  if (!row || !staffRole(row.user) || !ceremony) throw new Refusal("passkey_refused")
  const { passkey, user } = row
  const counter = await verifyAssertion(
    ceremony,
    {
      clientData: input.passkey_client_data,
      authenticatorData: input.passkey_authenticator_data,
      signature: input.passkey_signature,
    },
    passkey,
  )
  if (counter === null) throw new Refusal("passkey_refused")
  // A signature counter that does not increase indicates a cloned authenticator. Authenticators without a counter
  // always report 0.
  const isCounterValid = counter === 0 ? eq(userPasskeys.counter, 0) : lt(userPasskeys.counter, counter)
  const [updated] = await writeUnaudited({ db }, "authentication", [
    inSite(siteId)
      .update(userPasskeys)
      .set({ counter, lastUsedAt: ctx.now })
      .where(and(eq(userPasskeys.id, passkey.id), isCounterValid))
      .returning({ id: userPasskeys.id }),
  ])
  if (!updated.length) throw new Refusal("passkey_refused")
  return user
}
