// Signs the owner of a new store in: the browser that confirmed the sign-up gets a token, which the store's own host
// accepts while the owner has never signed in.
import * as z from "zod"
import type { Settings } from "../../env"
import { decrypt, encrypt } from "../../lib/cipher"
import { tryParseJson } from "../../lib/json"
import { MINUTE } from "../../lib/time"

/** Time limit for provisioning a store and for the owner's first visit. */
export const FIRST_SIGN_IN_TTL = 15 * MINUTE

const MAX_LENGTH = 1_000

const Token = z.object({
  purpose: z.literal("first-sign-in"),
  storeId: z.string(),
  email: z.string(),
  until: z.number(),
})

/** Creates the token of a store that was just created. */
export const createFirstSignIn = (
  { APP_KEY }: Settings,
  { storeId, email }: { storeId: string; email: string },
  now: Date,
): Promise<string> =>
  encrypt(
    APP_KEY,
    JSON.stringify({ purpose: "first-sign-in", storeId, email, until: now.getTime() + FIRST_SIGN_IN_TTL }),
  )

/** Returns the email address of a store's owner; null for a token that is forged, expired or of another store. */
export async function verifyFirstSignIn(
  { APP_KEY }: Settings,
  storeId: string,
  token: string,
  now: Date,
): Promise<string | null> {
  if (token.length > MAX_LENGTH) return null
  const text = await decrypt(APP_KEY, token)
  // The text may be another ciphertext of the platform, which is not JSON.
  const value = text === null ? null : Token.safeParse(tryParseJson(text))
  const isValid = value?.success && value.data.storeId === storeId && value.data.until > now.getTime()
  return isValid ? value.data.email : null
}
