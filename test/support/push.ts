// Pushes in tests: a provider in place of the network, a site that is set up for it, and the queue worked off.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import type { PushMessage } from "../../src/core/queue/messages"
import { createPushProvider, type PushProvider } from "../../tools/local/push-provider"
import { call, consume } from "./app"
import { siteRows } from "./rows"

/** An operator's command, as its command line sends it. */
export const operate = (command: string, json: object = {}, settings?: Partial<Record<string, string>>) =>
  call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json, env: settings })

/** The network: every request goes to the provider. One that is given up ends as `fetch` ends it. */
export async function providePush(): Promise<PushProvider> {
  const provider = await createPushProvider("https://push.example.com")
  vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
    const { signal } = init ?? {}
    const given = new Promise<never>((_, reject) => {
      if (signal?.aborted) reject(signal.reason)
      signal?.addEventListener("abort", () => reject(signal.reason))
    })
    return Promise.race([provider.answer(new Request(url as string, { ...init, signal: null } as RequestInit)), given])
  })
  return provider
}

/** The same with a site that is set up for it. */
export async function setUpPush(site = "central"): Promise<PushProvider> {
  const provider = await providePush()
  const saved = await operate("push:settings", { site, enabled: true, service_account: provider.serviceAccount })
  if (saved.status !== 200) throw new Error(saved.text)
  return provider
}

/** Devices of the central site under the given tokens, each an own user's unless told otherwise. Answers their ids. */
export async function makeDevices(
  tokens: string[],
  given: { site?: string; platform?: "android" | "ios"; users?: (number | null)[] } = {},
): Promise<number[]> {
  const { site = "central", platform = null, users = [] } = given
  const list = JSON.stringify(tokens.map((token, index) => [token, users[index] ?? null]))
  const { results } = await env.SITES_1.prepare(
    `insert into device_tokens (site_id, user_id, token, platform, is_active, last_used_at, created_at, updated_at)
     select ?1, value ->> 1, value ->> 0, ?2, 1, 0, 0, 0 from json_each(?3) returning id`,
  )
    .bind(site, platform, list)
    .all<{ id: number }>()
  return results.map(({ id }) => id)
}

/** `count` devices of as many users, made by the database. */
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

interface Queued {
  body: PushMessage
  /** Seconds that it is kept back. */
  delay: number
}

/** What lies on the queue, which forgets it. */
export function takeQueued(): Queued[] {
  const { send, sendBatch } = vi.mocked(env.PUSH_QUEUE)
  const single = send.mock.calls.map(([body, options]) => ({ body, delay: options?.delaySeconds ?? 0 }))
  const batches = sendBatch.mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => ({ body, delay: 0 })))
  send.mockClear()
  sendBatch.mockClear()
  return [...single, ...batches]
}

/**
 * Works the queue off, up to `width` messages side by side.
 * @returns how many invocations it took, and what is kept back
 */
export async function drain({ width = 10 } = {}): Promise<{ invocations: number; delayed: Queued[] }> {
  const delayed: Queued[] = []
  let invocations = 0
  let waiting = takeQueued()
  while (waiting.length) {
    delayed.push(...waiting.filter(({ delay }) => delay > 0))
    const now = waiting.filter(({ delay }) => delay === 0)
    const some = now.slice(0, width)
    await Promise.all(some.map(({ body }) => consume("tenancy-push", [body])))
    invocations += some.length
    waiting = [...now.slice(width), ...takeQueued()]
  }
  return { invocations, delayed }
}

/** A notification that is sent, and what was kept back. */
export async function sendAndDrain(options: object = {}) {
  const sent = await operate("api:send-notification", { title: "Sale", message: "Today only", ...options })
  if (sent.status !== 200) throw new Error(sent.text)
  const { delayed, invocations } = await drain()
  const { body } = await operate("notifications:show", { id: sent.body.data.id })
  return { shown: body.data, delayed, invocations }
}

/** Tokens of the devices that there are, and whether they are active. */
export const deviceRows = () => siteRows("select token, is_active from device_tokens order by id")
