// The whole trail: who did what, through what, and what it changed.
import { Hono } from "hono"
import { SearchTrail } from "../../platform/audit/schemas"
import { type AuditEntry, ENTRIES_LOOKED_AT, searchTrail, TRAIL_PAGE } from "../../platform/audit/service"
import { Ask, Filters, Pick } from "../kit/form"
import { page } from "../kit/page"
import { Empty, Pager, Table, Time, words } from "../kit/parts"
import { readQuery } from "../query"
import type { ConsoleEnv } from "../types"
import { W } from "../words"

const PATH = "/console/audit"

export const audit = new Hono<ConsoleEnv>().get(PATH, async (c) => {
  const { input } = readQuery(c, SearchTrail)
  const { rows, more } = await searchTrail(c.var.ctx, input)
  return page(c, {
    title: W.audit.title,
    children: (
      <>
        <Filters live="entries">
          <Ask name="q" label={W.audit.q} type="search" />
          <Ask name="type" label={W.audit.type} />
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
  const subject = subjectType && `${words(subjectType)} ${subjectId}`
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
  const facts = Object.entries(data ?? {}).map(([name, value]) => `${words(name)}: ${plain(value)}`)
  const moved = toStatus && `${fromStatus ? `${words(fromStatus)} → ` : ""}${words(toStatus)}`
  const line = [moved, ...facts].filter(Boolean).join("; ")
  return (
    <>
      {line}
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

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
