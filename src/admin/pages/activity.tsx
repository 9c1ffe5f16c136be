// Shows the shop's audit log as text.
import { loadStrings } from "../../core/i18n/load-strings"
import type { Locale } from "../../core/i18n/locale"
import { withColon } from "../../lib/intl"
import { EmptyState, labelOf, Pager, Time } from "../../page-kit/parts"
import { PageQuery, pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { ACTIVITY_PAGE_SIZE, isStoreType, listActivity, MAX_ACTIVITY_ENTRIES } from "../../platform/audit/activity"
import type { AuditEntry } from "../../platform/audit/archived-entry"
import { createAdminPages } from "../access"
import { page } from "../page"
import { ACTIVITY, CUSTOMERS, MESSAGES, ORDERS, STAFF } from "../paths"
import type { ActivityStrings } from "../strings/activity"
import { useAdminView, useT } from "../view"
import { Changes, getSubjectName, Who } from "./activity-parts"

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
        { head: t.changes, isLong: true, cell: (row) => <Changes entry={row} t={t} /> },
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

/** The action of an entry, on the shop or on one of its products, orders and so on. */
function What({ entry, t }: { entry: AuditEntry; t: ActivityStrings }) {
  const { language } = useAdminView()
  const { type, subjectType, subjectId } = entry
  if (!subjectType) return <>{isStoreType(type) ? t.store[type] : labelOf(type)}</>
  const subjects: { [subject: string]: string } = t.subjects
  const actions: { [action: string]: string } = t.actions
  const action = type.slice(subjectType.length + 1)
  const name = getSubjectName(entry)
  const subject = [subjects[subjectType] ?? labelOf(subjectType), name].filter(Boolean).join(" ")
  const text = `${withColon(subject, language)} ${actions[action] ?? labelOf(action)}`
  const href = action !== "deleted" && subjectId ? PAGES[subjectType]?.(subjectId) : undefined
  return href ? <a href={href}>{text}</a> : <>{text}</>
}
