// Issues and verifies the challenges that passkeys sign, for the console and for the admins of stores. A challenge
// contains its expiry and an HMAC over its purpose, so issuing one needs no write; a used challenge is recorded, so it
// is single-use.
import { lte } from "drizzle-orm"
import * as z from "zod"
import { isUniqueViolation } from "../../db/errors"
import { operatorChallenges } from "../../db/schema/central/operators"
import { insert, remove } from "../../db/write"
import { publicUrl } from "../../env"
import { equalSecrets, hmacSha256, randomBase62 } from "../../lib/hash"
import { addMs, MINUTE } from "../../lib/time"
import { type Ceremony, challengeIn } from "../../lib/webauthn"
import type { Ctx } from "../context"
import { text, withLookups } from "../http/validation"
import { writeUnaudited } from "../write/commit"

/** Time to complete the passkey prompt. */
const CHALLENGE_TTL = 5 * MINUTE

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const

const encodeBase64Url = (text: string): string => new TextEncoder().encode(text).toBase64(BASE64URL)

const sign = async (ctx: Ctx, purpose: string, body: string): Promise<string> =>
  (await hmacSha256(ctx.settings.APP_KEY.current, `passkey ${purpose} ${body}`)).toBase64(BASE64URL)

/**
 * Creates a challenge.
 * @param purpose such as signing in, or an action of one person; a challenge is valid for no other
 * @returns base64url, as the browser returns it
 */
async function createChallenge(ctx: Ctx, purpose: string): Promise<string> {
  const body = `${addMs(ctx.now, CHALLENGE_TTL).getTime()}.${randomBase62(22)}`
  return encodeBase64Url(`${body}.${await sign(ctx, purpose, body)}`)
}

/**
 * Consumes a challenge.
 * @returns whether it was issued here for that purpose, has not expired, and was not used before
 */
async function consumeChallenge(ctx: Ctx, purpose: string, challenge: string): Promise<boolean> {
  const [expiry = "", random = "", signature = ""] = decodeBase64Url(challenge).split(".")
  const body = `${expiry}.${random}`
  if (!equalSecrets(signature, await sign(ctx, purpose, body)) || Number(expiry) <= ctx.now.getTime()) return false
  try {
    await writeUnaudited(ctx, "authentication", [
      remove(operatorChallenges).where(lte(operatorChallenges.expiresAt, ctx.now)),
      insert(operatorChallenges).values({ random, expiresAt: new Date(Number(expiry)) }),
    ])
    return true
  } catch (cause) {
    if (isUniqueViolation(cause)) return false
    throw cause
  }
}

function decodeBase64Url(challenge: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(challenge, { alphabet: "base64url" }))
  } catch {
    return ""
  }
}

/** The options of a browser's passkey prompt. */
export interface PasskeyRequest {
  challenge: string
  rpId: string
}

/**
 * Creates the options of a passkey prompt.
 * @param host that the passkeys are for
 */
export const createPasskeyRequest = async (ctx: Ctx, purpose: string, host: string): Promise<PasskeyRequest> => ({
  challenge: await createChallenge(ctx, purpose),
  rpId: host,
})

/** Returns the ceremony of a passkey response, after consuming its challenge; null when the challenge is not valid. */
export async function consumeCeremony(
  ctx: Ctx,
  purpose: string,
  clientData: string,
  host: string,
): Promise<Ceremony | null> {
  const challenge = challengeIn(clientData)
  if (!challenge || !(await consumeChallenge(ctx, purpose, challenge))) return null
  return { challenge, rpId: host, origin: publicUrl(ctx.settings, host) }
}

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/)

/** An authenticator's assertion, as `navigator.credentials.get()` returns it, in base64url. */
export const PasskeyAssertion = z.object({
  passkey_id: base64url(1400),
  passkey_client_data: base64url(4000),
  passkey_authenticator_data: base64url(4000),
  passkey_signature: base64url(1000),
})

const Registration = z.object({
  name: text({ max: 60 }),
  credential_id: base64url(1400),
  client_data: base64url(4000),
  authenticator_data: base64url(4000),
  public_key: base64url(1000),
  algorithm: z.enum(["-7", "-8", "-257"]),
})

/**
 * An authenticator's registration, as `navigator.credentials.create()` returns it: the key as SubjectPublicKeyInfo, the
 * algorithm as its COSE number.
 */
export const AddPasskey = withLookups(Registration, "name")

/** A registration with the password that confirms it. */
export const AddConfirmedPasskey = withLookups(
  Registration.extend({ current_password: z.string().min(1).max(250) }),
  "name",
  "current_password",
)
