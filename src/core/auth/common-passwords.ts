// Recognizes the 10,000 most common passwords of at least eight characters, by their hashes: the list itself would be
// three times as long. A password that is not in the list has the hash of one with a probability of 1 in 400,000.
import type { Bindings } from "../../env"
import { isolateState } from "../../lib/isolate-state"
import type { FieldErrors } from "../http/refusal"
import { openStaticFile } from "../storage/static-files"
import { hashPasswordName } from "./hash-password-name"

/** Read on first use, because most isolates see no new password. */
const hashes = isolateState((): ReadonlySet<number> | null => null)

/**
 * Looks up a chosen password among the most common ones, in any case.
 * @returns the violated rule; null for an uncommon password, or none
 */
export async function findPasswordRule(env: Bindings, password: string | undefined): Promise<"common_password" | null> {
  if (!password) return null
  hashes.current ??= new Set(new Uint32Array(await (await openStaticFile(env, "common-passwords.bin")).arrayBuffer()))
  return hashes.current.has(hashPasswordName(password)) ? "common_password" : null
}

/** The errors of a form's `password` that is too common, for schemas that the API shares and that accept it. */
export async function findPasswordErrors(env: Bindings, { password }: { password?: unknown }): Promise<FieldErrors> {
  const rule = await findPasswordRule(env, typeof password === "string" ? password : undefined)
  return rule ? { password: [{ rule }] } : {}
}
