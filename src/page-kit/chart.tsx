// Renders line and bar charts as SVG, each with its data in a table.
import type { Child } from "hono/jsx"
import { withColon } from "../lib/intl"
import { Day, Month, Time } from "./parts"
import { Table } from "./table"
import { useStrings, useView } from "./view"

interface Bar {
  /** Start of the bar's time span (ISO 8601), or its name. */
  at: string
  good: number
  bad: number
}

const WIDTH = 600
const HEIGHT = 120

const DAY = 86_400_000

const getDayNumber = (at: string): number => Date.parse(at) / DAY

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return ([1, 2, 5, 10].find((step) => step * unit >= value) ?? 10) * unit
}

/** The table below a line chart: one row per group of points. */
interface LineTable {
  head: string
  /** The group of a point, from its time. */
  groupOf: (at: string) => string
  /** The value of a group. */
  pick: "last" | "highest"
  /** A further column with a number for each group. */
  extra?: { head: string; value: (group: string) => number }
}

interface LineProps {
  label: string
  name: string
  legend?: string
  points: { at: string; value: number }[]
  format: (value: number) => string
  table?: LineTable
}

/** By default, a table has one row per month. */
const byMonth = (): LineTable => ({ head: useStrings().month, groupOf: (at) => at.slice(0, 7), pick: "last" })

/**
 * A line chart of values over time, on a scale from zero.
 * @param label accessible name of the chart
 * @param name name of the series
 * @param legend what the value of the last point is; the name by default
 * @param points at least one, in ascending order; days as `2027-01-31`, or times in ISO 8601
 * @param format formats a value
 * @param table how the table summarizes the points; by default, the last value of every month
 */
export function LineChart({ label, name, legend = name, points, format, table = byMonth() }: LineProps) {
  const { locale } = useView()
  const [first = "", last = ""] = [points[0]?.at, points.at(-1)?.at]
  const [from, span] = [getDayNumber(first), getDayNumber(last) - getDayNumber(first) || 1]
  const top = roundUp(Math.max(1, ...points.map(({ value }) => value)))
  const floor = HEIGHT - 1
  const x = (at: string) => Math.round(((getDayNumber(at) - from) / span) * WIDTH * 10) / 10
  const y = (value: number) => Math.round((floor - (value / top) * (floor - 2)) * 10) / 10
  const line = points.map(({ at, value }) => `${x(at)},${y(value)}`).join(" L")
  const { extra } = table
  const groups = Map.groupBy(points, ({ at }) => table.groupOf(at))
  const summarize = (values: number[]) => (table.pick === "last" ? (values.at(-1) ?? 0) : Math.max(...values))
  return (
    <>
      <p class="scale">{format(top)}</p>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
        <line class="grid" x1="0" x2={WIDTH} y1={y(top)} y2={y(top)} />
        <line class="grid" x1="0" x2={WIDTH} y1={y(top / 2)} y2={y(top / 2)} />
        <line class="axis" x1="0" x2={WIDTH} y1={floor} y2={floor} />
        <g data-series="0">
          <path class="area" d={`M${x(first)},${floor} L${line} L${x(last)},${floor} Z`} />
          <path class="line" d={points.length === 1 ? `M${line} h3` : `M${line}`} />
        </g>
      </svg>
      <AxisEnds first={formatMoment(first)} last={formatMoment(last)} />
      <ul class="legend">
        <li>
          <span data-series="0" />
          {withColon(legend, locale)} <b>{format(points.at(-1)?.value ?? 0)}</b>
        </li>
      </ul>
      <details class="more">
        <summary>{useStrings().view_data}</summary>
        <Table
          label={label}
          rows={[...groups]}
          columns={[
            { head: table.head, cell: ([group]) => formatMoment(group, true) },
            {
              head: name,
              isNumeric: true,
              cell: ([, members]) => format(summarize(members.map(({ value }) => value))),
            },
            ...(extra
              ? [{ head: extra.head, isNumeric: true, cell: ([group]: [string, unknown]) => extra.value(group) }]
              : []),
          ]}
        />
      </details>
    </>
  )
}

/**
 * A stacked bar chart over time: `bad` on top of `good`.
 * @param label accessible name of the chart
 * @param names names of the two series
 */
export function BarChart({ label, bars, names }: { label: string; bars: Bar[]; names: { good: string; bad: string } }) {
  const { locale } = useView()
  const max = Math.max(1, ...bars.map(({ good, bad }) => good + bad))
  const step = WIDTH / Math.max(1, bars.length)
  const total = (part: "good" | "bad") => bars.reduce((sum, bar) => sum + bar[part], 0)
  const height = (value: number) => (value / max) * (HEIGHT - 2)
  return (
    <>
      <p class="scale">{max}</p>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {bars.map(({ good, bad }, index) => (
          <>
            {good > 0 && (
              <rect
                class="bar"
                x={index * step + 1}
                width={Math.max(1, step - 2)}
                y={HEIGHT - height(good)}
                height={height(good)}
              />
            )}
            {bad > 0 && (
              <rect
                class="bad"
                x={index * step + 1}
                width={Math.max(1, step - 2)}
                y={HEIGHT - height(good) - height(bad)}
                height={height(bad)}
              />
            )}
          </>
        ))}
      </svg>
      <AxisEnds first={formatMoment(bars[0]?.at)} last={formatMoment(bars.at(-1)?.at)} />
      <ul class="legend">
        <li>
          <span data-series="0" />
          {withColon(names.good, locale)} <b>{total("good")}</b>
        </li>
        <li>
          <span data-series="bad" />
          {withColon(names.bad, locale)} <b>{total("bad")}</b>
        </li>
      </ul>
      <details class="more">
        <summary>{useStrings().view_data}</summary>
        <Table
          label={label}
          rows={bars.filter(({ good, bad }) => good + bad > 0)}
          columns={[
            { head: useStrings().when, cell: ({ at }) => formatMoment(at) },
            { head: names.good, isNumeric: true, cell: (bar) => bar.good },
            { head: names.bad, isNumeric: true, cell: (bar) => bar.bad },
          ]}
        />
      </details>
    </>
  )
}

/** A month, a day, or a moment in the reader's time zone. */
function formatMoment(at = "", isExact = false): Child {
  if (at.includes("T")) return <Time at={at} isExact={isExact} />
  if (/^\d+-\d+-\d+$/.test(at)) return <Day at={new Date(at)} />
  return /^\d+-\d+$/.test(at) ? <Month month={at} /> : at
}

/** The labels at both ends of the horizontal axis. */
const AxisEnds = ({ first, last }: { first: Child; last: Child }) => (
  <p class="ends">
    <span>{first}</span>
    <span>{last}</span>
  </p>
)
