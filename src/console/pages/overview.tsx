// The overview: items that need attention, each linked to its list, then key metrics.
import type { Child } from "hono/jsx"
import * as z from "zod"
import { listOverdueJobs } from "../../jobs/cron"
import { addMs, DAY, formatTimestamp, isoDay } from "../../lib/time"
import { BarChart, LineChart } from "../../page-kit/chart"
import { Card, formatMoney, formatNumber, labelOf, MetricList } from "../../page-kit/parts"
import { PeriodLinks } from "../../page-kit/period-links"
import { GRACE_WARNING_DAYS, KEY_EXPIRY_WARNING_DAYS, MAX_COUNT, readAttention } from "../../platform/attention/service"
import { type DailyMetrics as Day, listMetrics } from "../../platform/metrics/service"
import { UnavailableDatabases } from "../kit/incomplete"
import { page } from "../kit/page"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"

/** Days of each period; the first metrics are those of the night before. */
const PERIODS = { "7d": 7, "30d": 30, "90d": 90, "12m": 366 } as const

type Period = keyof typeof PERIODS

const PERIOD_NAMES = Object.keys(PERIODS) as [Period, ...Period[]]

const OverviewQuery = z.object({ period: z.enum(PERIOD_NAMES).default("12m") })

export const overview = createPages().get("/console", async (c) => {
  const { ctx } = c.var
  const { period } = parseQuery(c, OverviewQuery).input
  const [attention, history] = await Promise.all([readAttention(ctx), listMetrics(ctx, PERIODS[period])])
  const since = formatTimestamp(addMs(ctx.now, -DAY))
  // A missed night has no metrics, so the latest ones may be of more days.
  const before = isoDay(addMs(ctx.now, -PERIODS[period] * DAY))
  const overdue = listOverdueJobs(attention.runs, ctx.now).length
  const failed = attention.stores.failed ?? 0
  const items: [count: number, text: string, href: string][] = [
    [attention.firing, W.overview.alerts(attention.firing), "/console/system#alerts"],
    [failed, W.overview.failed(failed), "/console/stores?status=failed"],
    [attention.stopped, W.overview.disabled(attention.stopped), "/console/webhooks?state=stopped"],
    ...attention.exhausted.map(({ error, total }): [number, string, string] => [
      total,
      W.overview.exhausted(total, error ?? W.common.none),
      `/console/deliveries?${new URLSearchParams({ status: "exhausted", error: error ?? "", settled_since: since })}`,
    ]),
    [
      attention.grace,
      W.overview.grace(attention.grace, GRACE_WARNING_DAYS),
      `/console/subscriptions?grace_within=${GRACE_WARNING_DAYS}`,
    ],
    [attention.orders, W.overview.orders(attention.orders), "/console/orders?status=pending"],
    [attention.waiting, W.overview.unverified(attention.waiting), "/console/domains?state=waiting"],
    [
      attention.expiring,
      W.overview.expiring(attention.expiring, KEY_EXPIRY_WARNING_DAYS),
      `/console/keys?expires_within=${KEY_EXPIRY_WARNING_DAYS}`,
    ],
    [overdue, W.overview.cron(overdue), "/console/system#cron"],
  ]
  const open = items.filter(([count]) => count > 0)
  return page(c, {
    title: W.overview.title,
    children: (
      <>
        <Card title={W.overview.needs_attention} id="tasks">
          <UnavailableDatabases names={attention.unavailable} />
          {open.length === 0 ? (
            <p>{W.overview.all_clear}</p>
          ) : (
            <ul class="tasks">
              {open.map(([count, text, href]) => (
                <li>
                  <b>{count >= MAX_COUNT ? W.overview.at_least(MAX_COUNT) : formatNumber(count)}</b>
                  <a href={href}>{text}</a>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <h2>{W.overview.stores}</h2>
        <MetricList items={getStoreMetrics(attention.stores)} />
        <section id="history" aria-label={W.overview.history}>
          <h2>{W.overview.history}</h2>
          <PeriodLinks
            label={W.common.period}
            name="period"
            periods={PERIOD_NAMES.map((name) => [name, W.common.periods[name]])}
            current={period}
            target="history"
          />
          <div class="grid">
            <HistoryCharts days={history.filter(({ day }) => day > before).reverse()} period={period} />
          </div>
        </section>
        <h2>{W.nav.webhooks}</h2>
        <div class="grid">
          <Card title={W.overview.attempts} id="attempts">
            {attention.attempts.some(({ good, bad }) => good + bad > 0) ? (
              <BarChart
                label={W.overview.attempts}
                bars={attention.attempts}
                names={{ good: W.overview.delivered, bad: W.overview.not_delivered }}
              />
            ) : (
              <p>{W.overview.no_attempts}</p>
            )}
          </Card>
        </div>
      </>
    ),
  })
})

/** Charts of recurring revenue, trials, conversions and cancellations, from one row of metrics per night. */
function HistoryCharts({ days, period }: { days: Day[]; period: Period }) {
  if (days.length === 0) {
    return (
      <Card title={W.overview.mrr} id="mrr">
        <p>{W.overview.no_history}</p>
      </Card>
    )
  }
  const currencies = [...new Set(days.flatMap(({ recurring }) => recurring.map(({ currency }) => currency)))].sort()
  const total = ({ recurring }: Day, currency: string) =>
    recurring.filter((one) => one.currency === currency).reduce((sum, { cents }) => sum + cents, 0)
  // A year is shown by month, and shorter periods by day.
  const groups = [...Map.groupBy(days, ({ day }) => (period === "12m" ? day.slice(0, 7) : day))]
  const sum = (rows: Day[], field: "conversions" | "cancellations") =>
    rows.reduce((total, row) => total + row[field], 0)
  return (
    <>
      {currencies.length > 0 && (
        <Card title={W.overview.mrr} id="mrr">
          {currencies.map((currency) => (
            <LineChart
              label={`${W.overview.mrr}, ${currency}`}
              name={currency}
              points={days.map((row) => ({ at: row.day, value: total(row, currency) }))}
              format={(units) => formatMoney(units, currency)}
            />
          ))}
        </Card>
      )}
      <Card title={W.overview.trials} id="trials">
        <LineChart
          label={W.overview.trials}
          name={W.overview.trials}
          points={days.map(({ day, trials }) => ({ at: day, value: trials }))}
          format={formatNumber}
        />
      </Card>
      <Card title={W.overview.churn} id="moves">
        <BarChart
          label={W.overview.churn}
          bars={groups.map(([at, rows]) => ({ at, good: sum(rows, "conversions"), bad: sum(rows, "cancellations") }))}
          names={{ good: W.overview.conversions, bad: W.overview.cancellations }}
        />
      </Card>
    </>
  )
}

const getStoreMetrics = (stores: Record<string, number>): [string, Child][] =>
  Object.entries({ all: 0, ...stores }).map(([status, total]) => [
    status === "all" ? W.overview.all : labelOf(status),
    <a href={status === "all" ? "/console/stores" : `/console/stores?status=${status}`}>{formatNumber(total)}</a>,
  ])
