// Registers and verifies operators' passkeys, for signing in and for confirming a session.
import { and, asc, eq, lt, sql } from "drizzle-orm"
import type * as z from "zod"
import {
  type AddPasskey,
  consumeCeremony,
  createPasskeyRequest,
  type PasskeyAssertion,
  type PasskeyRequest,
} from "../../core/auth/passkeys"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { type FieldError, Refusal } from "../../core/http/refusal"
import { commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { aliasedColumns } from "../../db/join-columns"
import { operatorPasskeys, operators } from "../../db/schema/central/operators"
import { insertSelect, remove, update } from "../../db/write"
import { verifyAssertion, verifyRegistration } from "../../lib/webauthn"
import { attemptInSession } from "./limits"
import type { Operator } from "./schemas"
import { confirmSession, type Session } from "./sessions"

/** Limit per operator. */
const MAX_PASSKEYS = 20

const tooMany: FieldError = { rule: "max_count", facts: { max: MAX_PASSKEYS } }

/** The purpose of a challenge: signing in, or an action of one operator. */
type Purpose = "sign-in" | `register:${number}` | `confirm:${number}`

export const createOperatorPasskeyRequest = (ctx: Ctx, purpose: Purpose): Promise<PasskeyRequest> =>
  createPasskeyRequest(ctx, purpose, ctx.settings.CENTRAL_DOMAIN)

/** Selects an operator's passkeys, oldest first. */
export const selectPasskeys = (ctx: Ctx, operatorId: number) =>
  ctx.db
    .select()
    .from(operatorPasskeys)
    .where(eq(operatorPasskeys.operatorId, operatorId))
    .orderBy(asc(operatorPasskeys.id))

const consumeOperatorCeremony = (ctx: Ctx, purpose: Purpose, clientData: string) =>
  consumeCeremony(ctx, purpose, clientData, ctx.settings.CENTRAL_DOMAIN)

/**
 * Registers a passkey.
 * @throws Refusal `passkey_refused` for an invalid response; `validation_failed` on `name` when the limit is reached
 */
export async function addPasskey(ctx: Ctx, { id }: Operator, input: Input<typeof AddPasskey>): Promise<void> {
  const own = eq(operatorPasskeys.operatorId, id)
  const values = await input.completeBeforeCommit(async () => ({
    name: (await selectPasskeys(ctx, id)).length < MAX_PASSKEYS ? null : tooMany,
  }))
  const ceremony = await consumeOperatorCeremony(ctx, `register:${id}`, values.client_data)
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
    operatorId: id,
    credentialId: values.credential_id,
    publicKey: values.public_key,
    algorithm: verified.algorithm,
    counter: verified.counter,
    name: values.name,
    createdAt: ctx.now,
  }
  const isBelowLimit = sql`where (select count(*) from ${operatorPasskeys} where ${own}) < ${MAX_PASSKEYS}`
  await commit(ctx, {
    guard: insertSelect(operatorPasskeys, row, isBelowLimit),
    auditLog: [{ audit: { subject: "operator", action: "changed", id, after: { passkey: values.name } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("name", tooMany) : cause
  })
}

/**
 * Removes an operator's passkey.
 * @throws Refusal `not_found`
 */
export async function removePasskey(ctx: Ctx, operator: Operator, id: number): Promise<void> {
  const own = and(eq(operatorPasskeys.operatorId, operator.id), eq(operatorPasskeys.id, id))
  const [passkey] = await ctx.db.select({ name: operatorPasskeys.name }).from(operatorPasskeys).where(own)
  if (!passkey) throw new Refusal("not_found")
  await commit(ctx, {
    guard: remove(operatorPasskeys).where(own),
    auditLog: [
      { audit: { subject: "operator", action: "changed", id: operator.id, before: { passkey: passkey.name } } },
    ],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("not_found") : cause
  })
}

/**
 * Authenticates an operator by a passkey. The authenticator verified the user, so no other factor is needed.
 * @throws Refusal `passkey_refused` for any invalid part of the response
 */
export const authenticateByPasskey = (ctx: Ctx, input: z.output<typeof PasskeyAssertion>): Promise<Operator> =>
  verifyPasskey(ctx, "sign-in", input)

/**
 * Confirms a session by a passkey of its operator.
 * @throws Refusal `rate_limited`, `passkey_refused`
 */
export const confirmByPasskey = (ctx: Ctx, session: Session, input: z.output<typeof PasskeyAssertion>): Promise<void> =>
  attemptInSession(ctx, session, async () => {
    const operator = await verifyPasskey(ctx, `confirm:${session.operator.id}`, input)
    if (operator.id !== session.operator.id) throw new Refusal("passkey_refused")
    await confirmSession(ctx, session)
  })

async function verifyPasskey(ctx: Ctx, purpose: Purpose, input: z.output<typeof PasskeyAssertion>): Promise<Operator> {
  const [row] = await ctx.db
    .select({ passkey: aliasedColumns(operatorPasskeys), operator: aliasedColumns(operators) })
    .from(operatorPasskeys)
    .innerJoin(operators, eq(operators.id, operatorPasskeys.operatorId))
    .where(eq(operatorPasskeys.credentialId, input.passkey_id))
  const ceremony = await consumeOperatorCeremony(ctx, purpose, input.passkey_client_data)
  if (!row || row.operator.disabledAt || !ceremony) throw new Refusal("passkey_refused")
  const { passkey, operator } = row
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
  const isCounterValid = counter === 0 ? eq(operatorPasskeys.counter, 0) : lt(operatorPasskeys.counter, counter)
  const [updated] = await writeUnaudited(ctx, "authentication", [
    update(operatorPasskeys)
      .set({ counter, lastUsedAt: ctx.now })
      .where(and(eq(operatorPasskeys.id, passkey.id), isCounterValid))
      .returning({ id: operatorPasskeys.id }),
  ])
  if (!updated.length) throw new Refusal("passkey_refused")
  return operator
}
