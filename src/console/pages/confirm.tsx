// Being asked for the password again, before what cannot be taken back.
import type { Context } from "hono"
import { Refusal } from "../../core/http/refusal"
import { confirmByPasskey, requestPasskey } from "../../platform/operators/passkeys"
import { ShowPasskey } from "../../platform/operators/schemas"
import { confirmByPassword } from "../../platform/operators/sessions"
import { blank, type FormState, stateOf } from "../forms"
import { Faults, Field } from "../kit/form"
import { page } from "../kit/page"
import { Passkey } from "../kit/passkey"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

/** Fields that are never written into a page. */
const UNSEEN = /password|secret|service_account|encryption_key$|^passkey_/

/**
 * Takes the password of a form that was asked for it, or asks for it.
 * @param reason what the form does, as words behind "This"
 * @param isUpload whether the form brought files, which have to be sent again
 * @returns the page that asks; null when the password was right
 */
export async function confirmAgain(
  c: Context<ConsoleEnv>,
  reason: string,
  isUpload: boolean,
): Promise<Response | null> {
  const { ctx, session, form } = c.var
  const given = form.get("confirm_password")?.at(-1)
  const passkey = ShowPasskey.safeParse(Object.fromEntries([...form].map(([name, values]) => [name, values.at(-1)])))
  if (given === undefined && !passkey.success) return confirmPage(c, { ...blank(), status: 403 }, reason, isUpload)
  try {
    if (passkey.success) await confirmByPasskey(ctx, session, passkey.data)
    else await confirmByPassword(ctx, session, given ?? "")
    return null
  } catch (thrown) {
    const state = stateOf(thrown, form)
    if (!state || !(thrown instanceof Refusal)) throw thrown
    return confirmPage(
      c,
      thrown.code === "sign_in_failed"
        ? { ...state, message: undefined, errors: { confirm_password: [W.login.confirm_wrong] } }
        : state,
      reason,
      isUpload,
    )
  }
}

async function confirmPage(c: Context<ConsoleEnv>, state: FormState, reason: string, isUpload: boolean) {
  const { ctx, session, form } = c.var
  const request = await requestPasskey(ctx, `confirm:${session.operator.id}`)
  const carried = (isUpload ? [["resend", ["1"]] as const] : [...form].filter(([name]) => !UNSEEN.test(name))).flatMap(
    ([name, values]) => values.map((value) => <input type="hidden" name={name} value={value} />),
  )
  return page(c, {
    title: W.login.confirm_title,
    status: state.status,
    children: (
      <>
        <p>{W.login.confirm_body(reason)}</p>
        {isUpload && <p>{W.login.confirm_upload}</p>}
        <form method="post" action={c.req.path}>
          <Faults state={{ ...state, status: 422 }} />
          {carried}
          <Field
            name="confirm_password"
            label={W.fields.current_password}
            type="password"
            state={state}
            required
            autocomplete="current-password"
            autofocus
          />
          <button type="submit">{W.login.confirm_submit}</button>
        </form>
        <Passkey action={c.req.path} request={request} submit={W.login.confirm_passkey} quiet>
          {carried}
        </Passkey>
      </>
    ),
  })
}
