// Who may use the console.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { invalid } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { CreateOperator, type Operator, UpdateOperator } from "../../platform/operators/schemas"
import {
  createOperator,
  listOperators,
  readOperator,
  removeOperator,
  updateOperator,
} from "../../platform/operators/service"
import { change, done, type FormState, submit } from "../forms"
import { Check, Field, Form, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Table, Time } from "../kit/parts"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/operators"

const Confirmed = z.object({ confirm: z.string() })

export const operators = new Hono<ConsoleEnv>()
  .get(PATH, (c) => list(c))
  .post(PATH, recentPassword("creates an account with access to the console"), (c) =>
    submit(
      c,
      CreateOperator,
      async (input) => {
        await createOperator(c.var.ctx, input)
        return done(PATH, "operator_created")
      },
      (state) => list(c, state),
    ),
  )
  .get(`${PATH}/:id`, (c) => one(c))
  .post(`${PATH}/:id/edit`, recentPassword("changes an operator's role or shuts their account"), (c) =>
    change(
      c,
      UpdateOperator,
      async (input) => {
        const id = rowId(c.req.param("id"))
        await updateOperator(c.var.ctx, id, input)
        return done(`${PATH}/${id}`, "operator_changed")
      },
      (state) => one(c, state),
    ),
  )
  .post(`${PATH}/:id/delete`, recentPassword("deletes an operator"), (c) =>
    submit(
      c,
      Confirmed,
      async ({ confirm }) => {
        const id = rowId(c.req.param("id"))
        const operator = await readOperator(c.var.ctx, id)
        if (confirm.trim().toLowerCase() !== operator.email) throw invalid("confirm", "selected")
        await removeOperator(c.var.ctx, id)
        return done(PATH, "operator_removed")
      },
      (state) => one(c, state),
    ),
  )

const ROLES = ["admin", "viewer"]

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const rows = await listOperators(c.var.ctx)
  const self = c.var.session.operator.id
  return page(c, {
    title: W.operators.title,
    state,
    children: (
      <>
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
            { head: W.operators.role, cell: (row) => row.role },
            { head: W.operators.state, cell: (row) => <Badge of={row.disabledAt ? "disabled" : "active"} /> },
            { head: W.operators.second, cell: (row) => (row.totpEnabledAt ? W.common.yes : W.common.no) },
            { head: W.operators.since, cell: (row) => <Time at={row.createdAt} /> },
          ]}
        />
        <Card title={W.operators.new} id="new" writes>
          <Form action={PATH} submit={W.operators.create}>
            <Field name="email" type="email" required />
            <Field name="name" required maxlength={120} />
            <Field
              name="password"
              type="password"
              hint={W.operators.password_hint}
              required
              autocomplete="new-password"
            />
            <Select name="role" hint={W.operators.role_hint} choices={ROLES} value="viewer" />
          </Form>
        </Card>
      </>
    ),
  })
}

async function one(c: Context<ConsoleEnv>, state?: FormState) {
  const operator = await readOperator(c.var.ctx, rowId(c.req.param("id") ?? ""))
  return page(c, {
    title: operator.name,
    crumbs: [[W.operators.title, PATH]],
    state,
    children: <Change operator={operator} />,
  })
}

function Change({ operator }: { operator: Operator }) {
  const path = `${PATH}/${operator.id}`
  return (
    <>
      <p>
        {operator.email} <Badge of={operator.disabledAt ? "disabled" : "active"} />
      </p>
      <Card title={W.operators.change} id="change" writes>
        <Form action={`${path}/edit`} submit={W.common.save}>
          <Field name="name" value={operator.name} required maxlength={120} />
          <Select name="role" value={operator.role} choices={ROLES} hint={W.operators.role_hint} />
          <Check name="disabled" label={W.operators.disabled} on={operator.disabledAt !== null} />
        </Form>
      </Card>
      <Card title={W.operators.remove} id="remove" writes>
        <p>{W.operators.remove_hint}</p>
        <Form action={`${path}/delete`} submit={W.operators.remove} danger>
          <Field name="confirm" label={W.operators.confirm} required />
        </Form>
      </Card>
    </>
  )
}
