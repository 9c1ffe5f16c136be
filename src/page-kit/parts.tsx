// Renders the components that console pages share: tables, badges, lists, cards and pagination.
import type { Child, PropsWithChildren } from "hono/jsx"
import { type EveryField, listFields } from "../lib/every-field"
import { money as formatAmount, size } from "../lib/intl"
import { formatDay, formatMoment, formatMonth, formatRelative, isDay } from "../lib/time-zone"
import { renderNow } from "./context"
import { useStrings, useView } from "./view"

interface TimeProps {
  at: Date | string | null | undefined
  /** Shown instead of no moment. */
  none?: string
  /** In a sentence such as "open until …", and where the moment is about to be confirmed. */
  isExact?: boolean
}

/**
 * A moment: relative within a day unless it must be exact, else in the operator's time zone, whose name it contains.
 * The tooltip has the exact moment in that zone and in UTC.
 */
export function Time({ at, none = useStrings().never, isExact = false }: TimeProps) {
  const { timeZone, now, locale } = useView()
  if (!at) return <span class="sub">{none}</span>
  const date = new Date(at)
  const iso = date.toISOString()
  const exact = formatMoment(date, timeZone, locale)
  return (
    <time datetime={iso} title={`${exact} · ${iso.slice(0, 19).replace("T", " ")} UTC`}>
      {isExact ? exact : (formatRelative(date, now, locale) ?? exact)}
    </time>
  )
}

/** A calendar day, in no time zone; a value with a time of day is shown as a moment. */
export function Day({ at, none = useStrings().never }: { at: Date | null | undefined; none?: string }) {
  if (!at || !isDay(at)) return <Time at={at} none={none} />
  return <time datetime={at.toISOString().slice(0, 10)}>{formatDay(at, useView().locale)}</time>
}

/**
 * A calendar month, with its year unless it is of the current year.
 * @param month such as `2027-01`
 */
export function Month({ month }: { month: string }) {
  const { now, locale } = useView()
  return <time datetime={month}>{formatMonth(new Date(month), now, locale)}</time>
}

/** The color of every status that the console shows. */
const TONES = {
  ready: "good",
  active: "good",
  delivered: "good",
  receiving: "good",
  failing: "warn",
  serving: "good",
  on: "good",
  paid: "good",
  sent: "good",
  published: "good",
  verified: "good",
  valid: "good",
  ok: "good",
  usable: "good",
  failed: "bad",
  exhausted: "bad",
  suspended: "bad",
  stopped: "bad",
  unavailable: "bad",
  revoked: "bad",
  blocked: "bad",
  rejected: "bad",
  disabled: "bad",
  late: "bad",
  firing: "bad",
  past_due: "warn",
  pending: "warn",
  provisioning: "warn",
  preparing: "warn",
  trialing: "warn",
  cancelled: "warn",
  expired: "warn",
  scheduled: "warn",
  sending: "warn",
  waiting: "warn",
  draft: undefined,
  off: undefined,
  withdrawn: undefined,
} as const

export type BadgeStatus = keyof typeof TONES

/**
 * A status as text and color.
 * @param status picks the color, and the text unless one is given
 */
export const Badge = ({ status, text }: { status: BadgeStatus; text?: string }) => (
  <span class="badge" data-tone={TONES[status]}>
    {text ?? labelOf(status)}
  </span>
)

/** Whether something is active. */
export const ActiveBadge = ({ isActive }: { isActive: boolean }) => (
  <Badge status={isActive ? "active" : "off"} text={isActive ? useStrings().active : useStrings().inactive} />
)

const ACRONYMS = new Map([
  ["api", "API"],
  ["cli", "CLI"],
  ["dns", "DNS"],
  ["id", "ID"],
  ["ip", "IP"],
  ["ios", "iOS"],
  ["ok", "OK"],
  ["url", "URL"],
])

/**
 * An API value in sentence case: `past_due` becomes "Past due". Event types and other names with dots stay as they are.
 */
export function labelOf(value: string): string {
  if (value.includes(".")) return value
  const text = value
    .split("_")
    .map((word) => ACRONYMS.get(word) ?? word)
    .join(" ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Replaces an empty list: a message and a next step. */
export const EmptyState = ({ text, children }: PropsWithChildren<{ text: string }>) => (
  <div class="empty">
    <p>{text}</p>
    {children}
  </div>
)

type DescriptionItem = [name: string, value: Child]

/** Lists the names and values of a resource: the page shows each of its fields, or omits it for a reason. */
export const listDescriptions = <Resource,>(fields: EveryField<Resource, DescriptionItem>): DescriptionItem[] =>
  listFields<keyof Resource & string, DescriptionItem>(fields).map(([, item]) => item)

/** Names and values of an object; items that are null are left out. */
export const DescriptionList = ({ items }: { items: (DescriptionItem | null)[] }) => (
  <dl class="facts">
    {items
      .filter((item) => item !== null)
      .map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>
            {value === null || value === undefined || value === "" ? (
              <span class="sub">{useStrings().none}</span>
            ) : (
              value
            )}
          </dd>
        </>
      ))}
  </dl>
)

/** Key metrics in a row. */
export const MetricList = ({ items }: { items: [name: string, value: Child][] }) => (
  <dl class="figures">
    {items.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

export const Note = ({
  tone,
  children,
  alert,
}: PropsWithChildren<{ tone?: "good" | "bad" | "warn"; alert?: boolean }>) => (
  <div class="note" data-tone={tone} role={alert ? "alert" : undefined}>
    {children}
  </div>
)

interface CardProps {
  title?: string
  id?: string
  /** Is about its form: hidden from operators who may not send it. */
  isForm?: boolean
}

export function Card({ title, id, isForm, children }: PropsWithChildren<CardProps>) {
  const content = renderNow(children)
  if (isForm && !/<form|class="button"/.test(`${content}`)) return null
  return (
    <section class="card" id={id}>
      {title && <h2>{title}</h2>}
      {content}
    </section>
  )
}

/** A value to copy elsewhere. */
export const CopyableValue = ({ id, value }: { id: string; value: string }) => (
  <span class="copyable">
    <code id={id}>{value}</code>
    <button type="button" data-quiet data-copy={id} data-copied={useStrings().copied} aria-describedby={id} hidden>
      {useStrings().copy}
    </button>
  </span>
)

/** A value that is shown only once, with a copy button. */
export const SecretValue = ({ id, value, label }: { id: string; value: string; label: string }) => (
  <div>
    <p class="sub" id={`${id}-label`}>
      {label}
    </p>
    <div class="secret">
      <code id={id}>{value}</code>
      <button type="button" data-quiet data-copy={id} data-copied={useStrings().copied} hidden>
        {useStrings().copy}
      </button>
    </div>
  </div>
)

/** The URL of another page of the same list. */
function getPageUrl(path: string, query: URLSearchParams, page: number): string {
  const next = new URLSearchParams(query)
  next.delete("done")
  if (page === 1) next.delete("page")
  else next.set("page", String(page))
  const text = next.toString()
  return text ? `${path}?${text}` : path
}

/**
 * Pagination.
 * @param total number of rows; absent for lists that are not counted, where `hasMore` tells whether another page
 * follows
 */
export function Pager({
  page,
  pageSize,
  total,
  hasMore: more,
}: {
  page: number
  pageSize: number
  total?: number
  hasMore?: boolean
}) {
  const { path, query } = useView()
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / pageSize))
  const hasNext = last === undefined ? more === true : page < last
  if (page === 1 && !hasNext && !total) return null
  return (
    <nav class="pager" aria-label={useStrings().pagination}>
      {page > 1 && (
        <a href={getPageUrl(path, query, Math.min(page - 1, last ?? page))} rel="prev">
          {useStrings().previous}
        </a>
      )}
      {total === undefined ? (
        <span>{useStrings().page(page)}</span>
      ) : (
        <span>
          {useStrings().range(Math.min((page - 1) * pageSize + 1, total), Math.min(page * pageSize, total), total)}
        </span>
      )}
      {hasNext && (
        <a href={getPageUrl(path, query, page + 1)} rel="next">
          {useStrings().next}
        </a>
      )}
    </nav>
  )
}

/** Formats an amount in the currency's smallest unit: 1900 and EUR become €19.00. */
export const formatMoney = (units: number, currency: string): string => formatAmount(units, currency, "en")

export const formatNumber = (value: number): string => new Intl.NumberFormat("en").format(value)

/** Formats a size in decimal units: 1500 becomes 1.5 KB. */
export const formatBytes = (value: number, locale = "en"): string => size(value, locale)

/** Indented JSON. */
export const Json = ({ value }: { value: unknown }) => <pre>{JSON.stringify(value, null, 2)}</pre>
