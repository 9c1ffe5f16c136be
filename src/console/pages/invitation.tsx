// The page that an operator's invitation leads to. Its recipient chooses a name and a password.
import { type Context, Hono } from "hono"
import { Refusal } from "../../core/http/refusal"
import { Field, FormErrors } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { acceptInvitation, findInvitation } from "../../platform/operators/invitations"
import { AcceptInvitation } from "../../platform/operators/schemas"
import { handleForm } from "../forms"
import { publicPage } from "../kit/page"
import { INVITATION_PATH, LOGIN_PATH } from "../paths"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

export const invitation = new Hono<ConsoleEnv>()
  .get(INVITATION_PATH, (c) => renderInvitation(c, c.req.query("token"), emptyForm()))
  .post(INVITATION_PATH, async (c) => {
    const token = c.var.form.get("token")?.at(-1)
    try {
      return await handleForm(
        c,
        AcceptInvitation,
        async (input) => {
          await acceptInvitation(c.var.ctx, token ?? "", input)
          return `${LOGIN_PATH}?done=joined`
        },
        (state) => renderInvitation(c, token, state),
      )
    } catch (thrown) {
      if (thrown instanceof Refusal && thrown.code === "invitation_invalid") return renderInvalid(c)
      throw thrown
    }
  })

async function renderInvitation(c: Context<ConsoleEnv>, token = "", state: FormState) {
  const found = await findInvitation(c.var.ctx, token)
  if (!found) return renderInvalid(c)
  return publicPage(c, {
    title: W.invitation.title,
    status: state.status,
    children: (
      <>
        <p>{W.invitation.body(found.email, W.operators.roles[found.role])}</p>
        <form method="post" action={INVITATION_PATH}>
          <FormErrors state={state} />
          <input type="hidden" name="token" value={token} />
          <Field name="name" state={state} required maxlength={120} autocomplete="name" />
          <Field
            name="password"
            type="password"
            state={state}
            hint={W.invitation.password_hint}
            required
            autocomplete="new-password"
          />
          <button type="submit">{W.invitation.accept}</button>
        </form>
      </>
    ),
  })
}

const renderInvalid = (c: Context<ConsoleEnv>) =>
  publicPage(c, {
    title: W.invitation.invalid,
    status: 422,
    children: (
      <>
        <p>{W.invitation.invalid_body}</p>
        <p>
          <a href={LOGIN_PATH}>{W.login.title}</a>
        </p>
      </>
    ),
  })
