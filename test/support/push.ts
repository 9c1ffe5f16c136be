// Push helpers for tests: a stub provider in place of the network, a configured site, and a drained queue.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import type { PushMessage } from "../../src/core/queue/messages"
import { createPushProvider, type PushProvider } from "../../tools/local/push-provider"
import { consume, sendOperatorCommand } from "./app"
import { buildDnsResponse, type DnsRecords } from "./receiver"
import { siteRows } from "./rows"

/**
 * Replaces `fetch` with the stub provider. Aborted requests reject as with the real `fetch`.
 * @param dns records of the token endpoint's host
 */
export async function stubPushProvider(dns: DnsRecords = "203.0.114.10"): Promise<PushProvider> {
  const provider = await createPushProvider("https://push.example.com")
  vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
    if (String(url).startsWith(env.DNS_RESOLVER_URL))
      return Promise.resolve(buildDnsResponse(new URL(String(url)), dns))
    const { signal } = init ?? {}
    const aborted = new Promise<never>((_, reject) => {
      if (signal?.aborted) reject(signal.reason)
      signal?.addEventListener("abort", () => reject(signal.reason))
    })
    return Promise.race([
      provider.respond(new Request(url as string, { ...init, signal: null } as RequestInit)),
      aborted,
    ])
  })
  return provider
}

/** Replaces `fetch` with the stub provider and sets up push for a site. */
export async function setUpPush(site = "central", dns?: DnsRecords): Promise<PushProvider> {
  const provider = await stubPushProvider(dns)
  const saved = await sendOperatorCommand("push:settings", {
    site,
    enabled: true,
    service_account: provider.serviceAccount,
  })
  if (saved.status !== 200) throw new Error(saved.text)
  return provider
}

/**
 * Inserts devices with the given tokens, by default of the central site and without a user.
 * @returns their ids
 */
export async function makeDevices(
  tokens: string[],
  options: { site?: string; platform?: "android" | "ios"; users?: (number | null)[] } = {},
): Promise<number[]> {
  const { site = "central", platform = null, users = [] } = options
  const list = JSON.stringify(tokens.map((token, index) => [token, users[index] ?? null]))
  const { results } = await env.SITES_1.prepare(
    `insert into device_tokens (site_id, user_id, token, platform, is_active, last_used_at, created_at, updated_at)
     select ?1, value ->> 1, value ->> 0, ?2, 1, 0, 0, 0 from json_each(?3) returning id`,
  )
    .bind(site, platform, list)
    .all<{ id: number }>()
  return results.map(({ id }) => id)
}

/** Inserts `count` users with one device each. */
export async function makeManyDevices(count: number): Promise<void> {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  await env.SITES_1.batch([
    env.SITES_1.prepare(
      `${numbers} insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
       select 'central', 'u' || i, 'u' || i, 'U', 'U', '', 0, 0, 0 from n`,
    ),
    env.SITES_1.prepare(
      `insert into device_tokens (site_id, user_id, token, is_active, last_used_at, created_at, updated_at)
       select site_id, id, 'many' || id, 1, 0, 0, 0 from users`,
    ),
  ])
}

interface QueuedMessage {
  body: PushMessage
  /** Delay in seconds. */
  delay: number
}

/** Removes and returns the messages of the queue. */
export function takeQueued(): QueuedMessage[] {
  const { send, sendBatch } = vi.mocked(env.PUSH_QUEUE)
  const single = send.mock.calls.map(([body, options]) => ({ body, delay: options?.delaySeconds ?? 0 }))
  const batches = sendBatch.mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => ({ body, delay: 0 })))
  send.mockClear()
  sendBatch.mockClear()
  return [...single, ...batches]
}

/**
 * Processes the messages of the queue without a delay, up to `width` in parallel.
 * @returns the number of invocations, and the delayed messages
 */
export async function drainPushQueue({ width = 10 } = {}): Promise<{ invocations: number; delayed: QueuedMessage[] }> {
  const delayed: QueuedMessage[] = []
  let invocations = 0
  let waiting = takeQueued()
  while (waiting.length) {
    delayed.push(...waiting.filter(({ delay }) => delay > 0))
    const now = waiting.filter(({ delay }) => delay === 0)
    const batch = now.slice(0, width)
    await Promise.all(batch.map(({ body }) => consume("tenancy-push", [body])))
    invocations += batch.length
    waiting = [...now.slice(width), ...takeQueued()]
  }
  return { invocations, delayed }
}

/** Sends a notification and processes the queue. Returns the notification and the delayed messages. */
export async function sendAndDrain(options: object = {}) {
  const sent = await sendOperatorCommand("api:send-notification", { title: "Sale", message: "Today only", ...options })
  if (sent.status !== 200) throw new Error(sent.text)
  const { delayed, invocations } = await drainPushQueue()
  const { body } = await sendOperatorCommand("notifications:show", { id: sent.body.data.id })
  return { shown: body.data, delayed, invocations }
}

/** Selects the tokens of all devices and whether they are active. */
export const deviceRows = () => siteRows("select token, is_active from device_tokens order by id")
