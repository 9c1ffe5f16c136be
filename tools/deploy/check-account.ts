// Checks of npm run deploy -- --check that need Cloudflare's API: published triggers, queues, DNS, the fallback origin,
// alerts.
import { resolve4, resolve6 } from "node:dns/promises"
import { BlockList, isIPv6 } from "node:net"
import type { WranglerConfig } from "../lib/project.ts"
import { queryDatabase } from "./account.ts"
import type { Api } from "./api.ts"
import type { CheckResult } from "./check.ts"
import { getConsumersOf, listQueues, type Queue } from "./consumers.ts"
import type { Wrangler } from "./wrangler.ts"

/** Messages that no consumer fetched are deleted after this; Cloudflare's maximum. */
const QUEUE_RETENTION_SECONDS = 14 * 86_400

/** Runs all checks. One that the login has no permission for is reported as unknown. */
export async function checkAccount(config: WranglerConfig, wrangler: Wrangler, api: Api): Promise<CheckResult[]> {
  const checks: [what: string, check: () => Promise<CheckResult[]>][] = [
    ["queues and their consumers", () => checkQueues(config, api)],
    ["published cron triggers", () => checkCrons(config, api)],
    ["zones and published routes", () => checkRoutes(config, api)],
    ["DNS", () => checkDns(config, api)],
    ["fallback origin for custom domains", () => checkFallbackOrigin(config, api)],
    ["first operator and plan", async () => checkRows(config, wrangler)],
    ["budget alert", () => checkBudgetAlert(api)],
  ]
  const results = await Promise.all(
    checks.map(async ([what, check]) => {
      try {
        return await check()
      } catch (thrown) {
        return [{ ok: null, what, remedy: (thrown as Error).message }]
      }
    }),
  )
  return results.flat()
}

async function checkQueues({ name, queues }: WranglerConfig, api: Api): Promise<CheckResult[]> {
  const existing = new Map((await listQueues(api)).map((queue) => [queue.queue_name, queue]))
  const configured = new Map(queues.consumers.map((consumer) => [consumer.queue, consumer]))
  const stale = [...existing.values()].filter(
    (queue) => !configured.has(queue.queue_name) && getConsumersOf(name, queue).length > 0,
  )
  return [
    ...queues.consumers.map((consumer) => ({
      ok: isPublished(name, consumer, existing.get(consumer.queue)),
      what: `consumer of ${consumer.queue} with the settings of wrangler.toml`,
      remedy: "npm run deploy",
    })),
    ...stale.map(({ queue_name }) => ({
      ok: false,
      what: `removal of the consumer of ${queue_name}, which wrangler.toml does not name`,
      remedy: "npm run deploy",
    })),
    ...[...existing.values()]
      .filter((queue) => [...queues.producers, ...queues.consumers].some((one) => one.queue === queue.queue_name))
      .map(({ queue_name, settings }) => ({
        ok: (settings?.message_retention_period ?? 0) >= QUEUE_RETENTION_SECONDS,
        what: `message retention of 14 days of ${queue_name}`,
        remedy: `npx wrangler queues update ${queue_name} --message-retention-period-secs=${QUEUE_RETENTION_SECONDS}`,
      })),
  ]
}

/** Compares the settings that wrangler.toml states. */
function isPublished(worker: string, expected: WranglerConfig["queues"]["consumers"][number], queue?: Queue): boolean {
  const [actual] = queue ? getConsumersOf(worker, queue) : []
  if (!actual) return false
  const { dead_letter_queue, max_batch_size, max_batch_timeout, max_retries, max_concurrency, retry_delay } = expected
  const settings = {
    batch_size: max_batch_size,
    max_wait_time_ms: max_batch_timeout === undefined ? undefined : max_batch_timeout * 1000,
    max_retries,
    max_concurrency,
    retry_delay,
  }
  return (
    (dead_letter_queue ?? "") === (actual.dead_letter_queue ?? "") &&
    Object.entries(settings).every(([key, value]) => value === undefined || value === actual.settings?.[key])
  )
}

async function checkCrons({ name, triggers }: WranglerConfig, api: Api): Promise<CheckResult[]> {
  const { schedules } = await api.get<{ schedules: { cron: string }[] }>(
    `/accounts/${api.accountId}/workers/scripts/${name}/schedules`,
  )
  const published = schedules.map(({ cron }) => cron).sort()
  const ok = JSON.stringify(published) === JSON.stringify([...triggers.crons].sort())
  return [{ ok, what: "published cron triggers", remedy: "npm run deploy" }]
}

interface Zone {
  id: string
  status: string
}

const findZone = async (api: Api, name: string): Promise<Zone | undefined> =>
  (await api.get<Zone[]>(`/zones?name=${encodeURIComponent(name)}`))[0]

async function checkRoutes({ name, routes }: WranglerConfig, api: Api): Promise<CheckResult[]> {
  const zones = [...new Set(routes.flatMap(({ zone_name }) => zone_name ?? []))]
  const results = await Promise.all(
    zones.map(async (zoneName) => {
      const zone = await findZone(api, zoneName)
      const active = { ok: zone?.status === "active", what: `zone ${zoneName}`, remedy: "add it in the dashboard" }
      if (!zone) return [active]
      const published = await api.get<{ pattern: string; script?: string }[]>(`/zones/${zone.id}/workers/routes`)
      return [
        active,
        ...routes
          .filter(({ zone_name }) => zone_name === zoneName)
          .map(({ pattern }) => ({
            ok: published.some((route) => route.pattern === pattern && route.script === name),
            what: `route ${pattern}`,
            remedy: "npm run deploy",
          })),
      ]
    }),
  )
  return results.flat()
}

/**
 * Checks that the hosts resolve to Cloudflare: routes do not apply to unproxied names. An unused name tests the
 * wildcard.
 */
async function checkDns({ vars }: WranglerConfig, api: Api): Promise<CheckResult[]> {
  const ranges = await api.get<{ ipv4_cidrs: string[]; ipv6_cidrs: string[] }>("/ips")
  const central = String(vars.CENTRAL_DOMAIN)
  const names = [
    central,
    `check-of-the-wildcard.${central}`,
    ...(vars.TENANCY_CNAME_HOST ? [String(vars.TENANCY_CNAME_HOST)] : []),
  ]
  return Promise.all(
    names.map(async (name) => {
      const resolved = await Promise.allSettled([resolve4(name), resolve6(name)])
      const addresses = resolved.flatMap((result) => (result.status === "fulfilled" ? result.value : []))
      return {
        ok: areProxied(addresses, [...ranges.ipv4_cidrs, ...ranges.ipv6_cidrs]),
        what:
          addresses.length > 0 ? `proxied DNS of ${name} (it resolves to ${addresses.join(", ")})` : `DNS of ${name}`,
        remedy: `a proxied record, AAAA 100::, for ${name.replace(/^check-of-the-wildcard/, "*")}`,
      }
    }),
  )
}

/**
 * Returns whether all addresses belong to Cloudflare; false without addresses.
 * @param cidrs Cloudflare's published ranges
 */
export function areProxied(addresses: string[], cidrs: string[]): boolean {
  const ranges = new BlockList()
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/")
    ranges.addSubnet(network, Number(prefix), isIPv6(network) ? "ipv6" : "ipv4")
  }
  return addresses.length > 0 && addresses.every((address) => ranges.check(address, isIPv6(address) ? "ipv6" : "ipv4"))
}

async function checkFallbackOrigin({ vars, routes }: WranglerConfig, api: Api): Promise<CheckResult[]> {
  const host = String(vars.TENANCY_CNAME_HOST ?? "")
  const zoneName = routes.find(({ zone_name }) => zone_name)?.zone_name
  if (!host || !zoneName) return []
  const zone = String(vars.CLOUDFLARE_ZONE_ID || (await findZone(api, zoneName))?.id)
  const { origin, status } = await api.get<{ origin?: string; status?: string }>(
    `/zones/${zone}/custom_hostnames/fallback_origin`,
  )
  return [
    {
      ok: origin === host && status === "active",
      what: `fallback origin ${host} (now ${origin ?? "none"}, ${status ?? "not set"})`,
      remedy: "set it in the dashboard, SSL/TLS, Custom Hostnames",
    },
  ]
}

function checkRows({ d1_databases }: WranglerConfig, wrangler: Wrangler): CheckResult[] {
  const central = d1_databases.find(({ binding }) => binding === "DB")
  if (!central) return []
  const sql = "SELECT (SELECT count(*) FROM operators) AS operators, (SELECT count(*) FROM plans) AS plans"
  const [row] = queryDatabase<{ operators: number; plans: number }>(wrangler, central, sql)
  return [
    { ok: Number(row?.operators) > 0, what: "a first operator", remedy: "npm run operator -- operators:create" },
    { ok: Number(row?.plans) > 0, what: "a first plan", remedy: "create one at /console/plans" },
  ]
}

async function checkBudgetAlert(api: Api): Promise<CheckResult[]> {
  const policies = await api.get<{ alert_type: string; enabled: boolean }[]>(
    `/accounts/${api.accountId}/alerting/v3/policies`,
  )
  const ok = policies.some(({ alert_type, enabled }) => enabled && alert_type.startsWith("billing_"))
  return [{ ok, what: "a budget or usage alert", remedy: "add one in the dashboard, Notifications, Billing" }]
}
