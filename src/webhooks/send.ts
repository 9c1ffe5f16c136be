// The request of one attempt, and how it ended. Whatever the receiver does, this answers: it never throws.
import type { Ctx } from "../core/context"
import { API_VERSION } from "../core/events"
import type { webhookEndpoints } from "../db/schema/central/webhooks"
import { decrypt } from "../lib/cipher"
import { resolver } from "../lib/dns"
import { SECOND } from "../lib/time"
import { checkUrl, resolveHost } from "./addresses"
import { platformSignature, standardSignature } from "./sign"

type Endpoint = typeof webhookEndpoints.$inferSelect

/** How an attempt ended. `status` and `excerpt` are there when the receiver answered. */
export type Outcome =
  | { delivered: true; status: number; excerpt: string }
  | { delivered: false; error: string; status?: number; excerpt?: string }

/** Bytes of the receiver's answer that are kept. */
const EXCERPT_BYTES = 1024

const failed = (error: string): Outcome => ({ delivered: false, error })

/** Signs the stored text and posts it to the endpoint. */
export async function send(
  ctx: Ctx,
  endpoint: Endpoint,
  event: { id: string; event: string; payload: string },
): Promise<Outcome> {
  if (!(await isSafe(ctx, endpoint.url))) return failed("unsafe_host")
  const secret = await decrypt(ctx.settings.APP_KEY, endpoint.secret)
  if (!secret) return failed("undecryptable_secret: rotate the endpoint's secret")
  const signable = { id: event.id, timestamp: Math.floor(Date.now() / 1000), body: event.payload }
  const request: RequestInit = {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `${ctx.settings.APP_NAME}-Webhooks/${API_VERSION}`,
      "X-Tenancy-Event": event.event,
      "X-Tenancy-Delivery": event.id,
      "X-Tenancy-Signature": await platformSignature(secret, signable),
      "webhook-id": event.id,
      "webhook-timestamp": String(signable.timestamp),
      "webhook-signature": await standardSignature(secret, signable),
    },
    body: event.payload,
    redirect: "manual",
  }
  return post(endpoint.url, request, ctx.settings.TENANCY_WEBHOOK_TIMEOUT * SECOND)
}

/** Asks again, before every send, whether the address is one the platform may call. */
async function isSafe(ctx: Ctx, url: string): Promise<boolean> {
  const { CENTRAL_DOMAIN, TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: allowPrivateHosts } = ctx.settings
  const checked = checkUrl(url, { centralDomain: CENTRAL_DOMAIN, allowPrivateHosts })
  if (!checked.ok) return false
  if (allowPrivateHosts) return true
  return (await resolveHost(checked.host, resolver(ctx.settings.DNS_RESOLVER_URL, fetch))) === "public"
}

/** @param timeout milliseconds for everything, from connect to the last byte that is read */
async function post(url: string, request: RequestInit, timeout: number): Promise<Outcome> {
  const signal = AbortSignal.timeout(timeout)
  try {
    const response = await fetch(url, { ...request, signal })
    const excerpt = await readExcerpt(response, signal)
    const { status } = response
    if (response.ok) return { delivered: true, status, excerpt }
    return { delivered: false, error: `http_${status}`, status, excerpt }
  } catch (thrown) {
    if (signal.aborted) return failed("timeout")
    return failed(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown))
  }
}

/** The first bytes of an answer as text; the rest is never read. */
async function readExcerpt(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ""
  // A receiver that trickles would hold the reader for ever: the timeout ends the wait as well as the request.
  const cut = () => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener("abort", cut)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    while (length < EXCERPT_BYTES) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) break
      chunks.push(value)
      length += value.length
    }
  } finally {
    signal.removeEventListener("abort", cut)
    reader.cancel().catch(() => undefined)
  }
  const bytes = new Uint8Array(Math.min(length, EXCERPT_BYTES))
  let offset = 0
  for (const chunk of chunks) {
    const part = chunk.subarray(0, bytes.length - offset)
    bytes.set(part, offset)
    offset += part.length
  }
  return new TextDecoder().decode(bytes).replaceAll("\0", "\uFFFD")
}
