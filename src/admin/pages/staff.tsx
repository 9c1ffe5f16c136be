// The shop's staff: members with their roles, and invitations.
import type { Context } from "hono"
import { roleOf } from "../../content/accounts/staff-sessions"
import { inviteStaff, listInvitations, withdrawInvitation } from "../../content/staff/invitations"
import { STAFF_ROLES, staffRole } from "../../content/staff/rules"
import { ChangeRole, InviteStaff, type Member } from "../../content/staff/schemas"
import { changeRole, listStaff, removeMember } from "../../content/staff/service"
import { validInput } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { fullName } from "../../lib/full-name"
import { ActionButton, Field, Form, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { STAFF } from "../paths"
import { getCtx, getSession } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"

type C = Context<AdminEnv>

const memberPath = (id: number, action: string) => `${STAFF}/${id}/${action}`

export const staff = createAdminPages()
  .get(STAFF, (c) => renderStaff(c))
  .get(`${STAFF}/:id{[0-9]+}/edit`, requireRole("owner"), (c) => renderMember(c))
  .post(`${STAFF}/invite`, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: InviteStaff,
      run: async (input) => {
        await inviteStaff(getCtx(c), input)
        return withNotice(STAFF, "invited")
      },
      render: (state) => renderStaff(c, state),
    }),
  )
  .post(`${STAFF}/invitations/:id{[0-9]+}/resend`, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: InviteStaff.partial(),
      run: async () => {
        const ctx = getCtx(c)
        const invitation = (await listInvitations(ctx)).find(({ id }) => String(id) === c.req.param("id"))
        if (!invitation) throw new Refusal("not_found")
        // Another invitation replaces the first one, whose link then no longer works.
        await inviteStaff(ctx, validInput(InviteStaff, { email: invitation.email, role: invitation.role }))
        return withNotice(STAFF, "invited")
      },
      render: (state) => renderStaff(c, state),
    }),
  )
  .post(`${STAFF}/invitations/:id{[0-9]+}/delete`, requireRole("owner"), async (c) => {
    await withdrawInvitation(getCtx(c), c.req.param("id"))
    return c.redirect(withNotice(STAFF, "invitation_withdrawn"), 303)
  })
  .post(`${STAFF}/:id{[0-9]+}/edit`, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: ChangeRole,
      run: async (input) => {
        await changeRole(getCtx(c), c.req.param("id"), input)
        return withNotice(STAFF, "role_changed")
      },
      render: (state) => renderMember(c, state),
    }),
  )
  .post(`${STAFF}/:id{[0-9]+}/delete`, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: ChangeRole.partial(),
      run: async () => {
        await removeMember(getCtx(c), c.req.param("id"))
        return withNotice(STAFF, "member_removed")
      },
      render: (state) => renderMember(c, state),
    }),
  )

async function renderStaff(c: C, state?: FormState) {
  const { strings } = c.var
  const ctx = getCtx(c)
  const isOwner = roleOf(getSession(c)) === "owner"
  const [members, invitations] = await Promise.all([listStaff(ctx), isOwner ? listInvitations(ctx) : []])
  return page(c, {
    title: strings.nav.staff,
    state,
    children: (
      <>
        <Members members={members} isOwner={isOwner} />
        {invitations.length > 0 && (
          <Card title={strings.staff.pending}>
            <Table
              label={strings.staff.pending}
              rows={invitations}
              columns={[
                { head: strings.kit.fields.email ?? "", isLong: true, cell: ({ email }) => email },
                { head: strings.staff.role, cell: ({ role }) => strings.roles[role] },
                { head: strings.staff.expires, cell: ({ expiresAt }) => <Time at={expiresAt} isExact /> },
                {
                  head: "",
                  cell: ({ id, email }) => (
                    <div class="acts">
                      <ActionButton
                        action={`${STAFF}/invitations/${id}/resend`}
                        label={strings.staff.resend}
                        about={email}
                      />
                      <ActionButton
                        action={`${STAFF}/invitations/${id}/delete`}
                        label={strings.staff.withdraw}
                        about={email}
                        danger
                      />
                    </div>
                  ),
                },
              ]}
            />
          </Card>
        )}
        <Card title={strings.staff.invite} isForm>
          <Form action={`${STAFF}/invite`} submitLabel={strings.staff.invite}>
            <Field name="email" type="email" required maxlength={60} hint={strings.staff.invite_hint} />
            <RoleSelect value="editor" />
          </Form>
        </Card>
      </>
    ),
  })
}

function RoleSelect({ value }: { value: string }) {
  const { staff: t, roles } = useT()
  return (
    <Select
      name="role"
      label={t.role}
      value={value}
      choices={STAFF_ROLES.map((role) => ({ value: role, label: roles[role] }))}
      hint={t.role_hint}
    />
  )
}

function Members({ members, isOwner }: { members: readonly Member[]; isOwner: boolean }) {
  const { t } = useAdminView()
  return (
    <Table
      label={t.nav.staff}
      rows={members}
      columns={[
        {
          head: t.kit.fields.name ?? "",
          cell: (member) => (isOwner ? <a href={memberPath(member.id, "edit")}>{nameOf(member)}</a> : nameOf(member)),
        },
        { head: t.kit.fields.email ?? "", isLong: true, cell: ({ email }) => email },
        { head: t.staff.role, cell: (member) => t.roles[staffRole(member) ?? "viewer"] },
        { head: t.staff.since, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
}

const nameOf = (member: Member): string => fullName(member) || member.email

async function renderMember(c: C, state?: FormState) {
  const { strings } = c.var
  const member = (await listStaff(getCtx(c))).find(({ id }) => String(id) === c.req.param("id"))
  if (!member) throw new Refusal("not_found")
  return page(c, {
    title: nameOf(member),
    crumbs: [[strings.nav.staff, STAFF]],
    state,
    children: (
      <>
        <Card>
          <Form action={memberPath(member.id, "edit")} submitLabel={strings.common.save}>
            <RoleSelect value={staffRole(member) ?? "viewer"} />
          </Form>
        </Card>
        <Card title={strings.staff.remove}>
          <p>{strings.staff.remove_body}</p>
          <ActionButton action={memberPath(member.id, "delete")} label={strings.staff.remove} danger />
        </Card>
      </>
    ),
  })
}
