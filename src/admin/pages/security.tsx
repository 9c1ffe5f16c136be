// The member's second factor, passkeys and sessions, on the account page.
import type { Context } from "hono"
import { raw } from "hono/html"
import { renderSVG } from "uqr"
import { addPasskey, createRegistrationRequest, removePasskey } from "../../content/accounts/passkeys"
import {
  ConfirmPassword,
  disableTotp,
  EnableTotp,
  enableTotp,
  endSession,
  readSecurity,
  readTotpSetup,
  startTotpSetup,
  type TotpSetup,
} from "../../content/accounts/second-factor"
import { countHashing } from "../../content/rate-limits"
import { AddConfirmedPasskey, type PasskeyRequest } from "../../core/auth/passkeys"
import { clientAddress } from "../../core/http/http"
import { rowId } from "../../core/http/row-id"
import { fullName } from "../../lib/full-name"
import { withColon } from "../../lib/intl"
import { formatMoment } from "../../lib/time-zone"
import { ActionButton, Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, Note, Time } from "../../page-kit/parts"
import { PasskeyForm } from "../../page-kit/passkey"
import { Table } from "../../page-kit/table"
import { useView } from "../../page-kit/view"
import { createAdminPages, requireRole } from "../access"
import { handleForm, isRefusedBy, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { ACCOUNT } from "../paths"
import { getCtx, getSession } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView } from "../view"

type C = Context<AdminEnv>

const TOTP = `${ACCOUNT}/totp`
const ENABLE = `${TOTP}/enable`
const PASSKEYS = `${ACCOUNT}/passkeys`
const SESSIONS = `${ACCOUNT}/sessions`

/** Permits the hash of a password that confirms a change of the account. */
const permit = (c: C) => {
  const ctx = getCtx(c)
  return countHashing(ctx, "password", { ip: clientAddress(c), account: ctx.caller.token?.hash })
}

/** The state of a form that was refused as a whole. */
const refused = (c: C, message: string): FormState => ({ status: 422, values: c.var.form, errors: {}, message })

/**
 * Creates the routes of the second factor, passkeys and sessions.
 * @param renderAccount renders the page of the account, with a refused form
 */
export const createSecurityPages = (renderAccount: (c: C, state?: FormState) => Promise<Response>) =>
  createAdminPages()
    .get(`${ACCOUNT}/:part{totp|passkeys|totp/enable}`, (c) => c.redirect(ACCOUNT, 303))
    .post(TOTP, requireRole("viewer"), (c) =>
      handleForm(c, {
        schema: ConfirmPassword,
        run: async (input) => renderSetup(c, await startTotpSetup(getCtx(c), input, permit(c))),
        render: (state) => renderAccount(c, state),
      }),
    )
    .post(ENABLE, requireRole("viewer"), (c) => {
      const render = async (state: FormState) => {
        const setup = await readTotpSetup(c.var.ctx, getSession(c).user, state.values.get("setup")?.at(-1) ?? "")
        return setup ? renderSetup(c, setup, state) : renderAccount(c, state)
      }
      return handleForm(c, {
        schema: EnableTotp,
        run: async (input) => {
          try {
            return await renderRecoveryCodes(c, await enableTotp(getCtx(c), input))
          } catch (thrown) {
            if (!isRefusedBy(thrown, "code_wrong")) throw thrown
            return render(refused(c, c.var.strings.security.code_wrong))
          }
        },
        render,
      })
    })
    .post(`${TOTP}/delete`, requireRole("viewer"), (c) =>
      handleForm(c, {
        schema: ConfirmPassword,
        run: async (input) => {
          await disableTotp(getCtx(c), input, permit(c))
          return withNotice(ACCOUNT, "totp_off")
        },
        render: (state) => renderAccount(c, state),
      }),
    )
    .post(PASSKEYS, requireRole("viewer"), (c) =>
      handleForm(c, {
        schema: AddConfirmedPasskey,
        run: async (input) => {
          try {
            await addPasskey(getCtx(c), input, permit(c))
            return withNotice(ACCOUNT, "passkey_added")
          } catch (thrown) {
            if (!isRefusedBy(thrown, "passkey_refused")) throw thrown
            return renderAccount(c, refused(c, c.var.strings.security.passkey_refused))
          }
        },
        render: (state) => renderAccount(c, state),
      }),
    )
    .post(`${PASSKEYS}/:id{[0-9]+}/delete`, requireRole("viewer"), (c) =>
      handleForm(c, {
        schema: NoFields,
        run: async () => {
          await removePasskey(getCtx(c), rowId(c.req.param("id")))
          return withNotice(ACCOUNT, "passkey_removed")
        },
        render: (state) => renderAccount(c, state),
      }),
    )
    .post(`${SESSIONS}/:id{[0-9]+}/delete`, requireRole("viewer"), (c) =>
      handleForm(c, {
        schema: NoFields,
        run: async () => {
          await endSession(getCtx(c), rowId(c.req.param("id")))
          return withNotice(ACCOUNT, "session_ended")
        },
        render: (state) => renderAccount(c, state),
      }),
    )

/** The security section of the account page. */
export interface Security extends Awaited<ReturnType<typeof readSecurity>> {
  request: PasskeyRequest
}

export const loadSecurity = async (c: C): Promise<Security> => {
  const ctx = getCtx(c)
  const [security, request] = await Promise.all([
    readSecurity(ctx),
    createRegistrationRequest(ctx, getSession(c).user.id),
  ])
  return { ...security, request }
}

/** The cards of the second factor and the passkeys. */
export function SecurityCards({ hasTotp, recoveryCodes, passkeys, request }: Security) {
  const { t, session } = useAdminView()
  const { security, account } = t
  return (
    <>
      <Card title={security.totp} id="totp">
        <p>{hasTotp ? security.totp_on(recoveryCodes) : security.totp_off}</p>
        <p class="sub">{security.totp_scope}</p>
        <Form
          action={hasTotp ? `${TOTP}/delete` : TOTP}
          submitLabel={hasTotp ? security.turn_off : security.set_up}
          danger={hasTotp}
        >
          <PasswordField idPrefix="totp" label={account.current} />
        </Form>
      </Card>
      <Card title={security.passkeys} id="passkeys">
        <p>{security.passkeys_body}</p>
        {passkeys.length === 0 ? (
          <p class="sub">{security.no_passkeys}</p>
        ) : (
          <Table
            label={security.passkeys}
            rows={passkeys}
            columns={[
              { head: security.passkey_name, cell: ({ name }) => name },
              { head: security.host, cell: ({ host }) => host },
              { head: security.last_used, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              { head: security.added, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                head: security.remove,
                cell: ({ id, name }) => (
                  <ActionButton action={`${PASSKEYS}/${id}/delete`} label={security.remove} about={name} danger />
                ),
              },
            ]}
          />
        )}
        {session && (
          <PasskeyForm
            action={PASSKEYS}
            request={request}
            submitLabel={security.add_passkey}
            failedText={security.passkey_failed}
            hasKey
            owner={{ id: session.user.id, email: session.user.email, name: fullName(session.user) }}
          >
            <Field
              name="name"
              label={security.passkey_name}
              required
              maxlength={60}
              hint={security.passkey_name_hint}
              idPrefix="passkey"
            />
            <PasswordField idPrefix="passkey" label={account.current} />
          </PasskeyForm>
        )}
        <noscript>
          <p class="sub">{security.needs_script}</p>
        </noscript>
      </Card>
    </>
  )
}

const PasswordField = ({ idPrefix, label }: { idPrefix: string; label: string }) => (
  <Field
    name="current_password"
    label={label}
    type="password"
    required
    autocomplete="current-password"
    idPrefix={idPrefix}
  />
)

/** The table of the member's sessions and other logins. */
export function SessionTable({ sessions, current }: { sessions: Security["sessions"]; current: number | undefined }) {
  const { security } = useAdminView().t
  const { timeZone, locale } = useView()
  return (
    <Table
      label={security.kind}
      rows={sessions}
      columns={[
        { head: security.kind, cell: (row) => (row.isAdminSession ? security.admin_session : security.other_login) },
        { head: security.signed_in, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { head: security.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        {
          head: security.end_session,
          cell: ({ id, createdAt }) =>
            id === current ? (
              <span class="badge">{security.this_session}</span>
            ) : (
              <ActionButton
                action={`${SESSIONS}/${id}/delete`}
                label={security.end_session}
                about={formatMoment(createdAt, timeZone, locale)}
                danger
              />
            ),
        },
      ]}
    />
  )
}

function renderSetup(c: C, { uri, secret, setup }: TotpSetup, state?: FormState) {
  const { security: t, nav } = c.var.strings
  return page(c, {
    title: t.set_up,
    crumbs: [[nav.account, ACCOUNT]],
    state,
    children: (
      <Card>
        <p>{t.scan}</p>
        <div class="qr" role="img" aria-label={t.qr}>
          {raw(renderSVG(uri, { border: 0 }))}
        </div>
        <p>
          {withColon(t.secret, c.var.ctx.locale)} <code>{secret}</code>
        </p>
        <Form action={ENABLE} submitLabel={t.turn_on}>
          <input type="hidden" name="setup" value={setup} />
          <Field name="code" label={t.code} required maxlength={64} autocomplete="one-time-code" inputmode="numeric" />
        </Form>
      </Card>
    ),
  })
}

function renderRecoveryCodes(c: C, codes: readonly string[]) {
  const { security: t, nav, kit } = c.var.strings
  return page(c, {
    title: t.recovery_title,
    crumbs: [[nav.account, ACCOUNT]],
    children: (
      <>
        <Note tone="warn">
          <p>{t.recovery_body}</p>
        </Note>
        <Card title={t.recovery}>
          <pre id="codes">{codes.join("\n")}</pre>
          <button type="button" data-quiet data-copy="codes" data-copied={kit.copied} hidden>
            {kit.copy}
          </button>
        </Card>
        <p>
          <a href={ACCOUNT}>{t.back}</a>
        </p>
      </>
    ),
  })
}
