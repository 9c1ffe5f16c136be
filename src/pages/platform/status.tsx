// The public status page, /status, and the same as JSON, /status.json. Shared caches store both.
import type { Hono } from "hono"
import { Sentence, UtcMoment } from "../../core/html/moment"
import { requestContext, type SurfaceEnv } from "../../core/http/surface"
import type { Locale } from "../../core/i18n/locale"
import { formatTimestamp } from "../../lib/time"
import type { ComponentStatus } from "../../platform/status/assess"
import { type Incident, incidentResource } from "../../platform/status/schemas"
import { type PublicStatus, readPublicStatus } from "../../platform/status/service"
import { DescriptionList, respondPage } from "../kit/page"
import { localeOf, pageDefaults } from "./respond"
import { t } from "./status-strings"

const CACHE_CONTROL = "public, max-age=30"

/** Adds the status page to the surface. */
export function addStatusPages(pages: Hono<SurfaceEnv>): void {
  pages.get("/status", async (c) => {
    const locale = localeOf(c)
    const status = await readPublicStatus(requestContext(c))
    return respondPage(c, 200, {
      ...pageDefaults(c),
      title: t("title", locale),
      isIndexable: true,
      cacheControl: CACHE_CONTROL,
      body: <StatusPage status={status} locale={locale} />,
    })
  })

  pages.get("/status.json", async (c) => {
    const { status, at, parts, incidents } = await readPublicStatus(requestContext(c))
    const { deliveries } = parts
    const body = {
      status,
      updated_at: formatTimestamp(at),
      components: {
        api: { status: parts.api.status },
        webhooks: {
          status: deliveries.status,
          latency_p50_ms: deliveries.latencyP50Ms,
          latency_p95_ms: deliveries.latencyP95Ms,
          oldest_due_seconds: deliveries.oldestDueSeconds,
        },
        push: { status: parts.push.status },
      },
      incidents: incidents.map(incidentResource),
    }
    return c.json(body, 200, { "Cache-Control": CACHE_CONTROL, "Access-Control-Allow-Origin": "*" })
  })
}

const SUMMARIES = {
  operational: "all_operational",
  unknown: "some_unknown",
  degraded: "some_degraded",
  outage: "some_outage",
} as const satisfies Record<ComponentStatus, string>

interface Props {
  status: PublicStatus
  locale: Locale
}

function StatusPage({ status, locale }: Props) {
  const { api, deliveries, push } = status.parts
  const isGood = status.status === "operational"
  return (
    <div class="shell narrow page">
      <h1>{t("title", locale)}</h1>
      <div class={isGood ? "notice" : "notice error"}>
        <p>
          <strong>{t(SUMMARIES[status.status], locale)}</strong>
        </p>
      </div>
      <DescriptionList
        rows={[
          [t("api", locale), t(api.status, locale)],
          [t("deliveries", locale), t(deliveries.status, locale)],
          [t("push", locale), t(push.status, locale)],
        ]}
      />
      {deliveries.status !== "unknown" && <Latency status={status} locale={locale} />}
      <section>
        <h2>{t("incidents", locale)}</h2>
        {status.incidents.length === 0 ? (
          <p class="soft">{t("no_incidents", locale)}</p>
        ) : (
          status.incidents.map((incident) => <IncidentArticle incident={incident} locale={locale} />)
        )}
      </section>
      <p class="small soft below">
        <Sentence of={(time) => t("updated", locale, { time })}>
          <UtcMoment at={status.at} locale={locale} />
        </Sentence>{" "}
        · <a href="/status.json">JSON</a>
      </p>
    </div>
  )
}

function Latency({ status, locale }: Props) {
  const { latencyP50Ms, latencyP95Ms, oldestDueSeconds } = status.parts.deliveries
  const latency = (ms: number | null) => (ms === null ? t("no_traffic", locale) : formatSeconds(ms / 1_000, locale))
  return (
    <DescriptionList
      rows={[
        [t("latency", locale), latency(latencyP50Ms)],
        [t("slowest", locale), latency(latencyP95Ms)],
        [t("oldest_due", locale), oldestDueSeconds ? formatSeconds(oldestDueSeconds, locale) : t("none_due", locale)],
      ]}
    />
  )
}

/** Formats a length of time in the largest unit of which it has at least two. */
function formatSeconds(seconds: number, locale: Locale): string {
  const format = (unit: "second" | "minute" | "hour", count: number, maximumFractionDigits = 0) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits }).format(count)
  if (seconds < 2 * 60) return format("second", seconds, 1)
  if (seconds < 2 * 3600) return format("minute", seconds / 60)
  return format("hour", seconds / 3600)
}

function IncidentArticle({ incident, locale }: { incident: Incident; locale: Locale }) {
  const { title, body, startedAt, endedAt } = incident
  return (
    <article class="incident">
      <h3>{title}</h3>
      <p class="small soft">
        <UtcMoment at={startedAt} locale={locale} /> –{" "}
        {endedAt ? <UtcMoment at={endedAt} locale={locale} /> : <strong>{t("ongoing", locale)}</strong>}
      </p>
      <p class="plain-text">{body}</p>
    </article>
  )
}
