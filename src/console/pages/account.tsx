// What operators set for themselves; a viewer may as well.
import { type Context, Hono } from "hono"
import { raw } from "hono/html"
import { renderSVG } from "uqr"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { changePassword, readAccount, savePreferences } from "../../platform/operators/account"
import { addPasskey, removePasskey, requestPasskey } from "../../platform/operators/passkeys"
import { AddPasskey, ChangePassword, Preferences } from "../../platform/operators/schemas"
import { beginTotp, disableTotp, enableTotp, pendingTotp } from "../../platform/operators/second-factor"
import { isConfirmed, revokeSessions } from "../../platform/operators/sessions"
import { change, done, type FormState, NOTHING, submit } from "../forms"
import { Field, Form, Select } from "../kit/form"
import { page } from "../kit/page"
import { Card, Note, Table, Time } from "../kit/parts"
import { Passkey } from "../kit/passkey"
import { agentName } from "../kit/user-agent"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/account"

const Code = z.object({ code: z.string().min(1).max(64) })

export const account = new Hono<ConsoleEnv>()
  .get(PATH, (c) => show(c))
  .post(PATH, sessionOnly, (c) =>
    change(
      c,
      Preferences,
      async (input) => {
        await savePreferences(c.var.ctx, c.var.session, input)
        return done(PATH, "saved")
      },
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/password`, sessionOnly, (c) =>
    submit(
      c,
      ChangePassword,
      async (input) => {
        await changePassword(c.var.ctx, c.var.session, input)
        return done(PATH, "password")
      },
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/totp`, recentPassword("begins to set up a second factor"), (c) =>
    submit(
      c,
      NOTHING,
      async () => {
        await beginTotp(c.var.ctx, c.var.session.operator)
        return `${PATH}#totp`
      },
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/totp/enable`, recentPassword("switches the second factor on and shows recovery codes"), (c) =>
    submit(
      c,
      Code,
      async ({ code }) => recovery(c, await enableTotp(c.var.ctx, c.var.session, code)),
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/totp/delete`, recentPassword("switches the second factor off"), (c) =>
    submit(
      c,
      NOTHING,
      async () => {
        await disableTotp(c.var.ctx, c.var.session.operator)
        return done(PATH, "totp_off")
      },
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/passkeys`, recentPassword("adds a way to sign in"), (c) =>
    submit(
      c,
      AddPasskey,
      async (input) => {
        await addPasskey(c.var.ctx, c.var.session.operator, input)
        return done(`${PATH}#passkeys`, "passkey_added")
      },
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/passkeys/:id/delete`, recentPassword("removes a way to sign in"), (c) =>
    submit(
      c,
      NOTHING,
      async () => {
        await removePasskey(c.var.ctx, c.var.session.operator, rowId(c.req.param("id")))
        return done(`${PATH}#passkeys`, "passkey_removed")
      },
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/sessions/revoke`, sessionOnly, (c) =>
    submit(
      c,
      NOTHING,
      async () => {
        await revokeSessions(c.var.ctx, c.var.session.operator.id, { except: c.var.session.session.id })
        return done(PATH, "session_revoked")
      },
      (state) => show(c, state),
    ),
  )
  .post(`${PATH}/sessions/:id/revoke`, sessionOnly, (c) =>
    submit(
      c,
      NOTHING,
      async () => {
        await revokeSessions(c.var.ctx, c.var.session.operator.id, { id: rowId(c.req.param("id")) })
        return done(PATH, "session_revoked")
      },
      (state) => show(c, state),
    ),
  )

async function show(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx, session } = c.var
  const { operator } = session
  const { sessions, passkeys, recoveryCodes } = await readAccount(ctx, operator.id)
  const request = await requestPasskey(ctx, `register:${operator.id}`)
  // The secret is shown to whoever has just shown the password, and not to a stolen session.
  const pending = isConfirmed(session, ctx.now) ? await pendingTotp(ctx, operator) : null
  return page(c, {
    title: W.account.title,
    state,
    children: (
      <>
        <div class="grid">
          <Card title={W.account.preferences} id="preferences">
            <p>{operator.email}</p>
            <Form action={PATH} submit={W.common.save} everybody>
              <Field name="name" value={operator.name} required maxlength={120} />
              <Field name="time_zone" value={operator.timeZone ?? "UTC"} hint={W.account.time_zone_hint} required />
              <Select
                name="theme"
                label={W.account.theme}
                value={operator.theme}
                choices={Object.entries(W.account.themes).map(([value, label]) => ({ value, label }))}
              />
              <Select name="language" value="en" choices={[{ value: "en", label: W.account.language_value }]} />
            </Form>
          </Card>
          <Card title={W.account.password} id="password">
            <Form action={`${PATH}/password`} submit={W.account.change_password} everybody>
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
              <Form action={`${PATH}/totp/delete`} submit={W.account.totp_disable} danger everybody />
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
              <Form action={`${PATH}/totp/enable`} submit={W.account.totp_enable} everybody>
                <Field name="code" required autocomplete="one-time-code" inputmode="numeric" />
              </Form>
            </>
          ) : (
            <>
              <p>{W.account.totp_off}</p>
              <Form action={`${PATH}/totp`} submit={W.account.totp_begin} everybody />
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
                  cell: (row) => (
                    <Form action={`${PATH}/passkeys/${row.id}/delete`} submit={W.account.remove} danger everybody />
                  ),
                },
              ]}
            />
          )}
          <Passkey action={`${PATH}/passkeys`} request={request} submit={W.account.add_passkey} owner={operator}>
            <Field
              name="name"
              label={W.keys.name}
              required
              maxlength={60}
              hint={W.account.passkey_name_hint}
              scope="passkey"
            />
          </Passkey>
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
                head: W.account.agent,
                cell: (row) => (row.agent ? <span title={row.agent}>{agentName(row.agent)}</span> : W.common.none),
              },
              { head: W.account.address, cell: (row) => row.address },
              { head: W.account.signed_in, cell: (row) => <Time at={row.createdAt} /> },
              { head: W.account.last_seen, cell: (row) => <Time at={row.lastSeenAt} /> },
              {
                head: W.common.actions,
                cell: (row) =>
                  row.id === session.session.id ? (
                    <span class="badge">{W.account.this_session}</span>
                  ) : (
                    <Form action={`${PATH}/sessions/${row.id}/revoke`} submit={W.account.revoke} danger everybody />
                  ),
              },
            ]}
          />
          {sessions.length > 1 && (
            <Form action={`${PATH}/sessions/revoke`} submit={W.account.revoke_others} danger everybody />
          )}
        </Card>
      </>
    ),
  })
}

const recovery = (c: Context<ConsoleEnv>, codes: string[]) =>
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
          <a href={PATH}>{W.account.to_account}</a>
        </p>
      </>
    ),
  })
