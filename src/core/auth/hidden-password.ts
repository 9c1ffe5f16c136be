// Preserves the password of a form that is shown again, because browsers do not fill in password fields. The page
// contains it encrypted and for a limited time only, in a hidden field.
import * as z from "zod"
import type { Settings } from "../../env"
import { decrypt, encrypt } from "../../lib/cipher"
import { tryParseJson } from "../../lib/json"
import { MINUTE } from "../../lib/time"

/** The name of the hidden field for a password field. */
export const getHiddenName = (name: string): string => `hidden_${name}`

const TTL_MS = 30 * MINUTE
const MAX_LENGTH = 4_000

const HiddenPassword = z.object({ purpose: z.string(), password: z.string(), until: z.number() })

/**
 * Encrypts a password for its hidden field.
 * @param purpose the form and the person whose it is; the password is not decrypted for any other
 */
export const encryptPassword = ({ APP_KEY }: Settings, purpose: string, password: string, now: Date): Promise<string> =>
  encrypt(APP_KEY, JSON.stringify({ purpose, password, until: now.getTime() + TTL_MS }))

/** Decrypts the hidden field; undefined for a forged or expired one. */
export async function decryptPassword(
  { APP_KEY }: Settings,
  purpose: string,
  encrypted: unknown,
  now: Date,
): Promise<string | undefined> {
  if (typeof encrypted !== "string" || encrypted.length > MAX_LENGTH) return undefined
  const text = await decrypt(APP_KEY, encrypted)
  // The text may be another ciphertext of the platform, which is not JSON.
  const value = text === null ? null : HiddenPassword.safeParse(tryParseJson(text))
  if (!value?.success || value.data.purpose !== purpose || value.data.until <= now.getTime()) return undefined
  return value.data.password
}
