// The operator's own account: profile, password, two-factor authentication, passkeys and sessions. Viewers may use it
// too.
import type { Context } from "hono"
import { raw } from "hono/html"
import { renderSVG } from "uqr"
import * as z from "zod"
import { AddPasskey } from "../../core/auth/passkeys"
import { rowId } from "../../core/http/row-id"
import { listTimeZones } from "../../lib/time-zone"
import { Checkbox, Field, Form, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, Note, Time } from "../../page-kit/parts"
import { PasskeyForm } from "../../page-kit/passkey"
import { Table } from "../../page-kit/table"
import { changePassword, readAccount, savePreferences } from "../../platform/operators/account"
import { addPasskey, createOperatorPasskeyRequest, removePasskey } from "../../platform/operators/passkeys"
import { ChangePassword, Preferences } from "../../platform/operators/schemas"
import { disableTotp, enableTotp, readPendingTotp, startTotpSetup } from "../../platform/operators/second-factor"
import { isConfirmed, revokeSessions } from "../../platform/operators/sessions"
import { harmless, recentPassword } from "../form-access"
import { handleEditForm, handleForm, NoFields } from "../forms"
import { page } from "../kit/page"
import { describeUserAgent } from "../kit/user-agent"
import { withNotice } from "../notices"
import { ACCOUNT_VIEWS } from "../paths"
import { createPages } from "../router"
import { getSession } from "../session"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/account"

const CodeForm = z.object({ code: z.string().min(1).max(64) })

export const account = createPages()
  .get(PATH, (c) => renderAccount(c))
  .post(PATH, harmless("any"), (c) =>
    handleEditForm(
      c,
      Preferences,
      async (input) => {
        await savePreferences(c.var.ctx, getSession(c), input)
        return withNotice(PATH, "saved")
      },
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/password`, harmless("any"), (c) =>
    handleForm(
      c,
      ChangePassword,
      async (input) => {
        await changePassword(c.var.ctx, getSession(c), input)
        return withNotice(PATH, "password")
      },
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/totp`, recentPassword("any", "set up two-factor authentication"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await startTotpSetup(c.var.ctx, getSession(c).operator)
        return `${PATH}#totp`
      },
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/totp/enable`, recentPassword("any", "turn on two-factor authentication"), (c) =>
    handleForm(
      c,
      CodeForm,
      async ({ code }) => renderRecoveryCodes(c, await enableTotp(c.var.ctx, getSession(c), code)),
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/totp/delete`, recentPassword("any", "turn off two-factor authentication"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await disableTotp(c.var.ctx, getSession(c).operator)
        return withNotice(PATH, "totp_off")
      },
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/passkeys`, recentPassword("any", "add a passkey"), (c) =>
    handleForm(
      c,
      AddPasskey,
      async (input) => {
        await addPasskey(c.var.ctx, getSession(c).operator, input)
        return withNotice(`${PATH}#passkeys`, "passkey_added")
      },
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/passkeys/:id/delete`, recentPassword("any", "remove a passkey"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await removePasskey(c.var.ctx, getSession(c).operator, rowId(c.req.param("id")))
        return withNotice(`${PATH}#passkeys`, "passkey_removed")
      },
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/sessions/revoke`, harmless("any"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await revokeSessions(c.var.ctx, getSession(c).operator.id, { except: getSession(c).session.id })
        return withNotice(PATH, "session_revoked")
      },
      (state) => renderAccount(c, state),
    ),
  )
  .post(`${PATH}/sessions/:id/revoke`, harmless("any"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await revokeSessions(c.var.ctx, getSession(c).operator.id, { id: rowId(c.req.param("id")) })
        return withNotice(PATH, "session_revoked")
      },
      (state) => renderAccount(c, state),
    ),
  )

async function renderAccount(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const session = getSession(c)
  const { operator } = session
  const { sessions, passkeys, recoveryCodes } = await readAccount(ctx, operator.id)
  const request = await createOperatorPasskeyRequest(ctx, `register:${operator.id}`)
  // A stolen session must not reveal the secret, so it is shown only after a recent password.
  const pending = isConfirmed(session, ctx.now) ? await readPendingTotp(ctx, operator) : null
  return page(c, {
    title: W.account.title,
    actions: (
      <a class="button" data-quiet href={ACCOUNT_VIEWS}>
        {W.views.title}
      </a>
    ),
    state,
    children: (
      <>
        <div class="grid">
          <Card title={W.account.profile} id="preferences">
            <p>{operator.email}</p>
            <Form action={PATH} submitLabel={W.common.save} isSecondary={pending !== null}>
              <Field name="name" value={operator.name} required maxlength={120} />
              <Field
                name="time_zone"
                value={operator.timeZone ?? "UTC"}
                hint={W.account.time_zone_hint}
                required
                suggestions={listTimeZones()}
              />
              <button type="button" data-quiet data-browser-zone="time_zone" hidden>
                {W.account.browser_zone}
              </button>
              <Select
                name="theme"
                label={W.account.theme}
                value={operator.theme}
                choices={Object.entries(W.account.themes).map(([value, label]) => ({ value, label }))}
              />
              <Checkbox
                name="single_keys"
                label={W.account.single_keys}
                isChecked={operator.usesSingleKeys}
                hint={W.account.single_keys_hint}
              />
              <Select name="language" value="en" choices={[{ value: "en", label: W.account.language_value }]} />
            </Form>
          </Card>
          <Card title={W.account.password} id="password">
            <Form action={`${PATH}/password`} submitLabel={W.account.change_password} isSecondary>
              <Field name="current_password" type="password" required autocomplete="current-password" />
              <Field
                name="password"
                label={W.account.new_password}
                type="password"
                hint={W.account.password_hint}
                required
                autocomplete="new-password"
              />
              <Field name="password_confirmation" type="password" required autocomplete="new-password" />
            </Form>
          </Card>
        </div>
        <Card title={W.account.totp} id="totp">
          {operator.totpEnabledAt ? (
            <>
              <p>{W.account.totp_on(recoveryCodes)}</p>
              <Form action={`${PATH}/totp/delete`} submitLabel={W.account.totp_disable} danger />
            </>
          ) : pending ? (
            <>
              <p>{W.account.totp_scan}</p>
              <div class="qr" role="img" aria-label={W.account.qr}>
                {raw(renderSVG(pending.uri, { border: 0 }))}
              </div>
              <p>
                {W.account.totp_secret}: <code>{pending.secret}</code>
              </p>
              <Form action={`${PATH}/totp/enable`} submitLabel={W.account.totp_enable}>
                <Field name="code" required autocomplete="one-time-code" inputmode="numeric" />
              </Form>
            </>
          ) : (
            <>
              <p>{W.account.totp_off}</p>
              <Form action={`${PATH}/totp`} submitLabel={W.account.totp_set_up} isSecondary />
            </>
          )}
        </Card>
        <Card title={W.account.passkeys} id="passkeys">
          <p>{W.account.passkeys_hint}</p>
          {passkeys.length === 0 ? (
            <p class="sub">{W.account.no_passkeys}</p>
          ) : (
            <Table
              label={W.account.passkeys}
              rows={passkeys}
              columns={[
                { head: W.keys.name, cell: (row) => row.name },
                { head: W.keys.last_used, cell: (row) => <Time at={row.lastUsedAt} /> },
                { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
                {
                  head: W.common.actions,
                  hasActions: true,
                  cell: (row) => (
                    <Form action={`${PATH}/passkeys/${row.id}/delete`} submitLabel={W.account.remove} danger />
                  ),
                },
              ]}
            />
          )}
          <PasskeyForm
            hasKey
            isSecondary
            failedText={W.account.passkey_failed}
            action={`${PATH}/passkeys`}
            request={request}
            submitLabel={W.account.add_passkey}
            owner={operator}
          >
            <Field
              name="name"
              label={W.keys.name}
              required
              maxlength={60}
              hint={W.account.passkey_name_hint}
              idPrefix="passkey"
            />
          </PasskeyForm>
          <noscript>
            <p class="sub">{W.account.passkey_script}</p>
          </noscript>
        </Card>
        <Card title={W.account.sessions} id="sessions">
          <Table
            label={W.account.sessions}
            rows={sessions}
            columns={[
              {
                head: W.account.browser,
                cell: (row) =>
                  row.agent ? <span title={row.agent}>{describeUserAgent(row.agent)}</span> : W.common.none,
              },
              { head: W.account.address, cell: (row) => row.address },
              { head: W.account.signed_in, cell: (row) => <Time at={row.createdAt} /> },
              { head: W.account.last_seen, cell: (row) => <Time at={row.lastSeenAt} /> },
              {
                head: W.common.actions,
                hasActions: true,
                cell: (row) =>
                  row.id === session.session.id ? (
                    <span class="badge">{W.account.this_session}</span>
                  ) : (
                    <Form action={`${PATH}/sessions/${row.id}/revoke`} submitLabel={W.account.end_session} danger />
                  ),
              },
            ]}
          />
          {sessions.length > 1 && (
            <Form action={`${PATH}/sessions/revoke`} submitLabel={W.account.end_other_sessions} danger />
          )}
        </Card>
      </>
    ),
  })
}

const renderRecoveryCodes = (c: Context<ConsoleEnv>, codes: string[]) =>
  page(c, {
    title: W.account.recovery_title,
    crumbs: [[W.account.title, PATH]],
    children: (
      <>
        <Note tone="warn">
          <p>{W.account.recovery_body}</p>
        </Note>
        <Card title={W.account.recovery_label}>
          <pre id="codes">{codes.join("\n")}</pre>
          <button type="button" data-quiet data-copy="codes" data-copied={W.common.copied} hidden>
            {W.common.copy}
          </button>
        </Card>
        <p>
          <a href={PATH}>{W.account.back}</a>
        </p>
      </>
    ),
  })
