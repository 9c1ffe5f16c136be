// Issues and verifies the challenges that passkeys sign. A challenge contains its expiry and an HMAC over its purpose,
// so issuing one needs no write; a used challenge is recorded, so it is single-use.
import { lte } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { isUniqueViolation } from "../../db/errors"
import { operatorChallenges } from "../../db/schema/central/operators"
import { insert, remove } from "../../db/write"
import { equalSecrets, hmacSha256, randomBase62 } from "../../lib/hash"
import { addMs, MINUTE } from "../../lib/time"

/** Time to complete the passkey prompt. */
const CHALLENGE_TTL = 5 * MINUTE

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const

/** The purpose of a challenge: signing in, or an action of one operator. */
export type Purpose = "sign-in" | `register:${number}` | `confirm:${number}`

const encodeBase64Url = (text: string): string => new TextEncoder().encode(text).toBase64(BASE64URL)

const sign = async (ctx: Ctx, purpose: Purpose, body: string): Promise<string> =>
  (await hmacSha256(ctx.settings.APP_KEY.current, `passkey ${purpose} ${body}`)).toBase64(BASE64URL)

/** @returns a challenge in base64url, as the browser returns it */
export async function createChallenge(ctx: Ctx, purpose: Purpose): Promise<string> {
  const body = `${addMs(ctx.now, CHALLENGE_TTL).getTime()}.${randomBase62(22)}`
  return encodeBase64Url(`${body}.${await sign(ctx, purpose, body)}`)
}

/**
 * Consumes a challenge.
 * @returns whether it was issued here for that purpose, has not expired, and was not used before
 */
export async function consumeChallenge(ctx: Ctx, purpose: Purpose, challenge: string): Promise<boolean> {
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
