// Incidents, which operators write for the public status page.
import type { Context } from "hono"
import { versionTag } from "../../core/http/precondition"
import { rowId } from "../../core/http/row-id"
import { Disclosure } from "../../page-kit/disclosure"
import { Checkbox, Field, Form, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, EmptyState, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { ShownVersion } from "../../page-kit/version-guard"
import { useView } from "../../page-kit/view"
import { CreateIncident, type Incident, UpdateIncident } from "../../platform/status/schemas"
import { createIncident, listIncidents, readIncident, updateIncident } from "../../platform/status/service"
import { harmless } from "../form-access"
import { handleEditForm, handleForm } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/incidents"

export const incidents = createPages()
  .get(PATH, (c) => renderIncidents(c))
  .post(PATH, harmless("support"), (c) =>
    handleForm(
      c,
      CreateIncident,
      async (input) => {
        await createIncident(c.var.ctx, input)
        return withNotice(PATH, "incident_published")
      },
      (state) => renderIncidents(c, state),
    ),
  )
  .get(`${PATH}/:id`, (c) => renderIncident(c))
  .post(`${PATH}/:id/edit`, harmless("support"), (c) =>
    handleEditForm(
      c,
      UpdateIncident,
      async (input, assertUnchanged) => {
        const id = rowId(c.req.param("id"))
        await updateIncident(c.var.ctx, id, input, assertUnchanged)
        return withNotice(`${PATH}/${id}`, "saved")
      },
      (state) => renderIncident(c, state),
    ),
  )

const StatusBadge = ({ endedAt }: { endedAt: Date | null }) =>
  endedAt ? <Badge status="ok" text={W.incidents.ended} /> : <Badge status="late" text={W.incidents.open} />

async function renderIncidents(c: Context<ConsoleEnv>, state?: FormState) {
  const rows = await listIncidents(c.var.ctx)
  return page(c, {
    title: W.incidents.title,
    state,
    actions: <a href="/status">{W.incidents.view}</a>,
    children: (
      <>
        <Disclosure label={W.incidents.new} id="new" action={PATH}>
          <Form action={PATH} submitLabel={W.incidents.publish}>
            <Field name="title" label={W.incidents.name} required maxlength={200} hint={W.incidents.public_hint} />
            <TextArea name="body" label={W.incidents.body} required rows={6} maxlength={5000} />
          </Form>
        </Disclosure>
        {rows.length === 0 ? (
          <EmptyState text={W.incidents.empty} />
        ) : (
          <Table
            label={W.incidents.title}
            rows={rows}
            columns={[
              { head: W.incidents.name, cell: (row) => <a href={`${PATH}/${row.id}`}>{row.title}</a> },
              { head: W.operators.status, cell: (row) => <StatusBadge endedAt={row.endedAt} /> },
              { head: W.incidents.started, cell: (row) => <Time at={row.startedAt} /> },
              { head: W.incidents.ended, cell: (row) => <Time at={row.endedAt} none={W.common.none} /> },
            ]}
          />
        )}
      </>
    ),
  })
}

async function renderIncident(c: Context<ConsoleEnv>, state?: FormState) {
  const incident = await readIncident(c.var.ctx, rowId(c.req.param("id") ?? ""))
  return page(c, {
    title: incident.title,
    crumbs: [[W.incidents.title, PATH]],
    state,
    actions: <a href="/status">{W.incidents.view}</a>,
    children: <IncidentDetail incident={incident} />,
  })
}

function IncidentDetail({ incident }: { incident: Incident }) {
  const { canPost } = useView()
  return (
    <>
      <p>
        <StatusBadge endedAt={incident.endedAt} /> {W.incidents.started}: <Time at={incident.startedAt} />
        {incident.endedAt && (
          <>
            {" "}
            · {W.incidents.ended}: <Time at={incident.endedAt} />
          </>
        )}
      </p>
      {!canPost(`${PATH}/${incident.id}/edit`) && <pre>{incident.body}</pre>}
      <Card title={W.incidents.edit} id="edit" isForm>
        <Form action={`${PATH}/${incident.id}/edit`} submitLabel={W.common.save}>
          <ShownVersion version={versionTag(incident.id, incident.updatedAt.getTime())} />
          <Field name="title" label={W.incidents.name} value={incident.title} required maxlength={200} />
          <TextArea name="body" label={W.incidents.body} value={incident.body} required rows={6} maxlength={5000} />
          <Checkbox name="ended" label={W.incidents.is_ended} isChecked={incident.endedAt !== null} />
        </Form>
      </Card>
    </>
  )
}
