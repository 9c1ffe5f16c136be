// Signs members of the staff in and out.
import type { Context } from "hono"
import { FORGOT_PASSWORD_PATH } from "../../content/accounts/mailed-tokens"
import { createSignInRequest } from "../../content/accounts/passkeys"
import { LogIn } from "../../content/accounts/schemas"
import { EnterCode } from "../../content/accounts/second-factor"
import { revokeSession } from "../../content/accounts/sessions"
import {
  isAwaitingCode,
  openFirstSession,
  openSessionByCode,
  openSessionByPasskey,
  openStaffSession,
} from "../../content/accounts/staff-sessions"
import { DRAFT_PARAMETER } from "../../core/auth/form-drafts"
import { PasskeyAssertion } from "../../core/auth/passkeys"
import { Refusal } from "../../core/http/refusal"
import { Field, FormErrors } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Note } from "../../page-kit/parts"
import { PasskeyForm } from "../../page-kit/passkey"
import { createAdminPages, requireRole } from "../access"
import { findNotice, handleForm, isRefusedBy } from "../forms"
import { getReturnPath } from "../gate"
import { publicPage } from "../page"
import { ADMIN, LOGIN_CODE_PATH, LOGIN_PASSKEY_PATH, LOGIN_PATH, LOGOUT_PATH } from "../paths"
import {
  clearPendingSignIn,
  clearSessionCookie,
  getCtx,
  getPendingSignIn,
  setPendingSignIn,
  setSessionCookie,
} from "../session"
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
        const signIn = await openStaffSession(c.var.ctx, input)
        if ("awaitingCode" in signIn) {
          setPendingSignIn(c, signIn.awaitingCode)
          return `${LOGIN_CODE_PATH}?next=${encodeURIComponent(getNext(c))}`
        }
        setSessionCookie(c, signIn.token)
      } catch (thrown) {
        if (!isRefusedBy(thrown, "forbidden")) throw thrown
        return renderLogin(c, {
          ...emptyForm(),
          status: 422,
          values: c.var.form,
          message: c.var.strings.login.not_staff,
        })
      }
      return getNext(c)
    },
    render: (state) => renderLogin(c, state),
  })

const getNext = (c: C): string => getReturnPath(c.var.form.get("next")?.at(-1))

export const showCode = async (c: C): Promise<Response> =>
  (await isAwaitingCode(c.var.ctx, getPendingSignIn(c)))
    ? renderCode(c, emptyForm({ next: c.req.query("next") }))
    : c.redirect(LOGIN_PATH, 303)

export const submitCode = (c: C): Promise<Response> =>
  handleForm(c, {
    schema: EnterCode,
    run: async ({ code }) => {
      try {
        setSessionCookie(c, await openSessionByCode(c.var.ctx, getPendingSignIn(c), code))
      } catch (thrown) {
        if (isRefusedBy(thrown, "unauthenticated")) return LOGIN_PATH
        if (!isRefusedBy(thrown, "code_wrong")) throw thrown
        return renderCode(c, {
          ...emptyForm(),
          status: 422,
          values: c.var.form,
          message: c.var.strings.security.code_wrong,
        })
      }
      clearPendingSignIn(c)
      return getNext(c)
    },
    render: (state) => renderCode(c, state),
  })

export const submitPasskey = (c: C): Promise<Response> =>
  handleForm(c, {
    schema: PasskeyAssertion,
    run: async (input) => {
      try {
        setSessionCookie(c, await openSessionByPasskey(c.var.ctx, input))
      } catch (thrown) {
        if (!isRefusedBy(thrown, "passkey_refused")) throw thrown
        const message = c.var.strings.security.passkey_refused
        return renderLogin(c, { ...emptyForm(), status: 422, values: c.var.form, message })
      }
      return getNext(c)
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

async function renderLogin(c: C, state: FormState): Promise<Response> {
  const { login, security } = c.var.strings
  const request = await createSignInRequest(c.var.ctx)
  const notice = c.req.method === "GET" ? findNotice(c.var.strings, new URL(c.req.url).searchParams) : undefined
  return publicPage(c, {
    title: login.title,
    state,
    children: (
      <>
        <form method="post" action={LOGIN_PATH}>
          {notice && (
            <Note tone="good">
              <p role="status">{notice.text}</p>
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
        <PasskeyForm
          action={LOGIN_PASSKEY_PATH}
          request={request}
          submitLabel={security.passkey_sign_in}
          failedText={security.passkey_failed}
          isSecondary
        >
          <input type="hidden" name="next" value={state.values.get("next")?.at(-1) ?? ""} />
        </PasskeyForm>
        <p>
          <a href={FORGOT_PASSWORD_PATH}>{login.forgot}</a>
        </p>
      </>
    ),
  })
}

function renderCode(c: C, state: FormState): Response | Promise<Response> {
  const { security: t } = c.var.strings
  return publicPage(c, {
    title: t.code_title,
    state,
    children: (
      <>
        <form method="post" action={LOGIN_CODE_PATH}>
          <FormErrors state={state} />
          <input type="hidden" name="next" value={state.values.get("next")?.at(-1) ?? ""} />
          <Field
            name="code"
            label={t.code}
            state={state}
            hint={t.code_hint}
            required
            autocomplete="one-time-code"
            autofocus
          />
          <button type="submit">{t.sign_in}</button>
        </form>
        <p>
          <a href={LOGIN_PATH}>{t.other_account}</a>
        </p>
      </>
    ),
  })
}
