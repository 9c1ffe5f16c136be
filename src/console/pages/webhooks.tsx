// Webhook endpoints: the list, and the forms of an endpoint.
import type { Context } from "hono"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { addMs, SECOND } from "../../lib/time"
import { Disclosure } from "../../page-kit/disclosure"
import { TextFilter } from "../../page-kit/filters"
import { Field, Form, renderFields } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, EmptyState, Note, Pager, SecretValue, Time } from "../../page-kit/parts"
import { PAGE_SIZE, toSlice } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { CreateEndpointForm, UpdateEndpointForm } from "../../webhooks/endpoints/form"
import { listDisabledEndpoints, listEndpoints, readEndpoint } from "../../webhooks/endpoints/list"
import { ListEndpoints, RotateSecret, TestEndpoint } from "../../webhooks/endpoints/schemas"
import {
  createEndpoint,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  updateEndpoint,
} from "../../webhooks/endpoints/service"
import { RecoverEndpoint } from "../../webhooks/recovery/schemas"
import { recoverEndpoint } from "../../webhooks/recovery/service"
import type { Preview } from "../confirmation/confirmed"
import { harmless, recentPassword } from "../form-access"
import { pathParam } from "../form-handler"
import { handleEditForm, handleForm, NoFields } from "../forms"
import { Filters } from "../kit/filters"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { ENDPOINTS } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import {
  type Endpoint,
  EventsField,
  FilterField,
  formatEvents,
  getEndpointState,
  HeadersField,
  OrderedField,
  PayloadField,
  RateField,
  ReconcileField,
  renderEndpoint,
} from "./webhook-endpoint"

const PATH = ENDPOINTS

export const webhooks = createPages()
  .get(PATH, (c) => renderEndpoints(c))
  .post(PATH, recentPassword("admin", "create an endpoint and show its signing secret"), (c) =>
    handleForm(
      c,
      CreateEndpointForm,
      async (input) => {
        const { endpoint, secret } = await createEndpoint(c.var.ctx, input)
        return renderSecret(c, endpoint, secret, W.webhooks.endpoint_created)
      },
      (state) => renderEndpoints(c, state),
    ),
  )
  .get(`${PATH}/:id`, (c) => renderEndpoint(c))
  .get(`${PATH}/:id/recovery`, (c) => renderEndpoint(c))
  .get(`${PATH}/:id/secret`, (c) => renderEndpoint(c))
  .get(`${PATH}/:id/settings`, (c) => renderEndpoint(c))
  .post(`${PATH}/:id/edit`, recentPassword("admin", "change an endpoint"), (c) => {
    const id = rowId(c.req.param("id"))
    return handleEditForm(
      c,
      UpdateEndpointForm,
      async (input, assertUnchanged) => {
        await updateEndpoint(c.var.ctx, id, input, { precondition: assertUnchanged })
        const isActive = input.valid.is_active
        // The buttons of the endpoint's page send no other field.
        if (isActive === undefined || c.var.form.has("url")) return withNotice(`${PATH}/${id}/settings`, "saved")
        return withNotice(`${PATH}/${id}`, isActive ? "endpoint_on" : "endpoint_off")
      },
      (state) => renderEndpoint(c, state),
    )
  })
  .confirmed(`${PATH}/:id/delete`, {
    roles: ["admin"],
    password: "delete an endpoint and its deliveries",
    schema: NoFields,
    async preview(c) {
      const endpoint = await readEndpoint(c.var.ctx, rowId(pathParam(c, "id")))
      const { url, description } = endpoint
      return {
        ...aboutEndpoint(endpoint),
        title: W.webhooks.delete_title,
        changes: [
          { label: W.webhooks.url, before: url, after: W.common.none },
          { label: W.webhooks.events, before: formatEvents(endpoint.events), after: W.common.none },
        ],
        effects: [W.webhooks.delete_hint],
        submitLabel: W.webhooks.delete,
        typed: {
          label: W.webhooks.delete_confirm(url, description),
          accepts: [url, ...(description ? [description] : [])],
        },
      }
    },
    async run(c) {
      await removeEndpoint(c.var.ctx, rowId(pathParam(c, "id")))
      return withNotice(PATH, "deleted")
    },
    renderForm: (c, state) => renderEndpoint(c, state),
  })
  .confirmed(`${PATH}/:id/rotate-secret`, {
    roles: ["admin"],
    password: "rotate a signing secret",
    schema: RotateSecret,
    async preview(c, { grace_seconds }) {
      const endpoint = await readEndpoint(c.var.ctx, rowId(pathParam(c, "id")))
      const until = grace_seconds ? addMs(c.var.ctx.now, grace_seconds * SECOND) : null
      return {
        ...aboutEndpoint(endpoint),
        back: `${PATH}/${endpoint.id}/secret`,
        title: W.webhooks.rotate_title,
        changes: [
          {
            label: W.webhooks.previous_until,
            before: <Time at={endpoint.previousSecretUntil} none={W.common.none} isExact />,
            after: <Time at={until} none={W.webhooks.at_once} isExact />,
          },
        ],
        effects: [until ? W.webhooks.rotate_overlap : W.webhooks.rotate_at_once, W.webhooks.rotate_shown],
        submitLabel: W.webhooks.rotate,
        isHarmful: until === null,
      }
    },
    async run(c, { grace_seconds }) {
      const id = rowId(pathParam(c, "id"))
      const secret = await rotateSecret(c.var.ctx, id, grace_seconds ?? 0)
      return renderSecret(c, await readEndpoint(c.var.ctx, id), secret, W.webhooks.rotated)
    },
    renderForm: (c, state) => renderEndpoint(c, state),
  })
  .post(`${PATH}/:id/recover`, harmless("support"), (c) => {
    const id = rowId(c.req.param("id"))
    return handleForm(
      c,
      RecoverEndpoint,
      async (input) => {
        await recoverEndpoint(c.var.ctx, id, input)
        return withNotice(`${PATH}/${id}/recovery`, "recovering")
      },
      (state) => renderEndpoint(c, state),
    )
  })
  .post(`${PATH}/:id/test`, harmless("support"), (c) => {
    const id = rowId(c.req.param("id"))
    return handleForm(
      c,
      TestEndpoint,
      async ({ event }) => renderEndpoint(c, undefined, await testEndpoint(c.var.ctx, id, event)),
      (state) => renderEndpoint(c, state),
    )
  })

const aboutEndpoint = ({ id, url, updatedAt }: Endpoint): Pick<Preview, "crumbs" | "back" | "state"> => ({
  crumbs: [
    [W.webhooks.title, PATH],
    [url, `${PATH}/${id}`],
  ],
  back: `${PATH}/${id}/settings`,
  state: [id, url, updatedAt.getTime()],
})

const EndpointQuery = ListEndpoints.extend({ state: z.enum(["stopped"]).optional() })

async function renderEndpoints(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = parseQuery(c, EndpointQuery)
  const { rows, total } = input.state
    ? { rows: await listDisabledEndpoints(c.var.ctx, toSlice(input)), total: undefined }
    : await listEndpoints(c.var.ctx, input)
  return page(c, {
    title: W.webhooks.title,
    state,
    children: (
      <>
        <Disclosure label={W.webhooks.new} id="new" action={PATH}>
          <Form action={PATH} submitLabel={W.webhooks.create}>
            {renderFields<z.input<typeof CreateEndpointForm>>({
              url: (name) => <Field name={name} type="url" required hint={W.webhooks.url_hint} />,
              description: (name) => <Field name={name} maxlength={255} />,
              stores: (name) => <Field name={name} label={W.webhooks.stores} hint={W.webhooks.stores_hint} />,
              filter: (name) => <FilterField name={name} />,
              payload: (name) => <PayloadField name={name} />,
              headers: (name) => <HeadersField name={name} />,
              max_per_second: (name) => <RateField name={name} />,
              ordered: (name) => <OrderedField name={name} />,
              reconcile: (name) => <ReconcileField name={name} />,
              events: (name) => <EventsField name={name} chosen={["*"]} />,
            })}
          </Form>
        </Disclosure>
        <Filters live="endpoints">
          <TextFilter name="store_id" label={W.webhooks.store} />
        </Filters>
        {rows.length === 0 ? (
          <EmptyState text={W.webhooks.empty} />
        ) : (
          <EndpointTable rows={input.state ? rows.slice(0, PAGE_SIZE) : rows} />
        )}
        <Pager
          page={input.page}
          pageSize={input.state ? PAGE_SIZE : input.per_page}
          total={total}
          hasMore={rows.length > PAGE_SIZE}
        />
        {input.state && (
          <p>
            <a href={PATH}>{W.webhooks.all}</a>
          </p>
        )}
      </>
    ),
  })
}

const EndpointTable = ({ rows }: { rows: Endpoint[] }) => (
  <Table
    label={W.webhooks.title}
    rows={rows}
    columns={[
      {
        head: W.webhooks.url,
        isLong: true,
        cell: (row) => (
          <>
            <a href={`${PATH}/${row.id}`}>{row.url}</a>
            {row.description && <div class="sub">{row.description}</div>}
            {row.storeId && (
              <div class="sub">
                {W.webhooks.store}: <a href={`/console/stores/${row.storeId}`}>{row.storeId}</a>
              </div>
            )}
          </>
        ),
      },
      {
        head: W.stores.status,
        cell: (row) => <Badge status={getEndpointState(row)} text={W.webhooks.states[getEndpointState(row)]} />,
      },
      { head: W.webhooks.events, cell: (row) => formatEvents(row.events) },
      { head: W.webhooks.failures, isNumeric: true, cell: (row) => row.consecutiveFailures },
      { head: W.webhooks.last_success, cell: (row) => <Time at={row.lastSuccessAt} /> },
      { head: W.webhooks.last_failure, cell: (row) => <Time at={row.lastFailureAt} /> },
    ]}
  />
)

const renderSecret = (c: Context<ConsoleEnv>, endpoint: Endpoint, secret: string, title: string) =>
  page(c, {
    title,
    crumbs: [[W.webhooks.title, PATH]],
    children: (
      <>
        <Note tone="warn">
          <p>{W.webhooks.secret_body}</p>
        </Note>
        <Card title={endpoint.url}>
          <SecretValue id="secret" value={secret} label={W.webhooks.secret} />
        </Card>
        <p>
          <a href={`${PATH}/${endpoint.id}`}>{W.webhooks.view_endpoint}</a>
        </p>
      </>
    ),
  })
