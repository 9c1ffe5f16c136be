// Signs operators in with a password, a two-factor code or a passkey, and signs them out.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { DRAFT_PARAMETER } from "../../core/auth/form-drafts"
import { PasskeyAssertion } from "../../core/auth/passkeys"
import { Field, FormErrors } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Note } from "../../page-kit/parts"
import { PasskeyForm } from "../../page-kit/passkey"
import { createOperatorPasskeyRequest } from "../../platform/operators/passkeys"
import { SignIn } from "../../platform/operators/schemas"
import { closeSession, openSession } from "../../platform/operators/sessions"
import { signInByCode, signInByPasskey, signInByPassword } from "../../platform/operators/sign-in"
import { handleForm } from "../forms"
import { clearSessionCookie, getReturnPath, requireSession, setSessionCookie } from "../gate"
import { publicPage } from "../kit/page"
import { LOGIN_PATH } from "../paths"
import { getSession } from "../session"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const CODE_PATH = "/console/login/code"
const PASSKEY_PATH = "/console/login/passkey"

const CodeForm = z.object({ code: z.string().min(1).max(64) })

export const login = new Hono<ConsoleEnv>()
  .get(LOGIN_PATH, async (c) => {
    if (c.var.session && !c.var.session.session.awaitsCode) return c.redirect(getReturnPath(c.req.query("next")), 303)
    return renderLogin(c, emptyForm({ next: c.req.query("next") }))
  })
  .post(LOGIN_PATH, (c) =>
    handleForm(
      c,
      SignIn,
      async (input) => {
        const { ctx } = c.var
        const operator = await signInByPassword(ctx, input)
        const awaitsCode = operator.totpEnabledAt !== null && !input.code
        const agent = c.req.header("User-Agent") ?? null
        setSessionCookie(c, await openSession(ctx, operator, { awaitsCode, agent }))
        const next = getReturnPath(c.var.form.get("next")?.at(-1))
        return awaitsCode ? `${CODE_PATH}?next=${encodeURIComponent(next)}` : next
      },
      (state) => renderLogin(c, state),
    ),
  )
  .post(PASSKEY_PATH, (c) =>
    handleForm(
      c,
      PasskeyAssertion,
      async (input) => {
        const { ctx } = c.var
        const operator = await signInByPasskey(ctx, input)
        const agent = c.req.header("User-Agent") ?? null
        setSessionCookie(c, await openSession(ctx, operator, { awaitsCode: false, agent }))
        return getReturnPath(c.var.form.get("next")?.at(-1))
      },
      (state) => renderLogin(c, state),
    ),
  )
  .get(CODE_PATH, (c) =>
    c.var.session?.session.awaitsCode
      ? renderCodePage(c, emptyForm({ next: c.req.query("next") }))
      : c.redirect(LOGIN_PATH, 303),
  )
  .post(CODE_PATH, async (c) => {
    const { session } = c.var
    if (!session?.session.awaitsCode) return c.redirect(LOGIN_PATH, 303)
    return handleForm(
      c,
      CodeForm,
      async ({ code }) => {
        await signInByCode(c.var.ctx, session, code)
        return getReturnPath(c.var.form.get("next")?.at(-1))
      },
      (state) => renderCodePage(c, state),
    )
  })
  .post("/console/logout", requireSession, async (c) => {
    await closeSession(c.var.ctx, getSession(c))
    clearSessionCookie(c)
    return c.redirect(`${LOGIN_PATH}?done=signed_out`, 303)
  })

async function renderLogin(c: Context<ConsoleEnv>, state: FormState) {
  const request = await createOperatorPasskeyRequest(c.var.ctx, "sign-in")
  const done = c.req.method === "GET" ? c.req.query("done") : undefined
  return publicPage(c, {
    title: W.login.title,
    status: state.status,
    children: (
      <>
        <form method="post" action={LOGIN_PATH}>
          {(done === "signed_out" || done === "joined") && (
            <Note tone="good">
              <p role="status">{W.notices[done]}</p>
            </Note>
          )}
          <FormErrors state={state} />
          {hasDraft(state) && (
            <Note>
              <p>{W.login.expired_body}</p>
            </Note>
          )}
          <NextField state={state} />
          <Field name="email" type="email" state={state} required autocomplete="username" />
          <Field name="password" type="password" state={state} required autocomplete="current-password" />
          <button type="submit">{W.login.submit}</button>
        </form>

        <PasskeyForm
          failedText={W.account.passkey_failed}
          action={PASSKEY_PATH}
          request={request}
          submitLabel={W.login.passkey}
          isSecondary
        >
          <NextField state={state} />
        </PasskeyForm>
      </>
    ),
  })
}

function renderCodePage(c: Context<ConsoleEnv>, state: FormState) {
  return publicPage(c, {
    title: W.login.code_title,
    status: state.status,
    children: (
      <>
        <form method="post" action={CODE_PATH}>
          <FormErrors state={state} />
          <NextField state={state} />
          <Field name="code" state={state} hint={W.login.code_hint} required autocomplete="one-time-code" autofocus />
          <button type="submit">{W.login.code_submit}</button>
        </form>
        <p>
          <a href={`${LOGIN_PATH}?other=1`}>{W.login.other_account}</a>
        </p>
      </>
    ),
  })
}

/** Whether a form of an expired session is shown again after signing in. */
const hasDraft = (state: FormState): boolean =>
  new URLSearchParams(state.values.get("next")?.at(-1)?.split("?")[1]).has(DRAFT_PARAMETER)

const NextField = ({ state }: { state: FormState }) => {
  const next = getReturnPath(state.values.get("next")?.at(-1))
  return next === "/console" ? null : <input type="hidden" name="next" value={next} />
}
