// The member's own account: profile, password, second factor, passkeys and sessions.
import type { Context } from "hono"
import { updatePassword } from "../../content/accounts/passwords"
import { updateMe } from "../../content/accounts/profile"
import { UpdateMe, UpdatePassword } from "../../content/accounts/schemas"
import { logOut } from "../../content/accounts/sessions"
import { countHashing } from "../../content/rate-limits"
import { clientAddress } from "../../core/http/http"
import { invalid } from "../../core/http/refusal"
import { fullName } from "../../lib/full-name"
import { ActionButton, Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card } from "../../page-kit/parts"
import { createAdminPages, requireRole } from "../access"
import { handleForm, isRefusedBy, withNotice } from "../forms"
import { page } from "../page"
import { ACCOUNT, LOGIN_PATH } from "../paths"
import { clearSessionCookie, getCtx, getSession } from "../session"
import type { AdminEnv } from "../types"
import { createSecurityPages, loadSecurity, SecurityCards, SessionTable } from "./security"

type C = Context<AdminEnv>

const PASSWORD_PATH = `${ACCOUNT}/password`
const SESSIONS_PATH = `${ACCOUNT}/sessions/delete`

export const security = createSecurityPages(renderAccount)

export const account = createAdminPages()
  .get(ACCOUNT, (c) => renderAccount(c))
  .get(PASSWORD_PATH, (c) => c.redirect(ACCOUNT, 303))
  .post(ACCOUNT, requireRole("viewer"), (c) =>
    handleForm(c, {
      schema: UpdateMe,
      isEdit: true,
      run: async (input) => {
        const ctx = getCtx(c)
        const subject = { ip: clientAddress(c), account: ctx.caller.token?.hash }
        const hashing = input.valid.current_password ? countHashing(ctx, "password", subject) : Promise.resolve(null)
        await updateMe(ctx, input, hashing)
        return withNotice(ACCOUNT, "profile_saved")
      },
      render: (state) => renderAccount(c, state),
    }),
  )
  .post(PASSWORD_PATH, requireRole("viewer"), (c) =>
    handleForm(c, {
      schema: UpdatePassword,
      run: async (input) => {
        const ctx = getCtx(c)
        const subject = { ip: clientAddress(c), account: ctx.caller.token?.hash }
        try {
          await updatePassword(ctx, input, countHashing(ctx, "password", subject, 2))
        } catch (thrown) {
          throw isRefusedBy(thrown, "wrong_password") ? invalid("current_password", "current_password") : thrown
        }
        // A new password ends every session, this one too.
        clearSessionCookie(c)
        return withNotice(LOGIN_PATH, "password_changed")
      },
      render: (state) => renderAccount(c, state),
    }),
  )
  .post(SESSIONS_PATH, requireRole("viewer"), async (c) => {
    await logOut(getCtx(c))
    clearSessionCookie(c)
    return c.redirect(withNotice(LOGIN_PATH, "signed_out"), 303)
  })

async function renderAccount(c: C, state?: FormState) {
  const { account: t, common, nav } = c.var.strings
  const { user } = getSession(c)
  const loaded = await loadSecurity(c)
  return page(c, {
    title: nav.account,
    state,
    children: (
      <>
        <Card title={t.profile}>
          <Form action={ACCOUNT} submitLabel={common.save}>
            <Field name="name" required maxlength={120} value={fullName(user)} autocomplete="name" />
            <Field name="phone" label={t.phone} maxlength={25} value={user.phone} autocomplete="tel" />
            <Field name="email" type="email" required maxlength={60} value={user.email} autocomplete="email" />
            <Field
              name="current_password"
              label={t.current}
              type="password"
              hint={t.email_hint}
              autocomplete="current-password"
              idPrefix="email"
            />
          </Form>
        </Card>
        <Card title={t.password}>
          <p>{t.password_body}</p>
          <Form action={PASSWORD_PATH} submitLabel={t.change}>
            <Field name="current_password" label={t.current} type="password" required autocomplete="current-password" />
            <Field name="password" label={t.new} type="password" required autocomplete="new-password" />
            <Field name="password_confirmation" label={t.repeat} type="password" required autocomplete="new-password" />
          </Form>
        </Card>
        <SecurityCards {...loaded} />
        <Card title={t.sessions}>
          <SessionTable sessions={loaded.sessions} current={getCtx(c).caller.token?.id} />
          <p>{t.sessions_body}</p>
          <ActionButton action={SESSIONS_PATH} label={t.end_sessions} />
        </Card>
      </>
    ),
  })
}
