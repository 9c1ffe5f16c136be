// Asks for the password or a passkey again before a sensitive action.
import type { Context } from "hono"
import { PasskeyAssertion } from "../../core/auth/passkeys"
import { Refusal } from "../../core/http/refusal"
import { Field, FormErrors } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { PasskeyForm } from "../../page-kit/passkey"
import { confirmByPasskey, createOperatorPasskeyRequest } from "../../platform/operators/passkeys"
import { confirmByPassword } from "../../platform/operators/sessions"
import { toFormState } from "../forms"
import { page } from "../kit/page"
import { getSession } from "../session"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

/** Names of secret fields, which the confirmation page does not echo. */
const REDACTED_FIELDS = /password|secret|service_account|encryption_key$|^passkey_/

/**
 * Verifies the password or passkey in the submitted form, or asks for it.
 * @param action the action as the page names it: "create an API key"
 * @param isUpload whether the form contains files, which have to be sent again
 * @returns the confirmation page; null when the operator has confirmed
 */
export async function requireConfirmation(
  c: Context<ConsoleEnv>,
  action: string,
  isUpload: boolean,
): Promise<Response | null> {
  const { ctx, form } = c.var
  const session = getSession(c)
  const password = form.get("confirm_password")?.at(-1)
  const passkey = PasskeyAssertion.safeParse(
    Object.fromEntries([...form].map(([name, values]) => [name, values.at(-1)])),
  )
  if (password === undefined && !passkey.success)
    return renderConfirmPage(c, { ...emptyForm(), status: 403 }, action, isUpload)
  try {
    if (passkey.success) await confirmByPasskey(ctx, session, passkey.data)
    else await confirmByPassword(ctx, session, password ?? "")
    return null
  } catch (thrown) {
    const state = toFormState(thrown, form)
    if (!state || !(thrown instanceof Refusal)) throw thrown
    return renderConfirmPage(
      c,
      thrown.code === "sign_in_failed"
        ? { ...state, message: undefined, errors: { confirm_password: [W.login.confirm_wrong] } }
        : state,
      action,
      isUpload,
    )
  }
}

async function renderConfirmPage(c: Context<ConsoleEnv>, state: FormState, action: string, isUpload: boolean) {
  const { ctx, form } = c.var
  const session = getSession(c)
  const request = await createOperatorPasskeyRequest(ctx, `confirm:${session.operator.id}`)
  const carried = (
    isUpload ? [["resend", ["1"]] as const] : [...form].filter(([name]) => !REDACTED_FIELDS.test(name))
  ).flatMap(([name, values]) => values.map((value) => <input type="hidden" name={name} value={value} />))
  return page(c, {
    title: W.login.confirm_title,
    status: state.status,
    children: (
      <>
        <p>{W.login.confirm_body(action)}</p>
        {isUpload && <p>{W.login.confirm_upload}</p>}
        <form method="post" action={c.req.path}>
          <FormErrors state={{ ...state, status: 422 }} />
          {carried}
          <Field
            name="confirm_password"
            label={W.fields.password}
            type="password"
            state={state}
            required
            autocomplete="current-password"
            autofocus
          />
          <button type="submit">{W.login.confirm_submit}</button>
        </form>
        <PasskeyForm
          hasKey
          failedText={W.account.passkey_failed}
          action={c.req.path}
          request={request}
          submitLabel={W.login.confirm_passkey}
          isSecondary
        >
          {carried}
        </PasskeyForm>
      </>
    ),
  })
}
