// What happened in a shop: its audit log in words.
import { loadStrings } from "../../core/i18n/load-strings"
import type { Locale } from "../../core/i18n/locale"
import { EmptyState, labelOf, Pager, Time } from "../../page-kit/parts"
import { PageQuery, pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { ACTIVITY_PAGE_SIZE, isStoreType, listActivity, MAX_ACTIVITY_ENTRIES } from "../../platform/audit/activity"
import type { AuditEntry } from "../../platform/audit/archived-entry"
import { createAdminPages } from "../access"
import { page } from "../page"
import { ACTIVITY, CUSTOMERS, MESSAGES, ORDERS, STAFF } from "../paths"
import type { ActivityStrings } from "../strings/activity"
import { useT } from "../view"

export const activity = createAdminPages().get(ACTIVITY, async (c) => {
  const { ctx } = c.var
  const { input } = pickQuery(PageQuery, c.req.query())
  const [{ rows, hasMore }, strings] = await Promise.all([
    listActivity(ctx, { id: ctx.site.id, seq: ctx.site.store?.seq ?? 0 }, input.page),
    loadStrings<Record<Locale, ActivityStrings>>(ctx.env, "activity-strings.json"),
  ])
  const t = strings[ctx.locale]
  const isLast = !hasMore && input.page * ACTIVITY_PAGE_SIZE >= MAX_ACTIVITY_ENTRIES
  return page(c, {
    title: t.title,
    children: (
      <>
        {rows.length === 0 ? <EmptyState text={t.empty} /> : <Entries rows={rows} t={t} />}
        {isLast && <p class="sub">{t.older}</p>}
        <Pager page={input.page} pageSize={ACTIVITY_PAGE_SIZE} hasMore={hasMore} />
      </>
    ),
  })
})

function Entries({ rows, t }: { rows: readonly AuditEntry[]; t: ActivityStrings }) {
  const { kit } = useT()
  return (
    <Table
      label={t.title}
      rows={rows}
      columns={[
        { head: t.what, isLong: true, cell: (row) => <What entry={row} t={t} /> },
        { head: t.who, cell: (row) => <Who entry={row} t={t} /> },
        { head: kit.when, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { head: t.changes, isLong: true, cell: (row) => describeChanges(row) },
      ]}
    />
  )
}

/** The pages of subjects, by their id. */
const PAGES: { [subject: string]: (id: string) => string } = {
  contact_message: (id) => `${MESSAGES}/${id}`,
  customer: (id) => `${CUSTOMERS}/${id}`,
  order: (id) => `${ORDERS}/${id}`,
  staff: () => STAFF,
}

/** What was done: to the shop, or to one of its products, orders and so on. */
function What({ entry: { type, subjectType, subjectId }, t }: { entry: AuditEntry; t: ActivityStrings }) {
  if (!subjectType) return <>{isStoreType(type) ? t.store[type] : labelOf(type)}</>
  const subjects: { [subject: string]: string } = t.subjects
  const actions: { [action: string]: string } = t.actions
  const action = type.slice(subjectType.length + 1)
  const text = `${subjects[subjectType] ?? labelOf(subjectType)}: ${actions[action] ?? labelOf(action)}`
  const href = action !== "deleted" && subjectId ? PAGES[subjectType]?.(subjectId) : undefined
  return href ? <a href={href}>{text}</a> : <>{text}</>
}

/** Members of the staff by name, keys by theirs; operators are the platform. */
function Who({ entry: { actorType, actorName }, t }: { entry: AuditEntry; t: ActivityStrings }) {
  if (actorType === "customer") return <>{actorName}</>
  if (actorType === "site_token" || actorType === "site_key") return <>{`${t.via_key} ${actorName}`}</>
  return <>{t.platform}</>
}

const MAX_VALUE_LENGTH = 60

/** The changed fields with short values, such as `status: pending → paid`. */
function describeChanges({ fromStatus, toStatus, before, after }: AuditEntry): string {
  const statuses = [fromStatus, toStatus].filter((status) => status !== null)
  const moved = toStatus && toStatus !== fromStatus ? [statuses.map(labelOf).join(" → ")] : []
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const fields = names.map((name) => {
    const values = [before?.[name], after?.[name]].filter((value) => value !== undefined && value !== null)
    const isShort = values.every((value) => typeof value !== "object" && String(value).length <= MAX_VALUE_LENGTH)
    return isShort && values.length ? `${labelOf(name)}: ${values.map(String).join(" → ")}` : labelOf(name)
  })
  return [...moved, ...fields].join("; ")
}
