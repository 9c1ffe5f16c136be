// Webhook endpoints: list, statistics, tests, recovery, settings and secrets.
import type { Context } from "hono"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { LICENSE_EVENTS, PLATFORM_EVENTS, TEST_EVENTS } from "../../core/write/event-types"
import { addMs, DAY, HOUR, SECOND } from "../../lib/time"
import {
  CreateEndpoint,
  endpointResource,
  ListEndpoints,
  RotateSecret,
  TestEndpoint,
  UpdateEndpoint,
} from "../../webhooks/endpoints/schemas"
import {
  createEndpoint,
  listDisabledEndpoints,
  listEndpoints,
  readEndpoint,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  updateEndpoint,
} from "../../webhooks/endpoints/service"
import { isReceiving } from "../../webhooks/receiving-condition"
import { RecoverEndpoint } from "../../webhooks/recovery/schemas"
import { recoverEndpoint } from "../../webhooks/recovery/service"
import type { Delivery } from "../../webhooks/reserve"
import { readStats } from "../../webhooks/stats/service"
import type { Preview } from "../confirmation/confirmed"
import { harmless, recentPassword } from "../form-access"
import { pathParam } from "../form-handler"
import { type FormState, handleEditForm, handleForm, NoFields, withNotice } from "../forms"
import { BarChart } from "../kit/chart"
import { ActionButton, Checkbox, CheckboxGroup, DateTimeField, Field, Form, renderFields, Select } from "../kit/form"
import { page } from "../kit/page"
import {
  Badge,
  Card,
  DescriptionList,
  EmptyState,
  MetricList,
  Note,
  Pager,
  SecretValue,
  Table,
  Time,
} from "../kit/parts"
import { PAGE_SIZE, parseQuery, toSlice } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/webhooks"

export const webhooks = createPages()
  .get(PATH, (c) => renderEndpoints(c))
  .post(PATH, recentPassword("admin", "create an endpoint and show its signing secret"), (c) =>
    handleForm(
      c,
      CreateEndpoint,
      async (input) => {
        const { endpoint, secret } = await createEndpoint(c.var.ctx, input)
        return renderSecret(c, endpoint, secret, W.webhooks.endpoint_created)
      },
      (state) => renderEndpoints(c, state),
    ),
  )
  .get(`${PATH}/:id`, (c) => renderEndpoint(c))
  .post(`${PATH}/:id/edit`, recentPassword("admin", "change an endpoint"), (c) => {
    const id = rowId(c.req.param("id"))
    return handleEditForm(
      c,
      UpdateEndpoint,
      async (input) => {
        await updateEndpoint(c.var.ctx, id, input)
        return withNotice(`${PATH}/${id}`, "saved")
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
        title: W.webhooks.rotate_title,
        changes: [
          {
            label: W.webhooks.previous_until,
            before: <Time at={endpoint.previousSecretUntil} none={W.common.none} />,
            after: <Time at={until} none={W.webhooks.at_once} />,
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
        return withNotice(`${PATH}/${id}#recover`, "recovering")
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

type Endpoint = Awaited<ReturnType<typeof readEndpoint>>

const aboutEndpoint = ({ id, url, updatedAt }: Endpoint): Pick<Preview, "crumbs" | "back" | "state"> => ({
  crumbs: [
    [W.webhooks.title, PATH],
    [url, `${PATH}/${id}`],
  ],
  back: `${PATH}/${id}`,
  state: [id, url, updatedAt.getTime()],
})

const getEndpointState = (endpoint: Endpoint) =>
  !endpoint.isActive ? "off" : isReceiving(endpoint) ? "receiving" : "stopped"

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
        <Card title={W.webhooks.new} id="new" isForm>
          <Form action={PATH} submitLabel={W.webhooks.create}>
            {renderFields<z.input<typeof CreateEndpoint>>({
              url: (name) => <Field name={name} type="url" required hint={W.webhooks.url_hint} />,
              description: (name) => <Field name={name} maxlength={255} />,
              stores: (name) => <Field name={name} label={W.webhooks.stores} hint={W.webhooks.stores_hint} />,
              events: (name) => <EventsField name={name} chosen={["*"]} />,
            })}
          </Form>
        </Card>
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

const formatEvents = (events: readonly string[]): string =>
  events.includes("*") ? W.webhooks.all_events : events.join(", ")

/** Subscriptions: all events, all events of a resource, or single event types. */
function EventsField({ name, chosen }: { name: string; chosen: readonly string[] }) {
  const types = [...PLATFORM_EVENTS, ...LICENSE_EVENTS]
  const resources = [...new Set(types.map((type) => `${type.split(".")[0]}.*`))]
  return (
    <CheckboxGroup
      name={name}
      label={W.webhooks.events}
      chosen={chosen}
      choices={["*", ...resources, ...types].map((value) => ({
        value,
        label: value === "*" ? W.webhooks.all_events : value,
      }))}
    />
  )
}

async function renderEndpoint(c: Context<ConsoleEnv>, state?: FormState, tested?: Delivery) {
  const id = rowId(c.req.param("id") ?? "")
  const [endpoint, stats] = await Promise.all([readEndpoint(c.var.ctx, id), readStats(c.var.ctx, id, 24)])
  const resource = endpointResource(endpoint)
  const path = `${PATH}/${id}`
  return page(c, {
    title: endpoint.url,
    crumbs: [[W.webhooks.title, PATH]],
    state,
    actions: (
      <>
        <a class="button" data-quiet href={`/console/deliveries?endpoint=${id}`}>
          {W.deliveries.title}
        </a>
      </>
    ),
    children: (
      <>
        {tested && <TestResult delivery={tested} />}
        <Card>
          <DescriptionList
            items={[
              [
                W.stores.status,
                <Badge status={getEndpointState(endpoint)} text={W.webhooks.states[getEndpointState(endpoint)]} />,
              ],
              [W.webhooks.events, formatEvents(resource.events)],
              [W.webhooks.failures, endpoint.consecutiveFailures],
              [W.webhooks.disabled_at, <Time at={endpoint.disabledAt} none={W.common.no} />],
              resource.stores && [W.webhooks.stores, resource.stores.join(", ")],
              resource.previous_secret_valid_until
                ? [W.webhooks.previous_until, <Time at={resource.previous_secret_valid_until} />]
                : null,
              [W.webhooks.last_success, <Time at={endpoint.lastSuccessAt} />],
              [W.webhooks.last_failure, <Time at={endpoint.lastFailureAt} />],
              [
                W.common.created,
                <>
                  <Time at={endpoint.createdAt} /> <span class="sub">{`${W.common.by} ${endpoint.createdByName}`}</span>
                </>,
              ],
            ]}
          />
          {getEndpointState(endpoint) === "stopped" && (
            <Note tone="bad">
              <p>
                {W.webhooks.disabled_body} <a href="#recover">{W.webhooks.recover}</a>
              </p>
              <ActionButton action={`${path}/edit`} label={W.webhooks.reenable} hidden={{ is_active: "true" }} />
            </Note>
          )}
        </Card>
        <StatsCard stats={stats} />
        <Card title={W.webhooks.test} id="test" isForm>
          <Form action={`${path}/test`} submitLabel={W.webhooks.test}>
            <Select
              name="event"
              label={W.webhooks.test_event}
              choices={TEST_EVENTS.map((value) => ({ value, label: value }))}
            />
          </Form>
        </Card>
        <Card title={W.recovery.title} id="recover">
          <p>{W.recovery.hint}</p>
          {endpoint.recovery && (
            <div id="progress" data-refresh={isRunning(endpoint.recovery) ? "2" : undefined}>
              <p>
                <progress
                  max={endpoint.recovery.queued}
                  value={endpoint.recovery.done + endpoint.recovery.failed}
                  aria-label={W.recovery.progress}
                />{" "}
                {W.recovery.of(endpoint.recovery.done, endpoint.recovery.failed, endpoint.recovery.queued)}
              </p>
            </div>
          )}
          <Form action={`${path}/recover`} submitLabel={W.recovery.start}>
            <Select
              name="mode"
              label={W.recovery.mode}
              choices={Object.entries(W.recovery.modes).map(([value, label]) => ({ value, label }))}
              idPrefix="recover"
            />
            <DateTimeField
              name="since"
              value={endpoint.consecutiveFailures > 0 ? (endpoint.lastSuccessAt ?? endpoint.createdAt) : null}
              required
              idPrefix="recover"
            />
            <DateTimeField name="until" idPrefix="recover" />
            <Field name="events" label={W.recovery.events} hint={W.recovery.events_hint} idPrefix="recover" />
          </Form>
        </Card>
        <Card title={W.common.edit} id="edit" isForm>
          <Form action={`${path}/edit`} submitLabel={W.common.save}>
            {renderFields<z.input<typeof UpdateEndpoint>>({
              url: (name) => <Field name={name} type="url" value={endpoint.url} required hint={W.webhooks.url_hint} />,
              description: (name) => <Field name={name} value={endpoint.description} maxlength={255} />,
              is_active: (name) => (
                <Checkbox
                  name={name}
                  label={W.webhooks.active}
                  isChecked={endpoint.isActive}
                  hint={W.webhooks.active_hint}
                />
              ),
              stores: (name) => (
                <Field
                  name={name}
                  label={W.webhooks.stores}
                  value={endpoint.stores?.join(", ")}
                  hint={W.webhooks.stores_hint}
                />
              ),
              events: (name) => <EventsField name={name} chosen={endpoint.events} />,
            })}
          </Form>
        </Card>
        <Card title={W.webhooks.rotate} id="rotate" isForm>
          <p>{W.webhooks.rotate_hint}</p>
          <Form action={`${path}/rotate-secret`} submitLabel={W.webhooks.rotate}>
            <Select
              name="grace_seconds"
              label={W.webhooks.grace}
              hint={W.webhooks.grace_hint}
              value={String(DAY / SECOND)}
              choices={[DAY, HOUR, 0].map((ms) => ({
                value: String(ms / SECOND),
                label: W.webhooks.overlaps[ms] ?? "",
              }))}
            />
          </Form>
        </Card>
        <Card title={W.webhooks.delete} id="delete" isForm>
          <p>{W.webhooks.delete_hint}</p>
          <ActionButton action={`${path}/delete`} label={W.webhooks.delete} danger />
        </Card>
      </>
    ),
  })
}

const isRunning = ({ queued, done: finished, failed }: NonNullable<Endpoint["recovery"]>) => finished + failed < queued

const StatsCard = ({ stats }: { stats: Awaited<ReturnType<typeof readStats>> }) => (
  <Card title={W.webhooks.last_24_hours} id="numbers">
    <MetricList
      items={[
        [W.webhooks.sent, stats.attempts],
        [W.webhooks.delivered, stats.delivered],
        [W.webhooks.failed, stats.failed],
        [W.webhooks.latency(50), W.webhooks.ms(stats.latency_ms.p50)],
        [W.webhooks.latency(95), W.webhooks.ms(stats.latency_ms.p95)],
      ]}
    />
    {stats.attempts > 0 && (
      <BarChart
        label={W.webhooks.last_24_hours}
        names={{ good: W.webhooks.delivered, bad: W.webhooks.failed }}
        bars={stats.buckets.map(({ hour, delivered, failed }) => ({ at: hour, good: delivered, bad: failed }))}
      />
    )}
  </Card>
)

const TestResult = ({ delivery }: { delivery: Delivery }) => (
  <Note tone={delivery.status === "delivered" ? "good" : "bad"}>
    <p role="status">
      {W.webhooks.tested} <Badge status={delivery.status} text={W.deliveries.statuses[delivery.status]} />{" "}
      {delivery.responseStatus} {delivery.error}
    </p>
    {delivery.responseExcerpt && <pre>{delivery.responseExcerpt}</pre>}
    <p>
      <a href={`/console/deliveries/${delivery.id}`}>{W.webhooks.view_delivery}</a>
    </p>
  </Note>
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
