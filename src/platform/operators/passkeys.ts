// Passkeys of operators: registered by one who is signed in, then good for signing in and for being asked again.
import { and, asc, eq, lt, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { writeUnaudited, commit, WriteConflict } from "../../core/write/commit"
import { named } from "../../db/join-columns"
import { operatorPasskeys, operators } from "../../db/schema/central/operators"
import { insertSelect, remove, update } from "../../db/write"
import { publicUrl } from "../../env"
import { type Ceremony, challengeIn, verifyAssertion, verifyRegistration } from "../../lib/webauthn"
import { attemptInSession } from "./attempts"
import { makeChallenge, type Purpose, spendChallenge } from "./challenges"
import type { AddPasskey, Operator, ShowPasskey } from "./schemas"
import { confirmSession, type Session } from "./sessions"

/** Passkeys that one operator may have. */
const MOST = 20

/** What a page needs to ask a browser for a passkey. */
export interface PasskeyRequest {
  challenge: string
  rpId: string
}

export const requestPasskey = async (ctx: Ctx, purpose: Purpose): Promise<PasskeyRequest> => ({
  challenge: await makeChallenge(ctx, purpose),
  rpId: ctx.settings.CENTRAL_DOMAIN,
})

/** The statement that reads an operator's passkeys, the oldest first. */
export const selectPasskeys = (ctx: Ctx, operatorId: number) =>
  ctx.db
    .select()
    .from(operatorPasskeys)
    .where(eq(operatorPasskeys.operatorId, operatorId))
    .orderBy(asc(operatorPasskeys.id))

/** The ceremony that an answer says it belongs to, once its challenge was found good and is spent; else null. */
async function ceremonyOf(ctx: Ctx, purpose: Purpose, clientData: string): Promise<Ceremony | null> {
  const challenge = challengeIn(clientData)
  if (!challenge || !(await spendChallenge(ctx, purpose, challenge))) return null
  const { settings } = ctx
  return { challenge, rpId: settings.CENTRAL_DOMAIN, origin: publicUrl(settings, settings.CENTRAL_DOMAIN) }
}

/**
 * Registers a passkey.
 * @throws Refusal `passkey_refused` for an answer that does not hold; `validation_failed` on `name` where there are too many
 */
export async function addPasskey(ctx: Ctx, { id }: Operator, input: z.output<typeof AddPasskey>): Promise<void> {
  const ceremony = await ceremonyOf(ctx, `register:${id}`, input.client_data)
  const verified =
    ceremony &&
    (await verifyRegistration(ceremony, {
      credentialId: input.credential_id,
      clientData: input.client_data,
      authenticatorData: input.authenticator_data,
      publicKey: input.public_key,
      algorithm: input.algorithm,
    }))
  if (!verified) throw new Refusal("passkey_refused")
  const row = {
    operatorId: id,
    credentialId: input.credential_id,
    publicKey: input.public_key,
    algorithm: verified.algorithm,
    counter: verified.counter,
    name: input.name,
    createdAt: ctx.now,
  }
  const fits = sql`where (select count(*) from ${operatorPasskeys} where ${eq(operatorPasskeys.operatorId, id)}) < ${MOST}`
  await commit(ctx, {
    guard: insertSelect(operatorPasskeys, row, fits),
    trail: [{ audit: { subject: "operator", deed: "changed", id, after: { passkey: input.name } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? invalid("name", "duplicate") : cause
  })
}

/**
 * Takes a passkey of an operator away.
 * @throws Refusal `not_found`
 */
export async function removePasskey(ctx: Ctx, operator: Operator, id: number): Promise<void> {
  const own = and(eq(operatorPasskeys.operatorId, operator.id), eq(operatorPasskeys.id, id))
  const [known] = await ctx.db.select({ name: operatorPasskeys.name }).from(operatorPasskeys).where(own)
  if (!known) throw new Refusal("not_found")
  await commit(ctx, {
    guard: remove(operatorPasskeys).where(own),
    trail: [{ audit: { subject: "operator", deed: "changed", id: operator.id, before: { passkey: known.name } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("not_found") : cause
  })
}

/**
 * The operator behind a passkey that was shown. Its user was verified by the authenticator, so no other factor is asked for.
 * @throws Refusal `passkey_refused` for whatever does not hold, whichever it is
 */
export const operatorOfPasskey = (ctx: Ctx, input: z.output<typeof ShowPasskey>): Promise<Operator> =>
  shown(ctx, "sign-in", input)

/**
 * Confirms a session by a passkey of its operator.
 * @throws Refusal `rate_limited`, `passkey_refused`
 */
export const confirmByPasskey = (ctx: Ctx, session: Session, input: z.output<typeof ShowPasskey>): Promise<void> =>
  attemptInSession(ctx, session, async () => {
    const operator = await shown(ctx, `confirm:${session.operator.id}`, input)
    if (operator.id !== session.operator.id) throw new Refusal("passkey_refused")
    await confirmSession(ctx, session)
  })

async function shown(ctx: Ctx, purpose: Purpose, input: z.output<typeof ShowPasskey>): Promise<Operator> {
  const [row] = await ctx.db
    .select({ passkey: named(operatorPasskeys), operator: named(operators) })
    .from(operatorPasskeys)
    .innerJoin(operators, eq(operators.id, operatorPasskeys.operatorId))
    .where(eq(operatorPasskeys.credentialId, input.passkey_id))
  const ceremony = await ceremonyOf(ctx, purpose, input.passkey_client_data)
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
  // Authenticators that count do so upwards: one that went back, or stood still, is a copy. Those that do not count say 0 for ever.
  const rises = counter === 0 ? eq(operatorPasskeys.counter, 0) : lt(operatorPasskeys.counter, counter)
  const [used] = await writeUnaudited(ctx, "a passkey was shown", [
    update(operatorPasskeys)
      .set({ counter, lastUsedAt: ctx.now })
      .where(and(eq(operatorPasskeys.id, passkey.id), rises))
      .returning({ id: operatorPasskeys.id }),
  ])
  if (!used.length) throw new Refusal("passkey_refused")
  return operator
}
