// Operators of the console and their roles.
import type { Context } from "hono"
import { rowId } from "../../core/http/row-id"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Checkbox, Field, Form, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { ShownVersion } from "../../page-kit/version-guard"
import {
  inviteOperator,
  readInvitation,
  readOperatorsAndInvitations,
  resendInvitation,
  withdrawInvitation,
} from "../../platform/operators/invitations"
import {
  CreateOperator,
  type Invitation,
  InviteOperator,
  OPERATOR_ROLES,
  type Operator,
  UpdateOperator,
} from "../../platform/operators/schemas"
import {
  createOperator,
  operatorTag,
  readOperator,
  removeOperator,
  updateOperator,
} from "../../platform/operators/service"
import { recentPassword } from "../form-access"
import { pathParam } from "../form-handler"
import { handleEditForm, handleForm, NoFields } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { getSession } from "../session"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/operators"

export const operators = createPages()
  .get(PATH, (c) => renderOperators(c))
  .post(PATH, recentPassword("admin", "create an operator"), (c) =>
    handleForm(
      c,
      CreateOperator,
      async (input) => {
        await createOperator(c.var.ctx, input)
        return withNotice(PATH, "operator_created")
      },
      (state) => renderOperators(c, state),
    ),
  )
  .post(`${PATH}/invite`, recentPassword("admin", "invite an operator"), (c) =>
    handleForm(
      c,
      InviteOperator,
      async (input) => {
        await inviteOperator(c.var.ctx, input)
        return withNotice(PATH, "operator_invited")
      },
      (state) => renderOperators(c, state),
    ),
  )
  .post(`${PATH}/invitations/:id/resend`, recentPassword("admin", "send an invitation again"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await resendInvitation(c.var.ctx, rowId(c.req.param("id")))
        return withNotice(PATH, "operator_invited")
      },
      (state) => renderOperators(c, state),
    ),
  )
  .confirmed(`${PATH}/invitations/:id/delete`, {
    roles: ["admin"],
    schema: NoFields,
    async preview(c) {
      const invitation = await readInvitation(c.var.ctx, rowId(pathParam(c, "id")))
      return {
        title: W.operators.withdraw_title(invitation.email),
        crumbs: [[W.operators.title, PATH]],
        back: PATH,
        state: [invitation.id, invitation.email, invitation.expiresAt],
        effects: [W.operators.withdraw_hint],
        submitLabel: W.operators.withdraw,
      }
    },
    async run(c) {
      await withdrawInvitation(c.var.ctx, rowId(pathParam(c, "id")))
      return withNotice(PATH, "invitation_withdrawn")
    },
    renderForm: renderOperators,
  })
  .get(`${PATH}/:id`, (c) => renderOperator(c))
  .post(`${PATH}/:id/edit`, recentPassword("admin", "change an operator's role or access"), (c) =>
    handleEditForm(
      c,
      UpdateOperator,
      async (input, assertUnchanged) => {
        const id = rowId(c.req.param("id"))
        await updateOperator(c.var.ctx, id, input, assertUnchanged)
        return withNotice(`${PATH}/${id}`, "operator_changed")
      },
      (state) => renderOperator(c, state),
    ),
  )
  .confirmed(`${PATH}/:id/delete`, {
    roles: ["admin"],
    password: "remove an operator",
    schema: NoFields,
    async preview(c) {
      const operator = await readOperator(c.var.ctx, rowId(pathParam(c, "id")))
      return {
        title: W.operators.remove_title(operator.name),
        crumbs: [
          [W.operators.title, PATH],
          [operator.name, `${PATH}/${operator.id}`],
        ],
        back: `${PATH}/${operator.id}`,
        state: [operator.id, operator.email, operator.role],
        effects: [W.operators.remove_hint],
        submitLabel: W.operators.remove,
        typed: { label: W.operators.confirm, accepts: [operator.email] },
      }
    },
    async run(c) {
      await removeOperator(c.var.ctx, rowId(pathParam(c, "id")))
      return withNotice(PATH, "operator_removed")
    },
    renderForm: renderOperator,
  })

const ROLE_CHOICES = OPERATOR_ROLES.map((value) => ({ value, label: W.operators.roles[value] }))

async function renderOperators(c: Context<ConsoleEnv>, state?: FormState) {
  const [rows, invitations] = await readOperatorsAndInvitations(c.var.ctx)
  const self = getSession(c).operator.id
  return page(c, {
    title: W.operators.title,
    state,
    children: (
      <>
        <div class="disclosures">
          <Disclosure label={W.operators.invite} id="invite" action={`${PATH}/invite`}>
            <Form action={`${PATH}/invite`} submitLabel={W.operators.send_invitation}>
              <Field name="email" type="email" required hint={W.operators.invite_hint} idPrefix="invite" />
              <Select
                name="role"
                hint={W.operators.role_hint}
                choices={ROLE_CHOICES}
                value="viewer"
                required
                idPrefix="invite"
              />
            </Form>
          </Disclosure>
          <Disclosure label={W.operators.new} id="new" action={PATH}>
            <Form action={PATH} submitLabel={W.operators.create}>
              <Field name="email" type="email" required />
              <Field name="name" required maxlength={120} />
              <Field
                name="password"
                type="password"
                hint={W.operators.password_hint}
                required
                autocomplete="new-password"
              />
              <Select name="role" hint={W.operators.role_hint} choices={ROLE_CHOICES} value="viewer" />
            </Form>
          </Disclosure>
        </div>
        <Table
          label={W.operators.title}
          rows={rows}
          columns={[
            {
              head: W.fields.email ?? "",
              cell: (row) => (
                <>
                  <a href={`${PATH}/${row.id}`}>{row.email}</a>{" "}
                  {row.id === self && <span class="badge">{W.operators.you}</span>}
                </>
              ),
            },
            { head: W.keys.name, cell: (row) => row.name },
            { head: W.operators.role, cell: (row) => W.operators.roles[row.role] },
            { head: W.operators.status, cell: (row) => <Badge status={row.disabledAt ? "disabled" : "active"} /> },
            { head: W.operators.two_factor, cell: (row) => (row.totpEnabledAt ? W.common.yes : W.common.no) },
            { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
          ]}
        />
        {invitations.length > 0 && <Invitations invitations={invitations} />}
      </>
    ),
  })
}

const Invitations = ({ invitations }: { invitations: Invitation[] }) => (
  <Card title={W.operators.invitations} id="invitations">
    <Table
      label={W.operators.invitations}
      rows={invitations}
      columns={[
        { head: W.fields.email ?? "", cell: (row) => row.email },
        { head: W.operators.role, cell: (row) => W.operators.roles[row.role] },
        { head: W.operators.invited, cell: (row) => <Time at={row.createdAt} /> },
        { head: W.operators.expires, cell: (row) => <Time at={row.expiresAt} /> },
        {
          head: W.common.actions,
          hasActions: true,
          cell: (row) => (
            <>
              <ActionButton
                action={`${PATH}/invitations/${row.id}/resend`}
                label={W.operators.resend}
                title={W.operators.resend_to(row.email)}
              />
              <ActionButton
                action={`${PATH}/invitations/${row.id}/delete`}
                label={W.operators.withdraw}
                title={W.operators.withdraw_title(row.email)}
                danger
              />
            </>
          ),
        },
      ]}
    />
  </Card>
)

async function renderOperator(c: Context<ConsoleEnv>, state?: FormState) {
  const operator = await readOperator(c.var.ctx, rowId(c.req.param("id") ?? ""))
  return page(c, {
    title: operator.name,
    crumbs: [[W.operators.title, PATH]],
    state,
    children: <OperatorForms operator={operator} />,
  })
}

function OperatorForms({ operator }: { operator: Operator }) {
  const path = `${PATH}/${operator.id}`
  return (
    <>
      <p>
        {operator.email} <Badge status={operator.disabledAt ? "disabled" : "active"} />
      </p>
      <Card title={W.operators.edit} id="change" isForm>
        <Form action={`${path}/edit`} submitLabel={W.common.save}>
          <ShownVersion version={operatorTag(operator)} />
          <Field name="name" value={operator.name} required maxlength={120} />
          <Select name="role" value={operator.role} choices={ROLE_CHOICES} hint={W.operators.role_hint} />
          <Checkbox name="disabled" label={W.operators.disabled} isChecked={operator.disabledAt !== null} />
        </Form>
      </Card>
      <Card title={W.operators.remove} id="remove" isForm>
        <p>{W.operators.remove_hint}</p>
        <ActionButton action={`${path}/delete`} label={W.operators.remove} danger />
      </Card>
    </>
  )
}
