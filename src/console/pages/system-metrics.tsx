// Charts of the operating metrics, over 24 hours, 7 or 30 days, and the queues of the latest minute.

import { formatTimestamp } from "../../lib/time"
import { LineChart } from "../../page-kit/chart"
import { Badge, Card, formatBytes, formatNumber, Time } from "../../page-kit/parts"
import { PeriodLinks } from "../../page-kit/period-links"
import { Table } from "../../page-kit/table"
import { findAlert, RUNBOOKS } from "../../platform/alerts/definitions"
import type { AlertStatus } from "../../platform/alerts/service"
import type { LatestMetrics, MetricsSpan, SystemSlot } from "../../platform/metrics/system"
import { Identifier } from "../kit/identifier"
import { W } from "../strings"
import { Section } from "./system-section"

interface Series {
  name: string
  read: (slot: SystemSlot) => number | null
  format: (value: number) => string
}

const formatSeconds = (seconds: number): string =>
  seconds < 120 ? `${formatNumber(seconds)} s` : `${formatNumber(Math.round(seconds / 60))} min`

const SERIES: readonly Series[] = [
  {
    name: W.system.latency,
    read: ({ metrics }) => metrics.latencyP95Ms,
    format: (ms) => (ms < 10_000 ? `${formatNumber(ms)} ms` : formatSeconds(Math.round(ms / 1_000))),
  },
  { name: W.system.oldest_due, read: ({ metrics }) => metrics.oldestDueSeconds, format: formatSeconds },
  { name: W.system.due, read: ({ metrics }) => metrics.dueDeliveries, format: formatNumber },
  { name: W.system.queue_backlog, read: ({ metrics }) => metrics.queueBacklog, format: formatNumber },
  { name: W.system.queue_oldest, read: ({ metrics }) => metrics.queueOldestSeconds, format: formatSeconds },
  { name: W.system.cron_late, read: ({ metrics }) => metrics.cronLateSeconds, format: formatSeconds },
  { name: W.system.dead_letters, read: ({ metrics }) => metrics.deadLetters, format: formatNumber },
  {
    name: W.system.faults,
    read: ({ faults }) => Object.values(faults).reduce((sum, count) => sum + count, 0),
    format: formatNumber,
  },
  { name: W.system.database_size, read: ({ metrics }) => metrics.databaseBytes, format: formatBytes },
]

/** The tables below the charts: the highest value of every hour or day. */
const BY_DAY = { head: W.system.day_utc, groupOf: (at: string) => at.slice(0, 10), pick: "highest" } as const

const TABLES = {
  day: { head: W.system.hour, groupOf: (at: string) => `${at.slice(0, 13)}:00Z`, pick: "highest" },
  week: BY_DAY,
  month: BY_DAY,
} as const

const SPANS: readonly [MetricsSpan, string][] = [
  ["day", W.common.periods["24h"]],
  ["week", W.common.periods["7d"]],
  ["month", W.common.periods["30d"]],
]

/** The charts, with links to switch the time span. */
export function MetricsCharts({ span, slots }: { span: MetricsSpan; slots: SystemSlot[] }) {
  return (
    <section id="metrics" aria-label={W.system.metrics}>
      <h2>{W.system.metrics}</h2>
      <PeriodLinks label={W.common.period} name="span" periods={SPANS} current={span} target="metrics" />
      {slots.length === 0 ? (
        <p>{W.system.no_metrics}</p>
      ) : (
        <>
          <p class="sub">{W.system.metrics_hint}</p>
          <div class="grid">
            {SERIES.map((series) => (
              <SeriesCard series={series} span={span} slots={slots} />
            ))}
          </div>
        </>
      )}
    </section>
  )
}

function SeriesCard({
  series: { name, read, format },
  span,
  slots,
}: {
  series: Series
  span: MetricsSpan
  slots: SystemSlot[]
}) {
  const points = slots.flatMap((slot) => {
    const value = read(slot)
    return value === null ? [] : [{ at: formatTimestamp(slot.at), value }]
  })
  if (!points.length) return null
  return (
    <Card title={name}>
      <LineChart label={name} name={name} points={points} format={format} table={TABLES[span]} />
    </Card>
  )
}

/** The alerts, firing ones first. */
export const AlertTable = ({ alerts, firing }: { alerts: AlertStatus[]; firing: number }) => (
  <Section
    title={W.system.alerts}
    id="alerts"
    summary={W.system.none_firing}
    problem={firing > 0 && W.system.firing(firing)}
  >
    <Table
      label={W.system.alerts}
      rows={alerts}
      columns={[
        { head: W.system.alert, cell: ({ name }) => <Identifier name={name} /> },
        { head: W.system.state, cell: ({ state }) => <Badge status={state} /> },
        { head: W.system.since, cell: ({ since }) => since && <Time at={since} /> },
        { head: W.system.description, isLong: true, cell: ({ description }) => description },
        {
          head: W.doctor.runbook,
          isLong: true,
          cell: ({ name }) => <code>{`${RUNBOOKS}/${findAlert(name).runbook}`}</code>,
        },
      ]}
    />
  </Section>
)

/** The number of messages in all queues whose backlog is known. */
const describeQueues = ({ detail }: LatestMetrics): string =>
  W.system.messages(detail.queues.reduce((sum, { backlog }) => sum + (backlog ?? 0), 0))

/** The backlog of every queue. */
export const QueueTable = ({ latest }: { latest: LatestMetrics | null }) => (
  <Section title={W.system.queues} id="queues" summary={latest ? describeQueues(latest) : undefined}>
    {latest === null ? (
      <p>{W.system.no_metrics}</p>
    ) : (
      <Table
        label={W.system.queues}
        rows={latest.detail.queues}
        columns={[
          { head: W.system.queue, cell: ({ name }) => name },
          {
            head: W.system.backlog,
            isNumeric: true,
            cell: ({ backlog }) => (backlog === null ? W.common.none : formatNumber(backlog)),
          },
          {
            head: W.system.oldest,
            isNumeric: true,
            cell: ({ oldestSeconds }) => oldestSeconds !== null && formatSeconds(oldestSeconds),
          },
        ]}
      />
    )}
  </Section>
)
