// Webhook endpoints: who listens, and how it goes.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { invalid } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { LICENSE_EVENTS, SUBSCRIBABLE_EVENTS, TEST_EVENTS } from "../../core/write/event-types"
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
  listEndpoints,
  readEndpoint,
  removeEndpoint,
  rotateSecret,
  stoppedEndpoints,
  testEndpoint,
  updateEndpoint,
} from "../../webhooks/endpoints/service"
import { isReceiving } from "../../webhooks/receiving-condition"
import { RecoverEndpoint } from "../../webhooks/recovery/schemas"
import { recoverEndpoint } from "../../webhooks/recovery/service"
import type { Delivery } from "../../webhooks/reserve"
import { readStats } from "../../webhooks/stats/service"
import { change, done, type FormState, submit } from "../forms"
import { Bars } from "../kit/chart"
import { Button, Check, Checks, Field, Form, Moment, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Facts, Figures, Note, Pager, Secret, Table, Time } from "../kit/parts"
import { PER_PAGE, readQuery, sliceOf } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/webhooks"

const Confirmed = z.object({ confirm: z.string() })

export const webhooks = new Hono<ConsoleEnv>()
  .get(PATH, (c) => list(c))
  .post(PATH, recentPassword("sends events to an address and shows its signing secret"), (c) =>
    submit(
      c,
      CreateEndpoint,
      async (input) => {
        const { endpoint, secret } = await createEndpoint(c.var.ctx, input)
        return secretPage(c, endpoint, secret, W.webhooks.made)
      },
      (state) => list(c, state),
    ),
  )
  .get(`${PATH}/:id`, (c) => one(c))
  .post(`${PATH}/:id/edit`, recentPassword("sends events to another address"), (c) => {
    const id = rowId(c.req.param("id"))
    return change(
      c,
      UpdateEndpoint,
      async (input) => {
        await updateEndpoint(c.var.ctx, id, input)
        return done(`${PATH}/${id}`, "saved")
      },
      (state) => one(c, state),
    )
  })
  .post(`${PATH}/:id/delete`, recentPassword("deletes an endpoint with its deliveries"), (c) => {
    const id = rowId(c.req.param("id"))
    return submit(
      c,
      Confirmed,
      async ({ confirm }) => {
        if (confirm.trim() !== String(id)) throw invalid("confirm", "selected")
        await removeEndpoint(c.var.ctx, id)
        return done(PATH, "deleted")
      },
      (state) => one(c, state),
    )
  })
  .post(`${PATH}/:id/rotate-secret`, recentPassword("replaces and shows a signing secret"), (c) => {
    const id = rowId(c.req.param("id"))
    return submit(
      c,
      RotateSecret,
      async ({ grace_seconds }) => {
        const secret = await rotateSecret(c.var.ctx, id, grace_seconds ?? 0)
        return secretPage(c, await readEndpoint(c.var.ctx, id), secret, W.webhooks.rotated)
      },
      (state) => one(c, state),
    )
  })
  .post(`${PATH}/:id/recover`, sessionOnly, (c) => {
    const id = rowId(c.req.param("id"))
    return submit(
      c,
      RecoverEndpoint,
      async (input) => {
        await recoverEndpoint(c.var.ctx, id, input)
        return done(`${PATH}/${id}#recover`, "recovering")
      },
      (state) => one(c, state),
    )
  })
  .post(`${PATH}/:id/test`, sessionOnly, (c) => {
    const id = rowId(c.req.param("id"))
    return submit(
      c,
      TestEndpoint,
      async ({ event }) => one(c, undefined, await testEndpoint(c.var.ctx, id, event)),
      (state) => one(c, state),
    )
  })

type Endpoint = Awaited<ReturnType<typeof readEndpoint>>

const stateOf = (endpoint: Endpoint) => (!endpoint.isActive ? "off" : isReceiving(endpoint) ? "receiving" : "stopped")

const Listed = ListEndpoints.extend({ state: z.enum(["stopped"]).optional() })

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = readQuery(c, Listed)
  const { rows, total } = input.state
    ? { rows: await stoppedEndpoints(c.var.ctx, sliceOf(input)), total: undefined }
    : await listEndpoints(c.var.ctx, input)
  return page(c, {
    title: W.webhooks.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.webhooks.empty} />
        ) : (
          <Endpoints rows={input.state ? rows.slice(0, PER_PAGE) : rows} />
        )}
        <Pager
          page={input.page}
          perPage={input.state ? PER_PAGE : input.per_page}
          total={total}
          more={rows.length > PER_PAGE}
        />
        {input.state && (
          <p>
            <a href={PATH}>{W.webhooks.all}</a>
          </p>
        )}
        <Card title={W.webhooks.new} id="new" writes>
          <Form action={PATH} submit={W.webhooks.create}>
            <Field name="url" type="url" required hint={W.webhooks.url_hint} />
            <Field name="description" maxlength={255} />
            <Field name="stores" label={W.webhooks.stores} hint={W.webhooks.stores_hint} />
            <Events chosen={["*"]} />
          </Form>
        </Card>
      </>
    ),
  })
}

const Endpoints = ({ rows }: { rows: Endpoint[] }) => (
  <Table
    label={W.webhooks.title}
    rows={rows}
    columns={[
      {
        head: W.webhooks.url,
        long: true,
        cell: (row) => (
          <>
            <a href={`${PATH}/${row.id}`}>{row.url}</a>
            {row.description && <div class="sub">{row.description}</div>}
          </>
        ),
      },
      { head: W.stores.status, cell: (row) => <Badge of={stateOf(row)} /> },
      { head: W.webhooks.events, cell: (row) => row.events.join(", ") },
      { head: W.webhooks.failures, num: true, cell: (row) => row.consecutiveFailures },
      { head: W.webhooks.last_success, cell: (row) => <Time at={row.lastSuccessAt} /> },
      { head: W.webhooks.last_failure, cell: (row) => <Time at={row.lastFailureAt} /> },
    ]}
  />
)

/** What can be subscribed: everything, a resource, or single events. */
function Events({ chosen }: { chosen: readonly string[] }) {
  const names = [...SUBSCRIBABLE_EVENTS, ...LICENSE_EVENTS]
  const resources = [...new Set(names.map((name) => `${name.split(".")[0]}.*`))]
  return (
    <Checks
      name="events"
      label={W.webhooks.events}
      chosen={chosen}
      choices={["*", ...resources, ...names].map((value) => ({
        value,
        label: value === "*" ? W.webhooks.everything : value,
      }))}
    />
  )
}

async function one(c: Context<ConsoleEnv>, state?: FormState, tested?: Delivery) {
  const id = rowId(c.req.param("id") ?? "")
  const [endpoint, stats] = await Promise.all([readEndpoint(c.var.ctx, id), readStats(c.var.ctx, id, 24)])
  const resource = endpointResource(endpoint)
  const path = `${PATH}/${id}`
  return page(c, {
    title: endpoint.url,
    crumbs: [[W.webhooks.title, PATH]],
    state,
    acts: (
      <>
        <a class="button" data-quiet href={`/console/deliveries?endpoint=${id}`}>
          {W.deliveries.title}
        </a>
      </>
    ),
    children: (
      <>
        {tested && <Tested delivery={tested} />}
        <Card>
          <Facts
            of={[
              [W.stores.status, <Badge of={stateOf(endpoint)} />],
              [W.webhooks.events, resource.events.join(", ")],
              [W.webhooks.failures, endpoint.consecutiveFailures],
              [W.webhooks.stopped_at, <Time at={endpoint.disabledAt} />],
              ...(resource.stores ? [[W.webhooks.stores, resource.stores.join(", ")] as [string, string]] : []),
              ...(resource.previous_secret_valid_until
                ? [[W.webhooks.graced_until, <Time at={resource.previous_secret_valid_until} />] as [string, never]]
                : []),
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
          {stateOf(endpoint) === "stopped" && (
            <Note tone="bad">
              <p>
                {W.webhooks.stopped_body} <a href="#recover">{W.webhooks.stopped_then}</a>
              </p>
              <Button action={`${path}/edit`} label={W.webhooks.revive} hidden={{ is_active: "true" }} />
            </Note>
          )}
        </Card>
        <Numbers stats={stats} />
        <Card title={W.webhooks.test} id="test" writes>
          <Form action={`${path}/test`} submit={W.webhooks.test}>
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
          <Form action={`${path}/recover`} submit={W.recovery.start}>
            <Select
              name="mode"
              label={W.recovery.mode}
              choices={Object.entries(W.recovery.modes).map(([value, label]) => ({ value, label }))}
              scope="recover"
            />
            <Moment
              name="since"
              value={endpoint.consecutiveFailures > 0 ? (endpoint.lastSuccessAt ?? endpoint.createdAt) : null}
              required
              scope="recover"
            />
            <Moment name="until" scope="recover" />
            <Field name="events" label={W.recovery.events} hint={W.recovery.events_hint} scope="recover" />
          </Form>
        </Card>
        <Card title={W.common.edit} id="edit" writes>
          <Form action={`${path}/edit`} submit={W.common.save}>
            <Field name="url" type="url" value={endpoint.url} required hint={W.webhooks.url_hint} />
            <Field name="description" value={endpoint.description} maxlength={255} />
            <Check name="is_active" label={W.webhooks.active} on={endpoint.isActive} hint={W.webhooks.active_hint} />
            <Field
              name="stores"
              label={W.webhooks.stores}
              value={endpoint.stores?.join(", ")}
              hint={W.webhooks.stores_hint}
            />
            <Events chosen={endpoint.events} />
          </Form>
        </Card>
        <Card title={W.webhooks.rotate} id="rotate" writes>
          <p>{W.webhooks.rotate_hint}</p>
          <Form action={`${path}/rotate-secret`} submit={W.webhooks.rotate} danger>
            <Field name="grace_seconds" label={W.webhooks.grace} type="number" min={0} max={86400} />
          </Form>
        </Card>
        <Card title={W.webhooks.delete} id="delete" writes>
          <p>{W.webhooks.delete_hint}</p>
          <Form action={`${path}/delete`} submit={W.webhooks.delete} danger>
            <Field name="confirm" label={W.store.confirm(String(id))} required />
          </Form>
        </Card>
      </>
    ),
  })
}

const isRunning = ({ queued, done: finished, failed }: NonNullable<Endpoint["recovery"]>) => finished + failed < queued

const Numbers = ({ stats }: { stats: Awaited<ReturnType<typeof readStats>> }) => (
  <Card title={W.webhooks.numbers} id="numbers">
    <Figures
      of={[
        [W.webhooks.sent, stats.attempts],
        [W.webhooks.delivered, stats.delivered],
        [W.webhooks.failed, stats.failed],
        [W.webhooks.latency(50), W.webhooks.ms(stats.latency_ms.p50)],
        [W.webhooks.latency(95), W.webhooks.ms(stats.latency_ms.p95)],
      ]}
    />
    {stats.attempts > 0 && (
      <Bars
        label={W.webhooks.numbers}
        names={{ good: W.webhooks.delivered, bad: W.webhooks.failed }}
        bars={stats.buckets.map(({ hour, delivered, failed }) => ({ at: hour, good: delivered, bad: failed }))}
      />
    )}
  </Card>
)

const Tested = ({ delivery }: { delivery: Delivery }) => (
  <Note tone={delivery.status === "delivered" ? "good" : "bad"}>
    <p role="status">
      {W.webhooks.tested} <Badge of={delivery.status} /> {delivery.responseStatus} {delivery.error}
    </p>
    {delivery.responseExcerpt && <pre>{delivery.responseExcerpt}</pre>}
    <p>
      <a href={`/console/deliveries/${delivery.id}`}>{W.webhooks.to_delivery}</a>
    </p>
  </Note>
)

const secretPage = (c: Context<ConsoleEnv>, endpoint: Endpoint, secret: string, title: string) =>
  page(c, {
    title,
    crumbs: [[W.webhooks.title, PATH]],
    children: (
      <>
        <Note tone="warn">
          <p>{W.webhooks.secret_body}</p>
        </Note>
        <Card title={endpoint.url}>
          <Secret id="secret" value={secret} label={W.webhooks.secret} />
        </Card>
        <p>
          <a href={`${PATH}/${endpoint.id}`}>{W.webhooks.to_endpoint}</a>
        </p>
      </>
    ),
  })
