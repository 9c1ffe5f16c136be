// Webhook deliveries and events of all endpoints.
import type { Context } from "hono"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { EVENT_TYPES, PING } from "../../core/write/event-types"
import type { RecordedAttempt } from "../../db/schema/central/webhooks"
import { SECOND } from "../../lib/time"
import { BulkForm, RowCheckbox } from "../../page-kit/bulk"
import { ExportLink } from "../../page-kit/export-link"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { ActionButton } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, DescriptionList, EmptyState, labelOf, Pager, SecretValue, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { DELIVERY_STATUSES } from "../../webhooks/deliveries/schemas"
import {
  DELIVERIES_PAGE_SIZE,
  DELIVERIES_SCAN_LIMIT,
  type DeliveryDetail,
  getDeliveryDetail,
  SearchDeliveries,
  searchDeliveries,
} from "../../webhooks/deliveries/search"
import { MAX_RETRIED_DELIVERIES, retryDeliveries, retryDelivery } from "../../webhooks/deliveries/service"
import { DNS_OUTAGE_ERROR } from "../../webhooks/dns-outage"
import { getErrorHint } from "../../webhooks/error-hints"
import { EVENTS_PAGE_SIZE, EVENTS_SCAN_LIMIT, SearchEvents, searchEvents } from "../../webhooks/events/search"
import { readEvent } from "../../webhooks/events/service"
import { STATUS_CLASSES } from "../../webhooks/histogram"
import type { Delivery } from "../../webhooks/reserve"
import { harmless } from "../form-access"
import { explainMissingSelection, handleForm, NoFields } from "../forms"
import { Filters } from "../kit/filters"
import { UnavailableDatabases } from "../kit/incomplete"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/deliveries"

const RETRY_SELECTED = `${PATH}/retry`

const RetrySelected = z.object({
  deliveries: z.array(z.coerce.number().int().positive()).min(1).max(MAX_RETRIED_DELIVERIES),
  /** The query of the list, to return to it. */
  filter: z.string().max(2_000).optional(),
})

/** An error with its explanation. */
export const ErrorText = ({ error }: { error: string }) => (
  <>
    {error}
    <div class="sub">{getErrorHint(error, "en")}</div>
  </>
)

/** The list with a filter; the text is parsed, so it cannot lead elsewhere. */
function getListPath(filter: string): string {
  const query = new URLSearchParams(filter)
  for (const name of ["done", "subject"]) query.delete(name)
  return query.size ? `${PATH}?${query}` : PATH
}

export const deliveries = createPages()
  .get(PATH, (c) => renderDeliveries(c))
  .get(`${PATH}/:id`, (c) => renderDelivery(c))
  .post(RETRY_SELECTED, harmless("support"), (c) =>
    handleForm(
      c,
      RetrySelected,
      async (input) => {
        retryDeliveries(c.var.ctx, input.deliveries)
        return withNotice(getListPath(input.filter ?? ""), "retrying")
      },
      (state) => renderDeliveries(c, explainMissingSelection(state, "deliveries")),
    ),
  )
  .post("/console/webhooks/deliveries/:id/retry", harmless("support"), (c) => {
    const id = rowId(c.req.param("id"))
    return handleForm(
      c,
      NoFields,
      async () => {
        const { delivery, isReleased } = await retryDelivery(c.var.ctx, id)
        const result = delivery.status === "delivered" ? "retried" : "retry_failed"
        return withNotice(`${PATH}/${id}`, isReleased ? "retry_released" : result)
      },
      (state) => renderDelivery(c, state),
    )
  })
  .get("/console/events", async (c) => {
    const { input } = parseQuery(c, SearchEvents)
    const { rows, hasMore, unavailable } = await searchEvents(c.var.ctx, input)
    return page(c, {
      title: W.events.title,
      actions: (
        <a class="button" data-quiet href="/console/events/live">
          {W.tail.title}
        </a>
      ),
      children: (
        <>
          <Filters live="events">
            <SelectFilter name="type" label={W.events.event} choices={[...EVENT_TYPES]} />
            <TextFilter name="store" />
            <TextFilter name="since" type="datetime-local" />
            <TextFilter name="until" type="datetime-local" />
          </Filters>
          <div id="events">
            <UnavailableDatabases names={unavailable} />
            {rows.length === 0 ? (
              <EmptyState text={W.events.empty} />
            ) : (
              <Table
                label={W.events.title}
                rows={rows}
                hasColumnChoice
                columns={[
                  { head: W.events.event, cell: (row) => <a href={`/console/events/${row.id}`}>{row.type}</a> },
                  {
                    head: W.stores.store,
                    cell: (row) => row.storeId && <a href={`/console/stores/${row.storeId}`}>{row.storeId}</a>,
                  },
                  { head: W.deliveries.title, isNumeric: true, cell: (row) => row.deliveries },
                  { head: W.audit.when, cell: (row) => <Time at={row.createdAt} /> },
                  { head: W.store.id, cell: (row) => <code>{row.id}</code> },
                ]}
              />
            )}
            <Pager page={input.page} pageSize={EVENTS_PAGE_SIZE} hasMore={hasMore} />
            <p class="sub">{W.common.scan_limit(EVENTS_SCAN_LIMIT)}</p>
          </div>
        </>
      ),
    })
  })
  .get("/console/events/:id", async (c) => {
    const id = c.req.param("id")
    const {
      payload,
      deliveries: all,
      unavailable,
    } = await readEvent(c.var.ctx, id, {
      limit: DELIVERIES_PAGE_SIZE + 1,
    })
    const shown = all.slice(0, DELIVERIES_PAGE_SIZE)
    const event = JSON.parse(payload) as { type: string }
    return page(c, {
      title: event.type,
      crumbs: [[W.events.title, "/console/events"]],
      children: (
        <>
          <Card title={W.deliveries.title} id="deliveries">
            <UnavailableDatabases names={unavailable} />
            {shown.length === 0 ? (
              <p>{W.events.no_deliveries}</p>
            ) : (
              <DeliveryTable
                rows={shown.map((delivery) => ({ delivery, url: W.deliveries.endpoint(delivery.endpointId) }))}
              />
            )}
            {all.length > shown.length && <p class="sub">{W.events.more(DELIVERIES_PAGE_SIZE)}</p>}
          </Card>
          <Card title={W.deliveries.body} id="body">
            <pre>{JSON.stringify(event, null, 2)}</pre>
          </Card>
        </>
      ),
    })
  })

async function renderDeliveries(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = parseQuery(c, SearchDeliveries)
  const { rows, hasMore, unavailable } = await searchDeliveries(c.var.ctx, input)
  return page(c, {
    title: W.deliveries.title,
    state,
    actions: <ExportLink path={PATH} />,
    children: (
      <>
        <Filters live="deliveries" action={PATH}>
          <SelectFilter
            name="status"
            choices={DELIVERY_STATUSES.map((value) => ({ value, label: W.deliveries.statuses[value] }))}
          />
          <SelectFilter name="event" choices={[...EVENT_TYPES, PING]} />
          <SelectFilter name="class" label={W.deliveries.response} choices={[...STATUS_CLASSES]} />
          <TextFilter name="error" />
          <TextFilter name="store" />
          <TextFilter name="endpoint" label={W.deliveries.endpoint_id} />
          <TextFilter name="since" type="datetime-local" />
          <TextFilter name="until" type="datetime-local" />
        </Filters>
        <div id="deliveries">
          <UnavailableDatabases names={unavailable} />
          {rows.length === 0 ? (
            <EmptyState text={W.deliveries.empty} />
          ) : (
            <>
              <BulkForm action={RETRY_SELECTED} method="post">
                <input type="hidden" name="filter" value={new URL(c.req.url).search.slice(1, 2_000)} />
                <button type="submit" data-quiet>
                  {W.deliveries.retry_selected}
                </button>
                {input.endpoint ? (
                  <a href={`/console/webhooks/${input.endpoint}/recovery`}>{W.deliveries.retry_all}</a>
                ) : (
                  <span class="sub">{W.deliveries.retry_all_hint}</span>
                )}
              </BulkForm>
              <DeliveryTable rows={rows} hasColumnChoice />
            </>
          )}
          <Pager page={input.page} pageSize={DELIVERIES_PAGE_SIZE} hasMore={hasMore} />
          <p class="sub">{W.common.scan_limit(DELIVERIES_SCAN_LIMIT)}</p>
        </div>
      </>
    ),
  })
}

/** A failed delivery that is retried differs from one that is given up in color and text. */
export const DeliveryBadge = ({ status }: { status: Delivery["status"] }) => (
  <Badge status={status === "failed" ? "waiting" : status} text={W.deliveries.statuses[status]} />
)

const isRetryable = ({ status }: Delivery) => status === "failed" || status === "exhausted"

/** The host of an endpoint's URL, which a table has space for; other texts unchanged. */
const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** A code that breaks after its dots and underscores where a column is too narrow for it. */
const Breakable = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=[._])/).map((part, index) => (
      <>
        {index > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
)

const DeliveryTable = ({
  rows,
  hasColumnChoice,
}: {
  rows: { delivery: Delivery; url: string }[]
  hasColumnChoice?: boolean
}) => (
  <div class="dense">
    <Table
      label={W.deliveries.title}
      rows={rows}
      hasColumnChoice={hasColumnChoice}
      columns={[
        {
          head: W.deliveries.delivery,
          cell: ({ delivery }) => (
            <>
              {hasColumnChoice && isRetryable(delivery) && (
                <RowCheckbox
                  action={RETRY_SELECTED}
                  name="deliveries"
                  value={String(delivery.id)}
                  label={W.deliveries.select(delivery.id)}
                />
              )}{" "}
              <a href={`${PATH}/${delivery.id}`}>{`#${delivery.id}`}</a>
            </>
          ),
        },
        { head: W.stores.status, cell: ({ delivery }) => <DeliveryBadge status={delivery.status} /> },
        {
          head: W.common.actions,
          hasActions: true,
          cell: ({ delivery }) =>
            isRetryable(delivery) && (
              <ActionButton
                action={`/console/webhooks/deliveries/${delivery.id}/retry`}
                label={W.deliveries.retry_row}
                about={`#${delivery.id}`}
              />
            ),
        },
        { head: W.deliveries.attempts, isNumeric: true, cell: ({ delivery }) => delivery.attempt },
        { head: W.deliveries.age, cell: ({ delivery }) => <Time at={delivery.createdAt} /> },
        {
          head: W.deliveries.response,
          isLong: true,
          cell: ({ delivery: { error, responseStatus } }) =>
            error ? (
              <span class="clamp" title={error}>
                <Breakable text={error} />
              </span>
            ) : (
              responseStatus
            ),
        },
        { head: W.events.event, isLong: true, cell: ({ delivery }) => <Breakable text={delivery.event} /> },
        {
          head: W.stores.store,
          cell: ({ delivery }) =>
            delivery.storeId && <a href={`/console/stores/${delivery.storeId}`}>{delivery.storeId}</a>,
        },
        {
          head: W.deliveries.to,
          isLong: true,
          cell: ({ delivery, url }) => (
            <a href={`/console/webhooks/${delivery.endpointId}`} title={url}>
              {getHost(url)}
            </a>
          ),
        },
      ]}
    />
  </div>
)

/** The beginning of an attempt's response. That of the last attempt is stored with the delivery. */
const getExcerpt = ({ number, excerpt }: RecordedAttempt, { attempt, responseExcerpt }: Delivery) =>
  excerpt ?? (number === attempt ? responseExcerpt : null)

/** Explains why no attempt is recorded. Those that DNS prevented are not. */
function explainEmptyLog({ status, attempt, error }: Delivery): string {
  const isReserved = status === "pending" && attempt > 0
  if (error === DNS_OUTAGE_ERROR) return isReserved ? W.deliveries.repeated : W.deliveries.released
  return attempt > 0 ? W.deliveries.in_progress : W.deliveries.no_attempt
}

async function renderDelivery(c: Context<ConsoleEnv>, state?: FormState) {
  const id = rowId(c.req.param("id") ?? "")
  const facts = await getDeliveryDetail(c.var.ctx, id)
  const { delivery, waitingFor, endpoint, payload, headers, cause, attempts } = facts
  return page(c, {
    title: W.deliveries.one(id),
    crumbs: [[W.deliveries.title, PATH]],
    state,
    actions: delivery.status !== "delivered" && !waitingFor && (
      <ActionButton action={`/console/webhooks/deliveries/${id}/retry`} label={W.deliveries.retry} />
    ),
    children: (
      <>
        <Card>
          <DescriptionList
            items={[
              [W.stores.status, <DeliveryBadge status={delivery.status} />],
              [W.events.event, <a href={`/console/events/${delivery.eventId}`}>{delivery.event}</a>],
              [
                W.stores.store,
                delivery.storeId && <a href={`/console/stores/${delivery.storeId}`}>{delivery.storeId}</a>,
              ],
              [W.deliveries.to, <a href={`/console/webhooks/${endpoint.id}`}>{endpoint.url}</a>],
              [W.deliveries.attempts, delivery.attempt],
              [W.deliveries.error, delivery.error && <ErrorText error={delivery.error} />],
              waitingFor
                ? [W.deliveries.waiting_for, <a href={`${PATH}/${waitingFor}`}>{`#${waitingFor}`}</a>]
                : [W.deliveries.next, <Time at={delivery.nextAttemptAt} none={W.common.none} />],
              [W.deliveries.delivered, <Time at={delivery.deliveredAt} none={W.store.not_yet} />],
              [W.common.created, <Time at={delivery.createdAt} />],
              [
                W.deliveries.cause,
                cause && (
                  <>
                    <a href={cause.requestId ? `/console/audit?q=${cause.requestId}` : "/console/audit"}>
                      {labelOf(cause.type)}
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
            <p>{explainEmptyLog(delivery)}</p>
          ) : (
            <Table
              label={W.deliveries.attempts}
              rows={attempts}
              columns={[
                { head: W.deliveries.kind, cell: (row) => labelOf(row.kind) },
                { head: W.deliveries.started, cell: (row) => <Time at={new Date(row.startedAt)} /> },
                { head: W.deliveries.duration, isNumeric: true, cell: (row) => `${row.durationMs} ms` },
                {
                  head: W.deliveries.response,
                  isLong: true,
                  cell: (row) => (
                    <>
                      {row.error ?? row.responseStatus}
                      {row.retryAfterMs !== undefined && (
                        <div class="sub">{W.deliveries.retry_after(Math.ceil(row.retryAfterMs / SECOND))}</div>
                      )}
                      {getExcerpt(row, delivery) && <pre>{getExcerpt(row, delivery)}</pre>}
                    </>
                  ),
                },
              ]}
            />
          )}
        </Card>
        <Card title={W.deliveries.response} id="answer">
          <p>{delivery.responseStatus ?? W.deliveries.no_response}</p>
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
              <details class="more">
                <summary>{W.deliveries.body}</summary>
                <pre>{JSON.stringify(JSON.parse(payload), null, 2)}</pre>
              </details>
              <details class="more">
                <summary>{W.deliveries.raw_body}</summary>
                <pre>{payload}</pre>
              </details>
            </>
          )}
        </Card>
        {headers && payload !== null && (
          <Card title={W.deliveries.curl} id="curl">
            <details class="more">
              <summary>{W.deliveries.command}</summary>
              <SecretValue
                id="command"
                value={buildCurlCommand(endpoint, headers, payload)}
                label={W.deliveries.curl_hint}
              />
            </details>
          </Card>
        )}
      </>
    ),
  })
}

const quoteShellArgument = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The signed request as a curl command. */
const buildCurlCommand = (
  { url }: DeliveryDetail["endpoint"],
  headers: Record<string, string>,
  payload: string,
): string =>
  [
    `curl -X POST ${quoteShellArgument(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteShellArgument(`${name}: ${value}`)}`),
    `--data-raw ${quoteShellArgument(payload)}`,
  ].join(" \\\n  ")
