// The audit log: who did what, when, from where, and what it changed.
import type { Child } from "hono/jsx"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { ExportLink } from "../../page-kit/export-link"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { EmptyState, labelOf, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { useView } from "../../page-kit/view"
import { MAX_SCANNED_ARCHIVE_ENTRIES, searchArchive } from "../../platform/audit/archive-read"
import type { AuditEntry } from "../../platform/audit/archived-entry"
import { MAX_SCANNED_ENTRIES } from "../../platform/audit/first-id"
import { ARCHIVE_START, SearchAuditLog } from "../../platform/audit/schemas"
import { AUDIT_PAGE_SIZE, ENTRY_TYPES, searchAuditLog } from "../../platform/audit/service"
import { Filters } from "../kit/filters"
import { page } from "../kit/page"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"

const PATH = "/console/audit"

const ACTION_GROUPS = ENTRY_TYPES.map(({ subject, types }) => ({ label: labelOf(subject), choices: types }))

export const audit = createPages().get(PATH, async (c) => {
  const { input } = parseQuery(c, SearchAuditLog)
  const results = input.archive ? await renderArchive(c.var.ctx, input) : await renderEntries(c.var.ctx, input)
  return page(c, {
    title: W.audit.title,
    // Entries in the archive are in its files.
    actions: !input.archive && <ExportLink path={PATH} />,
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
        <div id="entries">{results}</div>
      </>
    ),
  })
})

type Search = z.output<typeof SearchAuditLog>

/** The matches in the database, and a link to those in the archive. */
async function renderEntries(ctx: Ctx, input: Search) {
  const { rows, more, archivedBefore } = await searchAuditLog(ctx, input)
  return (
    <>
      {rows.length === 0 ? <EmptyState text={W.audit.empty} /> : <AuditTable rows={rows} hasColumnChoice />}
      <Pager page={input.page} pageSize={AUDIT_PAGE_SIZE} hasMore={more} />
      <p class="sub">{W.common.scan_limit(MAX_SCANNED_ENTRIES)}</p>
      {archivedBefore && (
        <p class="sub">
          {W.audit.archived_before} <Time at={archivedBefore} isExact />.{" "}
          <ArchiveLink position={ARCHIVE_START} text={W.audit.search_archive} />
        </p>
      )}
    </>
  )
}

/** The matches on one page of the archive. */
async function renderArchive(ctx: Ctx, input: Search) {
  const { rows, next } = await searchArchive(ctx, input)
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState text={next ? W.audit.empty_archive_page : W.audit.empty} />
      ) : (
        <AuditTable rows={rows} />
      )}
      <nav class="pager" aria-label={W.common.pagination}>
        <ArchiveLink position={null} text={W.audit.latest} />
        {next && <ArchiveLink position={next} text={W.audit.older} />}
      </nav>
      <p class="sub">{W.audit.archive_scan(MAX_SCANNED_ARCHIVE_ENTRIES)}</p>
    </>
  )
}

/** A link to the same search at a position in the archive; null for the database. */
function ArchiveLink({ position, text }: { position: string | null; text: string }) {
  const { path, query } = useView()
  const next = new URLSearchParams(query)
  next.delete("page")
  if (position === null) next.delete("archive")
  else next.set("archive", position)
  return <a href={`${path}?${next}`}>{text}</a>
}

/** Audit log entries with their changes. */
export const AuditTable = ({ rows, hasColumnChoice }: { rows: AuditEntry[]; hasColumnChoice?: boolean }) => (
  <Table
    label={W.audit.title}
    rows={rows}
    hasColumnChoice={hasColumnChoice}
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
      <Joined parts={[...moved, ...facts]} separator="; " />
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

/** Shows times in the operator's time zone, lists and records such as counts as text, and other values unchanged. */
function formatValue(value: unknown): Child {
  if (typeof value === "string") return ISO_DATE_TIME.test(value) ? <Time at={value} /> : value
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const parts = Array.isArray(value) ? value.map(formatValue) : Object.entries(value).map(formatMember)
  return parts.length ? <Joined parts={parts} separator=", " /> : W.common.none
}

/** `Added 3` for a value, `Products (Added 3, Removed 0)` for a list or a record. */
const formatMember = ([name, value]: [string, unknown]): Child =>
  typeof value === "object" && value !== null ? (
    <>
      {labelOf(name)} ({formatValue(value)})
    </>
  ) : (
    <>
      {labelOf(name)} {formatValue(value)}
    </>
  )

/** Parts in one line. */
const Joined = ({ parts, separator }: { parts: Child[]; separator: string }) => (
  <>
    {parts.map((part, index) => (
      <>
        {index > 0 && separator}
        {part}
      </>
    ))}
  </>
)

const ISO_DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/
