// The overview: what needs somebody first, each with the list that shows just these; then figures.
import { Hono } from "hono"
import type { Child } from "hono/jsx"
import { lateParts } from "../../jobs/cron"
import { DAY, later } from "../../lib/time"
import { GRACE_WITHIN, KEYS_WITHIN, MOST, readAttention } from "../../platform/attention/service"
import { type Figures as Day, listFigures } from "../../platform/metrics/service"
import { Bars, Line } from "../kit/chart"
import { page } from "../kit/page"
import { Card, Figures, money, number, words } from "../kit/parts"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

export const overview = new Hono<ConsoleEnv>().get("/console", async (c) => {
  const { ctx } = c.var
  const [found, history] = await Promise.all([readAttention(ctx), listFigures(ctx, HISTORY)])
  const since = later(ctx.now, -DAY).toISOString()
  const late = lateParts(found.runs, ctx.now).length
  const failed = found.stores.failed ?? 0
  const tasks: [count: number, what: string, href: string][] = [
    [failed, W.overview.failed(failed), "/console/stores?status=failed"],
    [found.stopped, W.overview.stopped(found.stopped), "/console/webhooks?state=stopped"],
    ...found.exhausted.map(({ error, total }): [number, string, string] => [
      total,
      W.overview.exhausted(total, error ?? W.common.none),
      `/console/deliveries?${new URLSearchParams({ status: "exhausted", error: error ?? "", settled_since: since })}`,
    ]),
    [found.grace, W.overview.grace(found.grace, GRACE_WITHIN), `/console/subscriptions?grace_within=${GRACE_WITHIN}`],
    [found.orders, W.overview.orders(found.orders), "/console/orders?status=pending"],
    [found.waiting, W.overview.waiting(found.waiting), "/console/domains?state=waiting"],
    [found.expiring, W.overview.expiring(found.expiring, KEYS_WITHIN), `/console/keys?expires_within=${KEYS_WITHIN}`],
    [late, W.overview.cron(late), "/console/system#cron"],
  ]
  const open = tasks.filter(([count]) => count > 0)
  return page(c, {
    title: W.overview.title,
    children: (
      <>
        <Card title={W.overview.tasks} id="tasks">
          {open.length === 0 ? (
            <p>{W.overview.calm}</p>
          ) : (
            <ul class="tasks">
              {open.map(([count, what, href]) => (
                <li>
                  <b>{count >= MOST ? W.overview.at_least(MOST) : number(count)}</b>
                  <a href={href}>{what}</a>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <h2>{W.overview.stores}</h2>
        <Figures of={storeFigures(found.stores)} />
        <div class="grid">
          <History of={history.reverse()} />
          <Card title={W.overview.attempts} id="attempts">
            {found.attempts.some(({ good, bad }) => good + bad > 0) ? (
              <Bars
                label={W.overview.attempts}
                bars={found.attempts}
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

/** Days of figures that are shown. */
const HISTORY = 366

/** How the platform's money, trials and movements came along, a row a night. */
function History({ of }: { of: Day[] }) {
  if (of.length === 0) {
    return (
      <Card title={W.overview.mrr} id="mrr">
        <p>{W.overview.no_history}</p>
      </Card>
    )
  }
  const currencies = [...new Set(of.flatMap(({ recurring }) => recurring.map(({ currency }) => currency)))].sort()
  const total = ({ recurring }: Day, currency: string) =>
    recurring.filter((one) => one.currency === currency).reduce((sum, { cents }) => sum + cents, 0)
  const months = [...new Set(of.map(({ day }) => day.slice(0, 7)))]
  const sum = (month: string, what: "conversions" | "cancellations") =>
    of.filter(({ day }) => day.startsWith(month)).reduce((before, row) => before + row[what], 0)
  return (
    <>
      {currencies.length > 0 && (
        <Card title={W.overview.mrr} id="mrr">
          {currencies.map((currency) => (
            <Line
              label={`${W.overview.mrr}, ${currency}`}
              name={currency}
              points={of.map((row) => ({ day: row.day, value: total(row, currency) }))}
              write={(units) => money(units, currency)}
            />
          ))}
        </Card>
      )}
      <Card title={W.overview.trials} id="trials">
        <Line
          label={W.overview.trials}
          name={W.overview.trials}
          points={of.map(({ day, trials }) => ({ day, value: trials }))}
          write={number}
        />
      </Card>
      <Card title={W.overview.moves} id="moves">
        <Bars
          label={W.overview.moves}
          bars={months.map((at) => ({ at, good: sum(at, "conversions"), bad: sum(at, "cancellations") }))}
          names={{ good: W.overview.conversions, bad: W.overview.cancellations }}
        />
      </Card>
    </>
  )
}

const storeFigures = (stores: Record<string, number>): [string, Child][] =>
  Object.entries({ all: 0, ...stores }).map(([status, total]) => [
    status === "all" ? W.overview.all : words(status),
    <a href={status === "all" ? "/console/stores" : `/console/stores?status=${status}`}>{number(total)}</a>,
  ])
