// The page of a webhook endpoint: its state, and tabs for statistics, recovery, the signing secret and settings.
import type { Context } from "hono"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { EVENT_TYPES, getResource, RESOURCE_WILDCARDS, TEST_EVENTS } from "../../core/write/event-types"
import { addMs, DAY, HOUR, SECOND } from "../../lib/time"
import { BarChart } from "../../page-kit/chart"
import {
  ActionButton,
  Checkbox,
  CheckboxGroup,
  DateTimeField,
  Field,
  Form,
  renderFields,
  Select,
  TextArea,
} from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, DescriptionList, MetricList, Note, Time } from "../../page-kit/parts"
import { PeriodLinks } from "../../page-kit/period-links"
import { Tabs } from "../../page-kit/tabs"
import { ShownVersion } from "../../page-kit/version-guard"
import { useView } from "../../page-kit/view"
import { FILTER_OP_NAMES, formatFilter, type UpdateEndpointForm } from "../../webhooks/endpoints/form"
import { endpointTag, readEndpoint } from "../../webhooks/endpoints/list"
import { EndpointResource, endpointResource } from "../../webhooks/endpoints/schemas"
import { isReceiving } from "../../webhooks/receiving-condition"
import type { Delivery } from "../../webhooks/reserve"
import { readStats } from "../../webhooks/stats/service"
import { page } from "../kit/page"
import { ENDPOINTS } from "../paths"
import { parseQuery } from "../query-params"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { DeliveryBadge, ErrorText } from "./deliveries"

export type Endpoint = Awaited<ReturnType<typeof readEndpoint>>

/**
 * Whether an endpoint receives events; `failing` while its latest attempts failed, `stopped` when repeated failures
 * disabled it.
 */
export function getEndpointState(endpoint: Endpoint) {
  if (!endpoint.isActive) return "off"
  if (!isReceiving(endpoint)) return "stopped"
  return endpoint.consecutiveFailures > 0 ? "failing" : "receiving"
}

type EndpointTab = "overview" | "recovery" | "secret" | "settings"

/** The tab with the form of each path below an endpoint's. */
const TAB_OF_SEGMENT: Record<string, EndpointTab> = {
  recovery: "recovery",
  recover: "recovery",
  secret: "secret",
  "rotate-secret": "secret",
  settings: "settings",
  edit: "settings",
  delete: "settings",
}

/** Hours of each period; there are statistics of 30 days. */
const PERIOD_HOURS = { "24h": 24, "7d": 168, "30d": 720 } as const

type Period = keyof typeof PERIOD_HOURS

const PERIOD_NAMES = Object.keys(PERIOD_HOURS) as [Period, ...Period[]]

const StatsQuery = z.object({ period: z.enum(PERIOD_NAMES).default("24h") })

/**
 * Renders the tab of an endpoint's page that the request's path belongs to.
 * @param tested the delivery of a test event that was just sent
 */
export async function renderEndpoint(c: Context<ConsoleEnv>, state?: FormState, tested?: Delivery) {
  const id = rowId(c.req.param("id") ?? "")
  const tab = TAB_OF_SEGMENT[c.req.path.split("/")[4] ?? ""] ?? "overview"
  const { period } = parseQuery(c, StatsQuery).input
  const [endpoint, stats] = await Promise.all([
    readEndpoint(c.var.ctx, id),
    readStats(c.var.ctx, id, PERIOD_HOURS[period]),
  ])
  const path = `${ENDPOINTS}/${id}`
  return page(c, {
    title: endpoint.url,
    crumbs: [[W.webhooks.title, ENDPOINTS]],
    state,
    children: (
      <>
        <EndpointStatus endpoint={endpoint} />
        {endpoint.behindSince && <BehindNote endpoint={endpoint} />}
        <EndpointTabs id={id} current={tab} />
        {tab === "overview" && (
          <>
            {tested && <TestResult delivery={tested} />}
            <StatsCard stats={stats} period={period} />
            <EndpointFacts endpoint={endpoint} />
            <Card title={W.webhooks.test} id="test" isForm>
              <Form action={`${path}/test`} submitLabel={W.webhooks.test}>
                <Select
                  name="event"
                  label={W.webhooks.test_event}
                  choices={TEST_EVENTS.map((value) => ({ value, label: value }))}
                />
              </Form>
            </Card>
          </>
        )}
        {tab === "recovery" && <RecoveryCard endpoint={endpoint} now={c.var.ctx.now} />}
        {tab === "secret" && <SecretCard endpoint={endpoint} />}
        {tab === "settings" && <EndpointSettings endpoint={endpoint} />}
      </>
    ),
  })
}

/** The tabs of an endpoint; those with nothing but forms only for operators who may send them. */
function EndpointTabs({ id, current }: { id: number; current: EndpointTab }) {
  const { canPost } = useView()
  const path = `${ENDPOINTS}/${id}`
  const { tabs } = W.webhooks
  return (
    <Tabs
      label={W.webhooks.pages}
      current={current === "overview" ? path : `${path}/${current}`}
      tabs={[
        [tabs.overview, path],
        [W.deliveries.title, `/console/deliveries?endpoint=${id}`],
        [tabs.recovery, `${path}/recovery`],
        ...(canPost(`${path}/rotate-secret`) ? [[tabs.secret, `${path}/secret`] as [string, string]] : []),
        ...(canPost(`${path}/edit`) ? [[tabs.settings, `${path}/settings`] as [string, string]] : []),
      ]}
    />
  )
}

/** Whether the endpoint receives events, since when, and the buttons for what comes next. */
function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  const path = `${ENDPOINTS}/${endpoint.id}`
  const state = getEndpointState(endpoint)
  const { reasons, states } = W.webhooks
  const failures = endpoint.consecutiveFailures
  return (
    <section class="status" id="state" aria-label={W.stores.status}>
      <p>
        <Badge status={state} text={states[state]} />{" "}
        {state === "stopped" ? (
          <>
            {endpoint.disabledReason === "gone" ? reasons.gone : reasons.stopped(failures)}{" "}
            <Time at={endpoint.disabledAt} isExact />. {W.webhooks.disabled_body}
          </>
        ) : state === "off" ? (
          endpoint.storeId !== null && endpoint.lockedAt === null ? (
            reasons.off_by_store
          ) : (
            reasons.off
          )
        ) : (
          <>
            {state === "failing" ? reasons.failing(failures) : reasons.receiving} <Time at={endpoint.lastSuccessAt} />.
          </>
        )}
      </p>
      {(state === "off" || state === "stopped") && (
        <div class="row">
          <ActionButton action={`${path}/edit`} label={W.webhooks.reenable} hidden={{ is_active: "true" }} />
          <a class="button" data-quiet href={`${path}/recovery`}>
            {W.webhooks.recover}
          </a>
        </div>
      )}
    </section>
  )
}

/** Shown while the receiver lacks events that were delivered to it. */
const BehindNote = ({ endpoint: { id, behindSince, reconcile } }: { endpoint: Endpoint }) => (
  <Note tone="warn">
    <p>
      {W.webhooks.behind} <Time at={behindSince} isExact />.{" "}
      {reconcile ? (
        W.webhooks.behind_reconciled
      ) : (
        <a href={`${ENDPOINTS}/${id}/settings`}>{W.webhooks.behind_manual}</a>
      )}
    </p>
  </Note>
)

function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const resource = endpointResource(endpoint)
  return (
    <Card title={W.webhooks.details}>
      <DescriptionList
        items={[
          resource.description ? [W.webhooks.description, resource.description] : null,
          [W.webhooks.events, formatEvents(resource.events)],
          resource.store_id
            ? [W.webhooks.store, <a href={`/console/stores/${resource.store_id}`}>{resource.store_id}</a>]
            : resource.stores && [W.webhooks.stores, resource.stores.join(", ")],
          resource.filter && [W.webhooks.filter, <pre>{formatFilter(resource.filter)}</pre>],
          resource.payload === "thin" ? [W.webhooks.payload, W.webhooks.payloads.thin] : null,
          resource.max_per_second ? [W.webhooks.max_per_second, resource.max_per_second] : null,
          resource.ordered ? [W.webhooks.order, W.webhooks.ordered] : null,
          resource.receiver_cursor ? [W.webhooks.receiver_cursor, <code>{resource.receiver_cursor}</code>] : null,
          resource.headers && [W.webhooks.headers, Object.keys(resource.headers).join(", ")],
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
    </Card>
  )
}

/**
 * Proposes from when to recover: the last success if attempts failed after it, otherwise a day ago.
 * An endpoint without a success proposes its creation.
 */
function getRecoveryStart({ consecutiveFailures, lastFailureAt, lastSuccessAt, createdAt }: Endpoint, now: Date): Date {
  const isFailing = consecutiveFailures > 0 || (lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? createdAt))
  return isFailing ? (lastSuccessAt ?? createdAt) : addMs(now, -DAY)
}

function RecoveryCard({ endpoint, now }: { endpoint: Endpoint; now: Date }) {
  const { recovery } = endpoint
  return (
    <Card title={W.recovery.title} id="recover">
      <p>{W.recovery.hint}</p>
      {recovery && (
        <div id="progress" data-refresh={isRunning(recovery) ? "2" : undefined}>
          <p>
            <progress max={recovery.queued} value={recovery.done + recovery.failed} aria-label={W.recovery.progress} />{" "}
            {W.recovery.of(recovery.done, recovery.failed, recovery.queued)}
          </p>
        </div>
      )}
      <Form action={`${ENDPOINTS}/${endpoint.id}/recover`} submitLabel={W.recovery.start}>
        <Select
          name="mode"
          label={W.recovery.mode}
          choices={Object.entries(W.recovery.modes).map(([value, label]) => ({ value, label }))}
          idPrefix="recover"
        />
        <DateTimeField name="since" value={getRecoveryStart(endpoint, now)} required idPrefix="recover" />
        <DateTimeField name="until" idPrefix="recover" />
        <Field name="events" label={W.recovery.events} hint={W.recovery.events_hint} idPrefix="recover" />
      </Form>
    </Card>
  )
}

const isRunning = ({ queued, done, failed }: NonNullable<Endpoint["recovery"]>) => done + failed < queued

function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const path = `${ENDPOINTS}/${endpoint.id}`
  return (
    <>
      <Card title={W.common.edit} id="edit" isForm>
        <Form action={`${path}/edit`} submitLabel={W.common.save}>
          <ShownVersion version={endpointTag(endpoint)} />
          {renderFields<z.input<typeof UpdateEndpointForm>>({
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
            stores: (name) =>
              endpoint.storeId === null && (
                <Field
                  name={name}
                  label={W.webhooks.stores}
                  value={endpoint.stores?.join(", ")}
                  hint={W.webhooks.stores_hint}
                />
              ),
            filter: (name) => <FilterField name={name} filter={endpoint.filter} />,
            payload: (name) => <PayloadField name={name} format={endpoint.payloadFormat} />,
            max_per_second: (name) => <RateField name={name} value={endpoint.maxPerSecond} />,
            ordered: (name) => <OrderedField name={name} isChecked={endpoint.ordered} />,
            reconcile: (name) => <ReconcileField name={name} isChecked={endpoint.reconcile} />,
            headers: { omitted: "stored values are not shown, so they have a separate form" },
            events: (name) => <EventsField name={name} chosen={endpoint.events} />,
          })}
        </Form>
      </Card>
      <Card title={W.webhooks.headers} id="headers" isForm>
        <p>{W.webhooks.present_headers(Object.keys(endpoint.headers ?? {}))}</p>
        <Form action={`${path}/edit`} submitLabel={W.webhooks.replace_headers} isSecondary>
          <HeadersField name="headers" />
        </Form>
      </Card>
      <Card title={W.webhooks.delete} id="delete" isForm>
        <p>{W.webhooks.delete_hint}</p>
        <ActionButton action={`${path}/delete`} label={W.webhooks.delete} danger />
      </Card>
    </>
  )
}

/** The form that replaces the signing secret, and until when the previous one signs. */
function SecretCard({ endpoint }: { endpoint: Endpoint }) {
  const previousUntil = endpointResource(endpoint).previous_secret_valid_until
  return (
    <Card title={W.webhooks.rotate} id="rotate" isForm>
      <p>{W.webhooks.rotate_hint}</p>
      {previousUntil && (
        <p>
          {W.webhooks.previous_until} <Time at={previousUntil} isExact />
        </p>
      )}
      <Form action={`${ENDPOINTS}/${endpoint.id}/rotate-secret`} submitLabel={W.webhooks.rotate}>
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
  )
}

type Stats = Awaited<ReturnType<typeof readStats>>

/** The bars of a chart: one per hour of a day, and one per day of a longer period. */
const getBars = ({ buckets }: Stats, period: Period) =>
  [...Map.groupBy(buckets, ({ hour }) => (period === "24h" ? hour : hour.slice(0, 10)))].map(([at, hours]) => ({
    at,
    good: hours.reduce((sum, { delivered }) => sum + delivered, 0),
    bad: hours.reduce((sum, { failed }) => sum + failed, 0),
  }))

const StatsCard = ({ stats, period }: { stats: Stats; period: Period }) => (
  <Card title={W.webhooks.statistics} id="numbers">
    <PeriodLinks
      label={W.common.period}
      name="period"
      periods={PERIOD_NAMES.map((name) => [name, W.common.periods[name]])}
      current={period}
      target="numbers"
    />
    <MetricList
      items={[
        [W.webhooks.sent, stats.attempts],
        [W.webhooks.delivered, stats.delivered],
        [W.webhooks.failed, stats.failed],
        [W.webhooks.latency(50), W.webhooks.ms(stats.latency_ms.p50)],
        [W.webhooks.latency(95), W.webhooks.ms(stats.latency_ms.p95)],
        ...([50, 95, 99] as const).map((p): [string, string] => [
          W.webhooks.delivery_latency(p),
          W.webhooks.duration(stats.delivery_latency_ms[`p${p}`]),
        ]),
        [W.webhooks.backlog, stats.backlog],
      ]}
    />
    {stats.oldest_due_at && (
      <p>
        {W.webhooks.oldest_due}: <Time at={stats.oldest_due_at} />
      </p>
    )}
    {stats.attempts > 0 && (
      <BarChart
        label={`${W.webhooks.statistics}, ${W.common.periods[period]}`}
        names={{ good: W.webhooks.delivered, bad: W.webhooks.failed }}
        bars={getBars(stats, period)}
      />
    )}
  </Card>
)

const TestResult = ({ delivery }: { delivery: Delivery }) => (
  <Note tone={delivery.status === "delivered" ? "good" : "bad"}>
    <p role="status">
      {W.webhooks.tested} <DeliveryBadge status={delivery.status} /> {delivery.responseStatus}{" "}
      {delivery.error && <ErrorText error={delivery.error} />}
    </p>
    {delivery.responseExcerpt && <pre>{delivery.responseExcerpt}</pre>}
    <p>
      <a href={`/console/deliveries/${delivery.id}`}>{W.webhooks.view_delivery}</a>
    </p>
  </Note>
)

/** The event types of an endpoint as text. */
export const formatEvents = (events: readonly string[]): string =>
  events.includes("*") ? W.webhooks.all_events : events.join(", ")

/** Conditions on the payload, one per line. */
export const FilterField = ({ name, filter = null }: { name: string; filter?: Endpoint["filter"] }) => (
  <TextArea
    name={name}
    label={W.webhooks.filter}
    hint={W.webhooks.filter_hint(FILTER_OP_NAMES)}
    value={formatFilter(filter)}
  />
)

export const PayloadField = ({ name, format }: { name: string; format?: Endpoint["payloadFormat"] }) => (
  <Select
    name={name}
    label={W.webhooks.payload}
    value={format}
    choices={EndpointResource.shape.payload.options.map((value) => ({ value, label: W.webhooks.payloads[value] }))}
  />
)

export const RateField = ({ name, value }: { name: string; value?: number | null }) => (
  <Field
    name={name}
    type="number"
    label={W.webhooks.max_per_second}
    value={value}
    hint={W.webhooks.max_per_second_hint}
  />
)

export const OrderedField = ({ name, isChecked = false }: { name: string; isChecked?: boolean }) => (
  <Checkbox name={name} label={W.webhooks.ordered} isChecked={isChecked} hint={W.webhooks.ordered_hint} />
)

export const ReconcileField = ({ name, isChecked = false }: { name: string; isChecked?: boolean }) => (
  <Checkbox name={name} label={W.webhooks.reconcile} isChecked={isChecked} hint={W.webhooks.reconcile_hint} />
)

/** Additional request headers, one per line. */
export const HeadersField = ({ name }: { name: string }) => (
  <TextArea name={name} label={W.webhooks.headers} hint={W.webhooks.headers_hint} />
)

/** Subscriptions: all events, all events of a resource, or single event types. */
export function EventsField({ name, chosen }: { name: string; chosen: readonly string[] }) {
  return (
    <CheckboxGroup
      name={name}
      label={W.webhooks.events}
      chosen={chosen}
      choices={["*", ...RESOURCE_WILDCARDS, ...EVENT_TYPES].map((value) => ({
        value,
        label: value === "*" ? W.webhooks.all_events : value,
      }))}
      getHeading={getResource}
    />
  )
}
