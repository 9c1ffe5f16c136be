// The parts that pages are made of.
import type { Child, PropsWithChildren } from "hono/jsx"
import { money as written } from "../../lib/intl"
import { W } from "../strings"
import { useView } from "./view"

type Moment = Date | string | null | undefined

/** A moment in the operator's zone, with UTC in its title. */
export function Time({ at, none = W.common.never }: { at: Moment; none?: string }) {
  const { timeZone } = useView()
  if (!at) return <span class="sub">{none}</span>
  const moment = new Date(at)
  const text = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(moment)
  const iso = moment.toISOString()
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`}>
      {text}
    </time>
  )
}

const TONES: Record<string, "good" | "bad" | "warn"> = {
  ready: "good",
  active: "good",
  delivered: "good",
  receiving: "good",
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
}

/** A state in a word; its tone says the same again, for those who see it. */
export const Badge = ({ of, text }: { of: string; text?: string }) => (
  <span class="badge" data-tone={TONES[of]}>
    {text ?? words(of)}
  </span>
)

/** A name of the API in words: `past_due` is past due. */
export const words = (name: string): string => name.replaceAll("_", " ")

export interface Column<Row> {
  head: string
  /** Numbers stand at the right. */
  num?: boolean
  long?: boolean
  cell: (row: Row) => Child
}

/**
 * Rows in columns, the first of which names the row. It scrolls by itself where it is too wide.
 * @param label what the table is of, for those who do not see it
 */
export function Table<Row>({ label, columns, rows }: { label: string; columns: Column<Row>[]; rows: readonly Row[] }) {
  return (
    <section class="scroll" aria-label={label} tabindex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ head, num }) => (
              <th scope="col" class={num ? "num" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ cell, num, long }, index) =>
                index === 0 ? (
                  <th scope="row">{cell(row)}</th>
                ) : (
                  <td class={num ? "num" : long ? "long" : undefined}>{cell(row)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** What stands where a list would: that there is nothing, and the next step. */
export const Empty = ({ text, children }: PropsWithChildren<{ text: string }>) => (
  <div class="empty">
    <p>{text}</p>
    {children}
  </div>
)

/** Names and values of one thing. */
export const Facts = ({ of }: { of: [name: string, value: Child][] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>
          {value === null || value === undefined || value === "" ? <span class="sub">{W.common.none}</span> : value}
        </dd>
      </>
    ))}
  </dl>
)

/** Figures at a glance. */
export const Figures = ({ of }: { of: [name: string, value: Child][] }) => (
  <dl class="figures">
    {of.map(([name, value]) => (
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
  /** Whether all it has is a form that writes: those who may not write do not see it. */
  writes?: boolean
}

export function Card({ title, id, writes, children }: PropsWithChildren<CardProps>) {
  const { mayWrite } = useView()
  if (writes && !mayWrite) return null
  return (
    <section class="card" id={id}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  )
}

/** A value that is shown this once, with a button that copies it. */
export const Secret = ({ id, value, label }: { id: string; value: string; label: string }) => (
  <div>
    <p class="sub" id={`${id}-label`}>
      {label}
    </p>
    <div class="secret">
      <code id={id}>{value}</code>
      <button type="button" data-quiet data-copy={id} data-copied={W.common.copied} hidden>
        {W.common.copy}
      </button>
    </div>
  </div>
)

/** The same address with another page. */
function pageLink(path: string, query: URLSearchParams, page: number): string {
  const next = new URLSearchParams(query)
  next.delete("done")
  if (page === 1) next.delete("page")
  else next.set("page", String(page))
  const text = next.toString()
  return text ? `${path}?${text}` : path
}

/**
 * Leads through the pages of a list.
 * @param total how many rows there are; absent where nobody counted, and `more` says whether another page follows
 */
export function Pager({
  page,
  perPage,
  total,
  more,
}: {
  page: number
  perPage: number
  total?: number
  more?: boolean
}) {
  const { path, query } = useView()
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / perPage))
  const hasNext = last === undefined ? more === true : page < last
  if (page === 1 && !hasNext && !total) return null
  return (
    <nav class="pager" aria-label={W.common.pages}>
      {page > 1 && (
        <a href={pageLink(path, query, Math.min(page - 1, last ?? page))} rel="prev">
          {W.common.newer}
        </a>
      )}
      {total === undefined ? (
        <span>{W.common.page(page)}</span>
      ) : (
        <span>{W.common.of(Math.min((page - 1) * perPage + 1, total), Math.min(page * perPage, total), total)}</span>
      )}
      {hasNext && (
        <a href={pageLink(path, query, page + 1)} rel="next">
          {W.common.older}
        </a>
      )}
    </nav>
  )
}

/**
 * Says that rows may be missing from a list, because several filters at once look no further.
 * @param most how many rows were looked at; null where none are missing
 */
export function LookedAmong({ most }: { most: number | null }) {
  return most === null ? null : <p class="sub">{W.common.looked_among(most)}</p>
}

/** An amount of money in the currency's smallest unit: 1900 and EUR are €19.00. */
export const money = (units: number, currency: string): string => written(units, currency, "en")

export const number = (value: number): string => new Intl.NumberFormat("en").format(value)

/** Bytes in a unit that people read. */
export function bytes(value: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"]
  let unit = 0
  let rest = value
  for (; rest >= 1000 && unit < units.length - 1; unit++) rest /= 1000
  return `${unit === 0 ? rest : rest.toFixed(1)} ${units[unit]}`
}

/** JSON as people read it. */
export const Json = ({ value }: { value: unknown }) => <pre>{JSON.stringify(value, null, 2)}</pre>
