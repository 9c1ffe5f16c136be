// The whole trail: who did what, through what, and what it changed.
import { Hono } from "hono"
import { SearchTrail } from "../../platform/audit/schemas"
import { type AuditEntry, ENTRIES_LOOKED_AT, ENTRY_TYPES, searchTrail, TRAIL_PAGE } from "../../platform/audit/service"
import { Ask, Filters, Pick } from "../kit/form"
import { page } from "../kit/page"
import { Empty, Pager, Table, Time, words } from "../kit/parts"
import { readQuery } from "../query-params"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/audit"

const TYPES = ENTRY_TYPES.map(({ subject, types }) => ({ label: words(subject), choices: types }))

export const audit = new Hono<ConsoleEnv>().get(PATH, async (c) => {
  const { input } = readQuery(c, SearchTrail)
  const { rows, more } = await searchTrail(c.var.ctx, input)
  return page(c, {
    title: W.audit.title,
    children: (
      <>
        <Filters live="entries">
          <Ask name="q" label={W.audit.q} type="search" />
          <Pick name="type" label={W.audit.type} groups={TYPES} />
          <Ask name="store" label={W.audit.store} />
          <Ask name="actor" label={W.audit.actor} />
          <Pick name="interface" label={W.audit.interface} choices={["api", "console", "cli", "system"]} />
          <Ask name="since" type="datetime-local" />
          <Ask name="until" type="datetime-local" />
        </Filters>
        <div id="entries">
          {rows.length === 0 ? <Empty text={W.audit.empty} /> : <Entries rows={rows} />}
          <Pager page={input.page} perPage={TRAIL_PAGE} more={more} />
          <p class="sub">{W.common.looked_at(ENTRIES_LOOKED_AT)}</p>
        </div>
      </>
    ),
  })
})

/** Entries of the trail. */
export const Entries = ({ rows }: { rows: AuditEntry[] }) => (
  <Table
    label={W.audit.title}
    rows={rows}
    columns={[
      { head: W.audit.what, cell: (row) => <a href={`${PATH}?type=${row.type}`}>{words(row.type)}</a> },
      { head: W.audit.about, cell: about },
      {
        head: W.audit.who,
        cell: (row) => (
          <>
            {row.actorName} <span class="sub">{words(row.actorType)}</span>
          </>
        ),
      },
      {
        head: W.audit.through,
        cell: (row) => (
          <>
            {row.interface} <span class="sub">{row.address}</span>
          </>
        ),
      },
      { head: W.audit.when, cell: (row) => <Time at={row.createdAt} /> },
      { head: W.audit.change, long: true, cell: changed },
    ]}
  />
)

function about({ subjectType, subjectId, storeId }: AuditEntry) {
  // A note's id, like that of a store's settings, is the store's.
  const subject = subjectType && [words(subjectType), subjectId !== storeId && subjectId].filter(Boolean).join(" ")
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

function changed({ fromStatus, toStatus, data, before, after, requestId }: AuditEntry) {
  const isMoved = toStatus && toStatus !== fromStatus
  const moved = isMoved ? [`${fromStatus ? `${words(fromStatus)} → ` : ""}${words(toStatus)}`] : []
  const facts = Object.entries(data ?? {}).map(([name, value]) => (
    <>
      {words(name)}: {plain(value)}
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

/** A moment as every page shows one, anything else as it is. */
const plain = (value: unknown) =>
  typeof value !== "string" ? JSON.stringify(value) : MOMENT.test(value) ? <Time at={value} /> : value

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/
