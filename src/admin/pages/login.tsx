// Signs members of the staff in and out.
import type { Context } from "hono"
import { FORGOT_PASSWORD_PATH } from "../../content/accounts/mailed-tokens"
import { LogIn } from "../../content/accounts/schemas"
import { revokeSession } from "../../content/accounts/sessions"
import { openFirstSession, openStaffSession } from "../../content/accounts/staff-sessions"
import { DRAFT_PARAMETER } from "../../core/auth/form-drafts"
import { Refusal } from "../../core/http/refusal"
import { Field, FormErrors } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Note } from "../../page-kit/parts"
import { createAdminPages, requireRole } from "../access"
import { handleForm, isRefusedBy } from "../forms"
import { getReturnPath } from "../gate"
import { publicPage } from "../page"
import { ADMIN, LOGIN_PATH, LOGOUT_PATH } from "../paths"
import { clearSessionCookie, getCtx, setSessionCookie } from "../session"
import type { AdminEnv } from "../types"

type C = Context<AdminEnv>

export const showLogin = (c: C): Response | Promise<Response> =>
  c.var.session
    ? c.redirect(getReturnPath(c.req.query("next")), 303)
    : renderLogin(c, emptyForm({ next: c.req.query("next") }))

export const submitLogin = (c: C): Promise<Response> =>
  handleForm(c, {
    schema: LogIn,
    run: async (input) => {
      try {
        setSessionCookie(c, await openStaffSession(c.var.ctx, input))
      } catch (thrown) {
        if (!isRefusedBy(thrown, "forbidden")) throw thrown
        return renderLogin(c, {
          ...emptyForm(),
          status: 422,
          values: c.var.form,
          message: c.var.strings.login.not_staff,
        })
      }
      return getReturnPath(c.var.form.get("next")?.at(-1))
    },
    render: (state) => renderLogin(c, state),
  })

/** Signs the owner of a new store in, who comes from the sign-up. */
export async function arrive(c: C): Promise<Response> {
  const token = await openFirstSession(c.var.ctx, c.req.query("token") ?? "")
  if (token) setSessionCookie(c, token)
  return c.redirect(token || c.var.session ? ADMIN : LOGIN_PATH, 303)
}

export const logout = createAdminPages().post(LOGOUT_PATH, requireRole("viewer"), async (c) => {
  clearSessionCookie(c)
  try {
    await revokeSession(getCtx(c))
  } catch (thrown) {
    // The logins of a store that is being migrated cannot be deleted; they expire by themselves.
    const isOver = thrown instanceof Refusal && ["unauthenticated", "store_unavailable"].includes(thrown.code)
    if (!isOver) throw thrown
  }
  return c.redirect(`${LOGIN_PATH}?done=signed_out`, 303)
})

const hasDraft = (state: FormState): boolean => {
  const query = (state.values.get("next")?.at(-1) ?? "").split("?")[1]
  return new URLSearchParams(query).has(DRAFT_PARAMETER)
}

function renderLogin(c: C, state: FormState): Response | Promise<Response> {
  const { login, notices } = c.var.strings
  const done = c.req.method === "GET" ? (c.req.query("done") ?? "") : ""
  const notice = Object.hasOwn(notices, done) ? notices[done] : undefined
  return publicPage(c, {
    title: login.title,
    state,
    children: (
      <>
        <form method="post" action={LOGIN_PATH}>
          {notice && (
            <Note tone="good">
              <p role="status">{notice}</p>
            </Note>
          )}
          <FormErrors state={state} />
          {hasDraft(state) && (
            <Note>
              <p>{login.expired}</p>
            </Note>
          )}
          <input type="hidden" name="next" value={state.values.get("next")?.at(-1) ?? ""} />
          <Field name="email" type="email" state={state} required autocomplete="username" />
          <Field name="password" type="password" state={state} required autocomplete="current-password" />
          <button type="submit">{login.title}</button>
        </form>
        <p>
          <a href={FORGOT_PASSWORD_PATH}>{login.forgot}</a>
        </p>
      </>
    ),
  })
}
