// Measures a push notification to 100,000 devices: completeness, invocations, duration and memory.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { type Bundle, serveBundles } from "../tools/lib/serve.ts"
import { findFreePort } from "../tools/local/port.ts"
import { createPushProvider } from "../tools/local/push-provider.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { respondToDns } from "./lib/dns.ts"
import { connectInspector, getResidentBytes, listWorkerdPids, withMemorySampling } from "./lib/memory.ts"
import type { Topic } from "./lib/topic.ts"

const NAME = "push"
const DEVICES = 100_000

/** Every n-th device is unregistered with the provider. */
const UNREGISTERED_DEVICE_INTERVAL = 100

const TIMEOUT_MS = 600_000

const MB = 1_000_000

interface NotificationStatus {
  id: number
  status: string
  devices: number
  sent: number
  failed: number
  recipients: number
}

export const push: Topic = async ({ directory }) => {
  const provider = await createPushProvider("https://push.example.com")
  const operatorToken = randomBytes(24).toString("base64url")
  const vars = {
    CENTRAL_DOMAIN: "localhost",
    PUBLIC_URL: "http://{host}",
    FCM_BASE_URL: "https://push.example.com",
    APP_KEY: `base64:${randomBytes(32).toString("base64")}`,
    OPERATOR_TOKEN: operatorToken,
  }
  let invocations = 0
  const bundle: Bundle = {
    name: NAME,
    config: "wrangler.toml",
    directory: join(directory, "platform"),
    vars,
    handleOutbound: async (request: Request) => respondToDns(request) ?? (await provider.respond(request)),
    onLog: (message: string) => {
      if (message.includes('"push batch"')) invocations += 1
    },
  }
  const previousPids = listWorkerdPids()
  const inspectorPort = await findFreePort()
  const { urls, site, stop } = await serveBundles(
    [bundle],
    readWranglerConfig().d1_databases,
    join(directory, "push-state"),
    inspectorPort,
  )
  const [pid = 0] = listWorkerdPids().filter((known) => !previousPids.includes(known))
  const inspector = await connectInspector(inspectorPort, NAME)
  await insertDevices(site)
  const seeder = createSeeder(urls[NAME] ?? "", operatorToken, "")
  await seeder.operator("push:settings", { enabled: true, service_account: provider.serviceAccount })

  const sampleMemory = async () => ({ ...(await inspector.usage()), resident: getResidentBytes(pid) })
  let notification: NotificationStatus | undefined
  let filledAfter = 0
  const started = performance.now()
  const { before, peak, seconds } = await withMemorySampling(sampleMemory, async () => {
    const { id } = await seeder.operator<NotificationStatus>("api:send-notification", {
      title: "Sale",
      message: "Today only",
    })
    while (
      notification?.status !== "sent" &&
      notification?.status !== "failed" &&
      performance.now() - started < TIMEOUT_MS
    ) {
      await sleep(250)
      notification = await seeder.operator<NotificationStatus>("notifications:show", { id })
      if (!filledAfter && notification.devices) filledAfter = (performance.now() - started) / 1000
    }
  })
  if (notification?.status !== "sent") throw new Error(`The notification is ${notification?.status}`)
  const remainingClaims = await site.prepare("select count(*) as n from push_claims").first<number>("n")
  const maxRequestsPerDevice = Math.max(...provider.asked.values())
  inspector.close()
  await stop()
  const dead = DEVICES / UNREGISTERED_DEVICE_INTERVAL
  const mb = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`
  return [
    [`push to ${DEVICES} devices, ${dead} of them unregistered`, "measured", "budget"],
    ["  accepted by the provider", String(notification?.sent), String(DEVICES - dead)],
    ["  failed", String(notification?.failed), String(dead)],
    ["  requests per device, maximum", String(maxRequestsPerDevice), "1"],
    ["  access tokens", String(provider.issuedTokens), "1"],
    ["  claims left over", String(remainingClaims), "0"],
    ["  invocations that sent", String(invocations), ""],
    ["  concurrent requests", String(provider.maxInFlight), "6 per invocation"],
    [`  ${notification?.recipients} inboxes filled after`, `${filledAfter.toFixed(1)} s`, ""],
    ["  sent after", `${seconds.toFixed(1)} s`, ""],
    ["  devices per second", (DEVICES / (seconds - filledAfter)).toFixed(0), ""],
    ["  heap of the Worker, before and peak", `${mb(before.heap)}, ${mb(peak.heap)}`, "128 MB"],
    ["  workerd with both databases, before and peak", `${mb(before.resident)}, ${mb(peak.resident)}`, ""],
  ]
}

/** Creates one device per user. */
async function insertDevices(site: D1Database): Promise<void> {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DEVICES})`
  await site.batch([
    site.prepare(
      `${numbers} insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
       select 'central', 'u' || i, 'u' || i, 'U', 'U', '', 0, 0, 0 from n`,
    ),
    site.prepare(
      `insert into device_tokens (site_id, user_id, token, is_active, last_used_at, created_at, updated_at)
       select site_id, id, iif(id % ${UNREGISTERED_DEVICE_INTERVAL} = 0, 'unregistered-', 'phone-') || id, 1, 0, 0, 0 from users`,
    ),
  ])
}
