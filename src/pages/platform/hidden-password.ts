// Preserves the password of a refused sign-up form when another field has an error. The page contains it
// encrypted and for a limited time only, in a hidden field.
import * as z from "zod"
import type { Settings } from "../../env"
import { decrypt, encrypt } from "../../lib/cipher"
import { MINUTE } from "../../lib/time"

/** The hidden field. */
export const HIDDEN_PASSWORD = "hidden_password"

const TTL_MS = 30 * MINUTE
const MAX_LENGTH = 4_000

const HiddenPassword = z.object({ purpose: z.literal("signup"), password: z.string(), until: z.number() })

/** Encrypts a password for the hidden field. */
export const encryptPassword = ({ APP_KEY }: Settings, password: string, now: Date): Promise<string> =>
  encrypt(APP_KEY, JSON.stringify({ purpose: "signup", password, until: now.getTime() + TTL_MS }))

/** Decrypts the hidden field; undefined for a forged or expired one. */
export async function decryptPassword(
  { APP_KEY }: Settings,
  encrypted: unknown,
  now: Date,
): Promise<string | undefined> {
  if (typeof encrypted !== "string" || encrypted.length > MAX_LENGTH) return undefined
  const text = await decrypt(APP_KEY, encrypted)
  const value = text === null ? null : HiddenPassword.safeParse(parseJson(text))
  return value?.success && value.data.until > now.getTime() ? value.data.password : undefined
}

/** The text may be another ciphertext of the platform, which is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
