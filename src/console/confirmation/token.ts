// Binds a confirmation to the operator's session, the action, its input and the state that the page showed. The token
// is an HMAC of these, so nothing is stored.
import type { Context } from "hono"
import { equalSecrets, hmacSha256 } from "../../lib/hash"
import { getSession } from "../session"
import type { ConsoleEnv, Form } from "../types"

/** Fields of a confirmed form that are not part of the action's input. */
const CONTROL_FIELDS = /^(once|confirmation|reason|tell_owner|confirm|confirm_password|done|passkey_.*)$/

/** The fields of the action's own form, which the confirmation page carries. */
export const getInputFields = (form: Form): Form => new Map([...form].filter(([name]) => !CONTROL_FIELDS.test(name)))

/**
 * Computes the token of a confirmation.
 * @param state of everything that the page shows and that the action depends on
 */
export async function signConfirmation(c: Context<ConsoleEnv>, form: Form, state: unknown): Promise<string> {
  const fields = [...getInputFields(form)].sort(([a], [b]) => (a < b ? -1 : 1))
  const message = JSON.stringify(["console-confirmation", getSession(c).session.hash, c.req.path, fields, state])
  const mac = await hmacSha256(c.var.ctx.settings.APP_KEY.current, message)
  return mac.toBase64({ alphabet: "base64url", omitPadding: true })
}

/** Whether a submitted token is the one of this action, input and state. */
export const verifyConfirmation = async (
  c: Context<ConsoleEnv>,
  form: Form,
  state: unknown,
  token: string,
): Promise<boolean> => equalSecrets(token, await signConfirmation(c, form, state))
