// Deliveries over all endpoints, and one of them to the last byte.
import { type Context, Hono } from "hono"
import { rowId } from "../../core/http/row-id"
import { LICENSE_EVENTS, PING, SUBSCRIBABLE_EVENTS } from "../../core/write/event-types"
import { DELIVERY_STATUSES } from "../../webhooks/deliveries/schemas"
import {
  DELIVERIES_PAGE,
  type DeliveryFacts,
  inspectDelivery,
  LOOKED_AT,
  SearchDeliveries,
  STATUS_CLASSES,
  searchDeliveries,
} from "../../webhooks/deliveries/search"
import { retryDelivery } from "../../webhooks/deliveries/service"
import { EVENTS_LOOKED_AT, EVENTS_PAGE, SearchEvents, searchEvents } from "../../webhooks/events/search"
import { readEvent } from "../../webhooks/events/service"
import type { Delivery } from "../../webhooks/reserve"
import { done, type FormState, NOTHING, submit } from "../forms"
import { Ask, Button, Filters, Pick } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Facts, Pager, Secret, Table, Time, words } from "../kit/parts"
import { readQuery } from "../query-params"
import { sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/deliveries"

const EVENT_NAMES = [...SUBSCRIBABLE_EVENTS, ...LICENSE_EVENTS]

export const deliveries = new Hono<ConsoleEnv>()
  .get(PATH, async (c) => {
    const { input } = readQuery(c, SearchDeliveries)
    const { rows, more } = await searchDeliveries(c.var.ctx, input)
    return page(c, {
      title: W.deliveries.title,
      children: (
        <>
          <Filters live="deliveries">
            <Pick name="status" choices={[...DELIVERY_STATUSES]} />
            <Pick name="event" choices={[...EVENT_NAMES, PING]} />
            <Pick name="class" label={W.deliveries.class} choices={[...STATUS_CLASSES]} />
            <Ask name="error" />
            <Ask name="store" />
            <Ask name="endpoint" label={W.deliveries.endpoint_id} />
            <Ask name="since" type="datetime-local" />
            <Ask name="until" type="datetime-local" />
          </Filters>
          <div id="deliveries">
            {rows.length === 0 ? <Empty text={W.deliveries.empty} /> : <Rows rows={rows} />}
            <Pager page={input.page} perPage={DELIVERIES_PAGE} more={more} />
            <p class="sub">{W.common.looked_at(LOOKED_AT)}</p>
          </div>
        </>
      ),
    })
  })
  .get(`${PATH}/:id`, (c) => one(c))
  .post("/console/webhooks/deliveries/:id/retry", sessionOnly, (c) => {
    const id = rowId(c.req.param("id"))
    return submit(
      c,
      NOTHING,
      async () => {
        await retryDelivery(c.var.ctx, id)
        return done(`${PATH}/${id}`, "retried")
      },
      (state) => one(c, state),
    )
  })
  .get("/console/events", async (c) => {
    const { input } = readQuery(c, SearchEvents)
    const { rows, more } = await searchEvents(c.var.ctx, input)
    return page(c, {
      title: W.events.title,
      acts: (
        <a class="button" data-quiet href="/console/events/live">
          {W.tail.open}
        </a>
      ),
      children: (
        <>
          <Filters live="events">
            <Pick name="type" label={W.events.event} choices={EVENT_NAMES} />
            <Ask name="store" />
            <Ask name="since" type="datetime-local" />
            <Ask name="until" type="datetime-local" />
          </Filters>
          <div id="events">
            {rows.length === 0 ? (
              <Empty text={W.events.empty} />
            ) : (
              <Table
                label={W.events.title}
                rows={rows}
                columns={[
                  { head: W.events.event, cell: (row) => <a href={`/console/events/${row.id}`}>{row.type}</a> },
                  {
                    head: W.stores.store,
                    cell: (row) => row.storeId && <a href={`/console/stores/${row.storeId}`}>{row.storeId}</a>,
                  },
                  { head: W.deliveries.title, num: true, cell: (row) => row.deliveries },
                  { head: W.audit.when, cell: (row) => <Time at={row.createdAt} /> },
                  { head: W.store.id, cell: (row) => <code>{row.id}</code> },
                ]}
              />
            )}
            <Pager page={input.page} perPage={EVENTS_PAGE} more={more} />
            <p class="sub">{W.common.looked_at(EVENTS_LOOKED_AT)}</p>
          </div>
        </>
      ),
    })
  })
  .get("/console/events/:id", async (c) => {
    const id = c.req.param("id")
    const { payload, deliveries: all } = await readEvent(c.var.ctx, id, DELIVERIES_PAGE + 1)
    const told = all.slice(0, DELIVERIES_PAGE)
    const event = JSON.parse(payload) as { type: string }
    return page(c, {
      title: event.type,
      crumbs: [[W.events.title, "/console/events"]],
      children: (
        <>
          <Card title={W.deliveries.title} id="deliveries">
            {told.length === 0 ? (
              <p>{W.events.nobody}</p>
            ) : (
              <Rows rows={told.map((delivery) => ({ delivery, url: W.deliveries.endpoint(delivery.endpointId) }))} />
            )}
            {all.length > told.length && <p class="sub">{W.events.more(DELIVERIES_PAGE)}</p>}
          </Card>
          <Card title={W.deliveries.body} id="body">
            <pre>{JSON.stringify(event, null, 2)}</pre>
          </Card>
        </>
      ),
    })
  })

const Rows = ({ rows }: { rows: { delivery: Delivery; url: string }[] }) => (
  <Table
    label={W.deliveries.title}
    rows={rows}
    columns={[
      {
        head: W.deliveries.delivery,
        cell: ({ delivery }) => <a href={`${PATH}/${delivery.id}`}>{`#${delivery.id}`}</a>,
      },
      { head: W.stores.status, cell: ({ delivery }) => <Badge of={delivery.status} /> },
      { head: W.events.event, cell: ({ delivery }) => delivery.event },
      {
        head: W.stores.store,
        cell: ({ delivery }) =>
          delivery.storeId && <a href={`/console/stores/${delivery.storeId}`}>{delivery.storeId}</a>,
      },
      {
        head: W.deliveries.to,
        long: true,
        cell: ({ delivery, url }) => <a href={`/console/webhooks/${delivery.endpointId}`}>{url}</a>,
      },
      { head: W.deliveries.answer, cell: ({ delivery }) => delivery.error ?? delivery.responseStatus },
      { head: W.deliveries.attempts, num: true, cell: ({ delivery }) => delivery.attempt },
      { head: W.audit.when, cell: ({ delivery }) => <Time at={delivery.createdAt} /> },
    ]}
  />
)

async function one(c: Context<ConsoleEnv>, state?: FormState) {
  const id = rowId(c.req.param("id") ?? "")
  const facts = await inspectDelivery(c.var.ctx, id)
  const { delivery, endpoint, payload, headers, cause, attempts } = facts
  return page(c, {
    title: W.deliveries.one(id),
    crumbs: [[W.deliveries.title, PATH]],
    state,
    acts: delivery.status !== "delivered" && (
      <Button action={`/console/webhooks/deliveries/${id}/retry`} label={W.deliveries.retry} />
    ),
    children: (
      <>
        <Card>
          <Facts
            of={[
              [W.stores.status, <Badge of={delivery.status} />],
              [W.events.event, <a href={`/console/events/${delivery.eventId}`}>{delivery.event}</a>],
              [
                W.stores.store,
                delivery.storeId && <a href={`/console/stores/${delivery.storeId}`}>{delivery.storeId}</a>,
              ],
              [W.deliveries.to, <a href={`/console/webhooks/${endpoint.id}`}>{endpoint.url}</a>],
              [W.deliveries.attempts, delivery.attempt],
              [W.deliveries.error, delivery.error],
              [W.deliveries.next, <Time at={delivery.nextAttemptAt} none={W.common.none} />],
              [W.deliveries.delivered, <Time at={delivery.deliveredAt} none={W.store.not_yet} />],
              [W.common.created, <Time at={delivery.createdAt} />],
              [
                W.deliveries.cause,
                cause && (
                  <>
                    <a href={cause.requestId ? `/console/audit?q=${cause.requestId}` : "/console/audit"}>
                      {words(cause.type)}
                    </a>{" "}
                    {W.common.by} {cause.actor.name}
                  </>
                ),
              ],
            ]}
          />
        </Card>
        <Card title={W.deliveries.attempts} id="attempts">
          {attempts.length === 0 ? (
            <p>{delivery.attempt > 0 ? W.deliveries.under_way : W.deliveries.no_attempt}</p>
          ) : (
            <Table
              label={W.deliveries.attempts}
              rows={attempts}
              columns={[
                { head: W.deliveries.kind, cell: (row) => row.kind },
                { head: W.deliveries.started, cell: (row) => <Time at={new Date(row.startedAt)} /> },
                { head: W.deliveries.took, num: true, cell: (row) => `${row.durationMs} ms` },
                { head: W.deliveries.answer, cell: (row) => row.error ?? row.responseStatus },
              ]}
            />
          )}
        </Card>
        <Card title={W.deliveries.answer} id="answer">
          <p>{delivery.responseStatus ?? W.deliveries.no_answer}</p>
          {delivery.responseExcerpt && <pre>{delivery.responseExcerpt}</pre>}
        </Card>
        <Card title={W.deliveries.request} id="request">
          {headers ? (
            <pre>
              {Object.entries(headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join("\n")}
            </pre>
          ) : (
            <p>{payload === null ? W.deliveries.payload_gone : W.deliveries.unreadable}</p>
          )}
          {payload !== null && (
            <>
              <h3>{W.deliveries.body}</h3>
              <pre>{payload}</pre>
            </>
          )}
        </Card>
        {headers && payload !== null && (
          <Card title={W.deliveries.curl} id="curl">
            <Secret id="command" value={curl(endpoint, headers, payload)} label={W.deliveries.curl_hint} />
          </Card>
        )}
      </>
    ),
  })
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a command. */
const curl = ({ url }: DeliveryFacts["endpoint"], headers: Record<string, string>, payload: string): string =>
  [
    `curl -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(payload)}`,
  ].join(" \\\n  ")
