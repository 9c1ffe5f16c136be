// The audit log: who did what, when, from where, and what it changed.
import { SearchAuditLog } from "../../platform/audit/schemas"
import {
  AUDIT_PAGE_SIZE,
  type AuditEntry,
  ENTRY_TYPES,
  MAX_SCANNED_ENTRIES,
  searchAuditLog,
} from "../../platform/audit/service"
import { Filters, SelectFilter, TextFilter } from "../kit/form"
import { page } from "../kit/page"
import { EmptyState, labelOf, Pager, Time } from "../kit/parts"
import { Table } from "../kit/table"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"

const PATH = "/console/audit"

const ACTION_GROUPS = ENTRY_TYPES.map(({ subject, types }) => ({ label: labelOf(subject), choices: types }))

export const audit = createPages().get(PATH, async (c) => {
  const { input } = parseQuery(c, SearchAuditLog)
  const { rows, more } = await searchAuditLog(c.var.ctx, input)
  return page(c, {
    title: W.audit.title,
    children: (
      <>
        <Filters live="entries">
          <TextFilter name="q" label={W.audit.q} type="search" />
          <SelectFilter name="type" label={W.audit.action} groups={ACTION_GROUPS} />
          <TextFilter name="store" label={W.audit.store} />
          <TextFilter name="actor" label={W.audit.actor} />
          <SelectFilter name="interface" label={W.audit.source} choices={["api", "console", "cli", "system"]} />
          <TextFilter name="since" type="datetime-local" />
          <TextFilter name="until" type="datetime-local" />
        </Filters>
        <div id="entries">
          {rows.length === 0 ? <EmptyState text={W.audit.empty} /> : <AuditTable rows={rows} />}
          <Pager page={input.page} pageSize={AUDIT_PAGE_SIZE} hasMore={more} />
          <p class="sub">{W.common.scan_limit(MAX_SCANNED_ENTRIES)}</p>
        </div>
      </>
    ),
  })
})

/** Audit log entries with their changes. */
export const AuditTable = ({ rows }: { rows: AuditEntry[] }) => (
  <Table
    label={W.audit.title}
    rows={rows}
    columns={[
      { head: W.audit.action, cell: (row) => <a href={`${PATH}?type=${row.type}`}>{labelOf(row.type)}</a> },
      { head: W.audit.resource, cell: renderResource },
      {
        head: W.audit.actor,
        cell: (row) => (
          <>
            {row.actorName} <span class="sub">{labelOf(row.actorType)}</span>
          </>
        ),
      },
      {
        head: W.audit.source,
        cell: (row) => (
          <>
            {row.interface && labelOf(row.interface)} <span class="sub">{row.address}</span>
          </>
        ),
      },
      { head: W.audit.when, cell: (row) => <Time at={row.createdAt} /> },
      { head: W.audit.change, isLong: true, cell: renderChange },
    ]}
  />
)

function renderResource({ subjectType, subjectId, storeId }: AuditEntry) {
  // Some subjects, such as store notes and settings, have the store's id as their own.
  const subject = subjectType && [labelOf(subjectType), subjectId !== storeId && subjectId].filter(Boolean).join(" ")
  if (!storeId) return subject
  const store = storeId === "central" ? storeId : <a href={`/console/stores/${storeId}`}>{storeId}</a>
  return subject ? (
    <>
      {subject}, {store}
    </>
  ) : (
    store
  )
}

function renderChange({ fromStatus, toStatus, data, before, after, requestId }: AuditEntry) {
  const isMoved = toStatus && toStatus !== fromStatus
  const moved = isMoved ? [`${fromStatus ? `${labelOf(fromStatus)} → ` : ""}${labelOf(toStatus)}`] : []
  const facts = Object.entries(data ?? {}).map(([name, value]) => (
    <>
      {labelOf(name)}: {formatValue(value)}
    </>
  ))
  return (
    <>
      {[...moved, ...facts].map((part, index) => (
        <>
          {index > 0 && "; "}
          {part}
        </>
      ))}
      {(before || after || requestId) && (
        <details>
          <summary class="sub">{W.audit.details}</summary>
          {requestId && (
            <p class="sub">
              {W.audit.request} <a href={`${PATH}?q=${requestId}`}>{requestId}</a>
            </p>
          )}
          {before && (
            <>
              <p class="sub">{W.audit.before}</p>
              <pre>{JSON.stringify(before, null, 1)}</pre>
            </>
          )}
          {after && (
            <>
              <p class="sub">{W.audit.after}</p>
              <pre>{JSON.stringify(after, null, 1)}</pre>
            </>
          )}
        </details>
      )}
    </>
  )
}

/** Shows times in the operator's time zone, and other values unchanged. */
const formatValue = (value: unknown) =>
  typeof value !== "string" ? JSON.stringify(value) : ISO_DATE_TIME.test(value) ? <Time at={value} /> : value

const ISO_DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/
