// Challenges that passkeys sign. One says by itself until when it counts and what it is for, so that handing it out costs nothing,
// whoever asks; that it was used is written down, so that it counts once.
import { lte } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { isUnique } from "../../db/errors"
import { operatorChallenges } from "../../db/schema/central/operators"
import { insert, remove } from "../../db/write"
import { equalSecrets, hmacSha256, randomBase62 } from "../../lib/hash"
import { later, MINUTE } from "../../lib/time"

/** How long somebody has to find their key. */
const PATIENCE = 5 * MINUTE

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const

/** What a challenge is for: signing in, or what one operator is asked for. */
export type Purpose = "sign-in" | `register:${number}` | `confirm:${number}`

const encoded = (text: string): string => new TextEncoder().encode(text).toBase64(BASE64URL)

const seal = async (ctx: Ctx, purpose: Purpose, body: string): Promise<string> =>
  (await hmacSha256(ctx.settings.APP_KEY.current, `passkey ${purpose} ${body}`)).toBase64(BASE64URL)

/** @returns a challenge in base64url, as the browser gives it back */
export async function makeChallenge(ctx: Ctx, purpose: Purpose): Promise<string> {
  const body = `${later(ctx.now, PATIENCE).getTime()}.${randomBase62(22)}`
  return encoded(`${body}.${await seal(ctx, purpose, body)}`)
}

/**
 * Takes a challenge; the second time it is none any more.
 * @returns whether it was one of ours, for that, in time, and for the first time
 */
export async function spendChallenge(ctx: Ctx, purpose: Purpose, challenge: string): Promise<boolean> {
  const [until = "", random = "", mark = ""] = textOf(challenge).split(".")
  const body = `${until}.${random}`
  if (!equalSecrets(mark, await seal(ctx, purpose, body)) || Number(until) <= ctx.now.getTime()) return false
  try {
    await writeUnaudited(ctx, "a challenge counts once", [
      remove(operatorChallenges).where(lte(operatorChallenges.expiresAt, ctx.now)),
      insert(operatorChallenges).values({ random, expiresAt: new Date(Number(until)) }),
    ])
    return true
  } catch (cause) {
    if (isUnique(cause)) return false
    throw cause
  }
}

function textOf(challenge: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(challenge, { alphabet: "base64url" }))
  } catch {
    return ""
  }
}
