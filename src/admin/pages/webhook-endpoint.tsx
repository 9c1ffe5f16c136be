// The page of a webhook endpoint: its state, deliveries and settings.
import { listOwnDeliveries, readOwnEndpoint } from "../../content/webhooks/service"
import { EVENT_TYPES, getResource, PING, RESOURCE_WILDCARDS } from "../../core/write/event-types"
import { withColon } from "../../lib/intl"
import { ActionButton, Checkbox, CheckboxGroup, Field, Form, Select, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, EmptyState, Note, Pager, Time } from "../../page-kit/parts"
import { PageQuery, pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { ShownVersion } from "../../page-kit/version-guard"
import { ListDeliveries } from "../../webhooks/deliveries/schemas"
import { FILTER_OP_NAMES, formatFilter } from "../../webhooks/endpoints/form"
import { endpointTag } from "../../webhooks/endpoints/list"
import { EndpointResource } from "../../webhooks/endpoints/schemas"
import { getErrorHint } from "../../webhooks/error-hints"
import { isReceiving } from "../../webhooks/receiving-condition"
import type { Delivery } from "../../webhooks/reserve"
import type { AdminContext } from "../access"
import { page } from "../page"
import { WEBHOOKS } from "../paths"
import { getEditorCtx } from "../session"
import { useAdminView, useT } from "../view"

type Endpoint = Awaited<ReturnType<typeof readOwnEndpoint>>

export const getEndpointPath = (id: number): string => `${WEBHOOKS}/${id}`

/** Whether an endpoint receives events; `stopped` when it was disabled automatically. */
export const getEndpointState = (endpoint: Endpoint) =>
  !endpoint.isActive ? "off" : isReceiving(endpoint) ? "receiving" : "stopped"

const DELIVERIES_PER_PAGE = 20

/** Events that no store can get. */
const isOffered = (type: string): boolean => !type.startsWith("license.")

const OFFERED_EVENTS = ["*", ...RESOURCE_WILDCARDS, ...EVENT_TYPES].filter(isOffered)

/** @param tested the delivery of a test event that was just sent */
export async function renderEndpoint(
  c: AdminContext,
  id: number,
  { state, tested }: { state?: FormState; tested?: Delivery } = {},
) {
  const { webhooks: t } = c.var.strings
  const ctx = getEditorCtx(c)
  const { input } = pickQuery(PageQuery, c.req.query())
  const listed = ListDeliveries.parse({ page: String(input.page), per_page: String(DELIVERIES_PER_PAGE) })
  const [endpoint, deliveries] = await Promise.all([readOwnEndpoint(ctx, id), listOwnDeliveries(ctx, id, listed)])
  return page(c, {
    title: endpoint.url,
    crumbs: [[t.title, WEBHOOKS]],
    state,
    children: (
      <>
        <State endpoint={endpoint} />
        {tested && <TestResult delivery={tested} />}
        <Card title={t.deliveries} id="deliveries">
          {deliveries.rows.length === 0 ? (
            <EmptyState text={t.no_deliveries} />
          ) : (
            <Deliveries rows={deliveries.rows.map(({ delivery }) => delivery)} />
          )}
          <Pager page={input.page} pageSize={DELIVERIES_PER_PAGE} total={deliveries.total} />
        </Card>
        <Settings endpoint={endpoint} />
      </>
    ),
  })
}

function State({ endpoint }: { endpoint: Endpoint }) {
  const { t: strings, language } = useAdminView()
  const t = strings.webhooks
  const path = getEndpointPath(endpoint.id)
  const state = getEndpointState(endpoint)
  const text =
    state === "stopped"
      ? t.state_texts[endpoint.disabledReason ?? "failures"]
      : state === "off" && endpoint.lockedAt
        ? t.state_texts.locked
        : t.state_texts[state]
  return (
    <section class="status" id="state">
      <p>
        <Badge status={state} text={t.states[state]} /> {text}{" "}
        <span class="sub">
          {withColon(t.last_success, language)} <Time at={endpoint.lastSuccessAt} />
        </span>
      </p>
      {!endpoint.lockedAt && (
        <div class="row">
          {state === "receiving" ? (
            <ActionButton action={`${path}/edit`} label={t.turn_off} hidden={{ is_active: "false" }} />
          ) : (
            <ActionButton action={`${path}/edit`} label={t.turn_on} hidden={{ is_active: "true" }} isPrimary />
          )}
        </div>
      )}
    </section>
  )
}

function TestResult({ delivery }: { delivery: Delivery }) {
  const { webhooks: t } = useT()
  return (
    <Note tone={delivery.status === "delivered" ? "good" : "bad"}>
      <p role="status">
        {t.tested} {t.statuses[delivery.status]} <Response delivery={delivery} />
      </p>
    </Note>
  )
}

/** The last response to a delivery, or why there was none, with a hint. */
function Response({ delivery: { error, responseStatus } }: { delivery: Delivery }) {
  const { language } = useAdminView()
  const hint = getErrorHint(error, language)
  return (
    <>
      {responseStatus ?? error}
      {hint && <div class="sub">{hint}</div>}
    </>
  )
}

function Deliveries({ rows }: { rows: readonly Delivery[] }) {
  const { webhooks: t, kit } = useT()
  return (
    <Table
      label={t.deliveries}
      rows={rows}
      columns={[
        { head: t.event, isLong: true, cell: ({ event }) => event },
        { head: kit.fields.status ?? "", cell: ({ status }) => <Badge status={status} text={t.statuses[status]} /> },
        { head: t.response, isLong: true, cell: (row) => <Response delivery={row} /> },
        { head: t.attempts, isNumeric: true, cell: ({ attempt }) => attempt },
        { head: kit.when, cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          head: "",
          cell: ({ id, endpointId, status, event }) =>
            (status === "failed" || status === "exhausted") && (
              <ActionButton
                action={`${getEndpointPath(endpointId)}/deliveries/${id}/retry`}
                label={t.retry}
                about={`${event} ${id}`}
              />
            ),
        },
      ]}
    />
  )
}

function Settings({ endpoint }: { endpoint: Endpoint }) {
  const { webhooks: t, common } = useT()
  const path = getEndpointPath(endpoint.id)
  const headerNames = Object.keys(endpoint.headers ?? {}).join(", ")
  return (
    <>
      <Card title={t.test} id="test" isForm>
        <Form action={`${path}/test`} submitLabel={t.test}>
          <Select name="event" label={t.test_event} choices={[PING, ...EVENT_TYPES.filter(isOffered)]} />
        </Form>
      </Card>
      <Card title={t.rotate} id="rotate" isForm>
        <Form action={`${path}/rotate-secret`} submitLabel={t.rotate}>
          <Select
            name="grace_seconds"
            label={t.grace}
            value="86400"
            choices={([86_400, 3_600, 0] as const).map((seconds) => ({
              value: String(seconds),
              label: t.overlaps[seconds],
            }))}
          />
        </Form>
      </Card>
      <Card title={t.settings} id="edit" isForm>
        <Form action={`${path}/edit`} submitLabel={common.save}>
          <ShownVersion version={endpointTag(endpoint)} />
          <EndpointFields endpoint={endpoint} />
        </Form>
      </Card>
      <Card title={t.headers} id="headers" isForm>
        <p>{headerNames ? t.present_headers(headerNames) : t.no_headers}</p>
        <Form action={`${path}/edit`} submitLabel={t.replace_headers}>
          <HeadersField />
        </Form>
      </Card>
      <p>
        <a class="button" data-danger href={`${path}/delete`}>
          {t.delete}
        </a>
      </p>
    </>
  )
}

const HeadersField = () => {
  const { webhooks: t } = useT()
  return <TextArea name="headers" label={t.headers} hint={t.headers_hint} />
}

/** The fields of a new or an existing endpoint. Stored headers are not shown, so they have a separate form. */
export function EndpointFields({ endpoint }: { endpoint?: Endpoint }) {
  const { webhooks: t } = useT()
  const chosen = endpoint?.events ?? []
  return (
    <>
      <Field name="url" type="url" label={t.url} value={endpoint?.url} required hint={t.url_hint} />
      <Field name="description" label={t.description} value={endpoint?.description} maxlength={255} />
      <CheckboxGroup
        name="events"
        label={t.events}
        hint={t.events_hint}
        chosen={chosen}
        choices={[...new Set([...OFFERED_EVENTS, ...chosen])].map((value) => ({ value, label: value }))}
        getHeading={getResource}
      />
      <TextArea
        name="filter"
        label={t.filter}
        hint={t.filter_hint(FILTER_OP_NAMES)}
        value={formatFilter(endpoint?.filter ?? null)}
      />
      <Select
        name="payload"
        label={t.payload}
        value={endpoint?.payloadFormat}
        choices={EndpointResource.shape.payload.options.map((value) => ({ value, label: t.payloads[value] }))}
      />
      {!endpoint && <HeadersField />}
      <Field
        name="max_per_second"
        type="number"
        min={1}
        max={1_000}
        label={t.max_per_second}
        value={endpoint?.maxPerSecond}
        hint={t.max_per_second_hint}
      />
      <Checkbox name="ordered" label={t.ordered} isChecked={endpoint?.ordered} hint={t.ordered_hint} />
      <Checkbox name="reconcile" label={t.reconcile} isChecked={endpoint?.reconcile} hint={t.reconcile_hint} />
    </>
  )
}
