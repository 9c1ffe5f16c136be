// A notification to a hundred thousand devices: whether all are accounted for, by how many invocations, in what time, at what memory.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { wranglerConfig } from "../tools/lib/project.ts"
import { serve } from "../tools/lib/serve.ts"
import { freePort } from "../tools/local/port.ts"
import { createPushProvider } from "../tools/local/push-provider.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { inspect, resident, watched, workerds } from "./lib/memory.ts"
import type { Topic } from "./lib/topic.ts"

const NAME = "push"
const DEVICES = 100_000

/** One device in so many is one that the provider does not know any more. */
const DEAD = 100

/** Milliseconds after which the measurement gives up. */
const LONGEST_MS = 1_200_000

const MB = 1_000_000

interface Shown {
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
  let lanes = 0
  const bundle = {
    name: NAME,
    config: "wrangler.toml",
    directory: join(directory, "platform"),
    vars,
    outbound: (request: Request) => provider.answer(request),
    onLog: (message: string) => {
      if (message.includes('"a lane of a notification"')) lanes += 1
    },
  }
  const earlier = workerds()
  const inspectorPort = await freePort()
  const { urls, site, stop } = await serve(
    [bundle],
    wranglerConfig().d1_databases,
    join(directory, "push-state"),
    inspectorPort,
  )
  const [pid = 0] = workerds().filter((known) => !earlier.includes(known))
  const inspector = await inspect(inspectorPort, NAME)
  await makeDevices(site)
  const seeder = createSeeder(urls[NAME] ?? "", operatorToken, "")
  await seeder.operator("push:settings", { enabled: true, service_account: provider.serviceAccount })

  const look = async () => ({ ...(await inspector.usage()), resident: resident(pid) })
  let shown: Shown | undefined
  let filledAfter = 0
  const started = performance.now()
  const { before, peak, seconds } = await watched(look, async () => {
    const { id } = await seeder.operator<Shown>("api:send-notification", { title: "Sale", message: "Today only" })
    while (shown?.status !== "sent" && shown?.status !== "failed" && performance.now() - started < LONGEST_MS) {
      await sleep(250)
      shown = await seeder.operator<Shown>("notifications:show", { id })
      if (!filledAfter && shown.devices) filledAfter = (performance.now() - started) / 1000
    }
  })
  const left = await site.prepare("select count(*) as n from push_claims").first<number>("n")
  const most = Math.max(...provider.asked.values())
  inspector.close()
  await stop()
  const dead = DEVICES / DEAD
  const mb = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`
  return [
    [`push to ${DEVICES} devices, ${dead} of them dead`, "measured", "budget"],
    ["  accepted by the provider", String(shown?.sent), String(DEVICES - dead)],
    ["  failed", String(shown?.failed), String(dead)],
    ["  requests to one device at most", String(most), "1"],
    ["  access tokens", String(provider.grants), "1"],
    ["  claims left", String(left), "0"],
    ["  invocations that sent", String(lanes), ""],
    ["  requests under way at once", String(provider.busiest), "6 an invocation"],
    [`  ${shown?.recipients} inboxes filled after`, `${filledAfter.toFixed(1)} s`, ""],
    ["  sent after", `${seconds.toFixed(1)} s`, ""],
    ["  devices a second", (DEVICES / (seconds - filledAfter)).toFixed(0), ""],
    ["  the Worker's heap, before and at most", `${mb(before.heap)}, ${mb(peak.heap)}`, "128 MB"],
    ["  workerd with both databases, before and at most", `${mb(before.resident)}, ${mb(peak.resident)}`, ""],
  ]
}

/** Devices of as many users. */
async function makeDevices(site: D1Database): Promise<void> {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DEVICES})`
  await site.batch([
    site.prepare(
      `${numbers} insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
       select 'central', 'u' || i, 'u' || i, 'U', 'U', '', 0, 0, 0 from n`,
    ),
    site.prepare(
      `insert into device_tokens (site_id, user_id, token, is_active, last_used_at, created_at, updated_at)
       select site_id, id, iif(id % ${DEAD} = 0, 'unregistered-', 'phone-') || id, 1, 0, 0, 0 from users`,
    ),
  ])
}
