// The request of one attempt, and how it ended. Whatever the receiver does, this answers: it never throws.
import type { Ctx } from "../core/context"
import { checkUrl, resolveHost } from "../core/outbound/addresses"
import { API_VERSION } from "../core/write/events"
import { decrypt } from "../lib/cipher"
import { resolver } from "../lib/dns"
import { SECOND } from "../lib/time"
import type { Endpoint } from "./receiving-condition"
import { platformSignature, standardSignature } from "./sign"

/** How an attempt ended. `status` and `excerpt` are there when the receiver answered. */
export type Outcome = SentOutcome | "unsent"

/** `unsent` is not the receiver's fault: the resolver did not answer, so that nobody was asked. */
export type SentOutcome =
  | { delivered: true; status: number; excerpt: string }
  | { delivered: false; error: string; status?: number; excerpt?: string }

/** What a delivery says when its receiver took longer than TENANCY_WEBHOOK_TIMEOUT. */
export const TIMEOUT = "timeout"

/** What it says when its endpoint's secret was encrypted under another APP_KEY. */
const UNREADABLE_SECRET = "SecretUnreadable: encrypted under another APP_KEY; rotate the endpoint's secret"

/** Bytes of the receiver's answer that are kept. */
const EXCERPT_BYTES = 1024

/** Characters of a fault's own words that are kept. */
const MAX_ERROR = 500

const failed = (error: string): SentOutcome => ({ delivered: false, error: error.slice(0, MAX_ERROR) })

/** What an attempt comes to once the resolver has said nothing of its endpoint's name for longer than that is borne. */
export const NAME_UNANSWERED = failed("NameUnanswered: the resolver has said nothing of the endpoint's name for a day")

/**
 * Signs the stored text and posts it to the endpoint.
 * @param event its id, its name and its exact text
 * @returns how it ended, at the latest after the resolver's own timeout and TENANCY_WEBHOOK_TIMEOUT, which begins with the request
 */
export async function send(
  ctx: Ctx,
  endpoint: Endpoint,
  event: { id: string; event: string; payload: string },
): Promise<Outcome> {
  const secrets = await secretsOf(ctx, endpoint)
  if (!secrets) return failed(UNREADABLE_SECRET)
  const safety = await judge(ctx, endpoint.url)
  if (safety === "unanswered") return "unsent"
  if (safety === "unsafe") return failed("unsafe_host")
  const deadline = AbortSignal.timeout(ctx.settings.TENANCY_WEBHOOK_TIMEOUT * SECOND)
  const request: RequestInit = {
    method: "POST",
    headers: await requestHeaders(ctx, secrets, event, new Date()),
    body: event.payload,
    redirect: "manual",
    signal: deadline,
  }
  return post(endpoint.url, request, deadline)
}

/**
 * What stands over the text.
 * @param at the moment that is signed
 */
export async function requestHeaders(
  ctx: Pick<Ctx, "settings">,
  secrets: string[],
  event: { id: string; event: string; payload: string },
  at: Date,
): Promise<Record<string, string>> {
  const signable = { id: event.id, timestamp: Math.floor(at.getTime() / 1000), body: event.payload }
  return {
    "Content-Type": "application/json",
    "User-Agent": `${ctx.settings.APP_NAME}-Webhooks/${API_VERSION}`,
    "X-Tenancy-Event": event.event,
    "X-Tenancy-Delivery": event.id,
    "X-Tenancy-Signature": await platformSignature(secrets, signable),
    "webhook-id": event.id,
    "webhook-timestamp": String(signable.timestamp),
    "webhook-signature": await standardSignature(secrets, signable),
  }
}

/** The secrets in force, the newest first; null when the endpoint's own cannot be read. */
export async function secretsOf(
  ctx: Ctx,
  { secret, previousSecret, previousSecretUntil }: Endpoint,
): Promise<string[] | null> {
  const newest = await decrypt(ctx.settings.APP_KEY, secret)
  if (!newest) return null
  const isGraced = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil.getTime() > Date.now()
  const before = isGraced ? await decrypt(ctx.settings.APP_KEY, previousSecret) : null
  return before ? [newest, before] : [newest]
}

/** Asks again, before every send, whether the address is one the platform may call. */
async function judge(ctx: Ctx, url: string): Promise<"safe" | "unsafe" | "unanswered"> {
  const { CENTRAL_DOMAIN, TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: allowPrivateHosts } = ctx.settings
  const checked = checkUrl(url, { centralDomain: CENTRAL_DOMAIN, allowPrivateHosts })
  if (!checked.ok) return "unsafe"
  if (allowPrivateHosts) return "safe"
  const found = await resolveHost(checked.host, resolver(ctx.settings.DNS_RESOLVER_URL, fetch))
  if (found === "unanswered") return "unanswered"
  return found === "public" ? "safe" : "unsafe"
}

/** @param deadline ends everything, from connect to the last byte that is read */
async function post(url: string, request: RequestInit, deadline: AbortSignal): Promise<SentOutcome> {
  try {
    deadline.throwIfAborted()
    const response = await fetch(url, request)
    const excerpt = await readExcerpt(response, deadline)
    const { status } = response
    if (response.ok) return { delivered: true, status, excerpt }
    return { delivered: false, error: `http_${status}`, status, excerpt }
  } catch (thrown) {
    if (!(thrown instanceof Error)) return failed(`Error: ${thrown}`)
    return failed(deadline.aborted || thrown.name === "TimeoutError" ? TIMEOUT : `${thrown.name}: ${thrown.message}`)
  }
}

/** The first bytes of an answer as text; the rest is never read. */
async function readExcerpt(response: Response, deadline: AbortSignal): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ""
  // A receiver that trickles would hold the reader for ever: the deadline ends the wait as well as the request.
  const cut = () => void reader.cancel(deadline.reason).catch(() => undefined)
  deadline.addEventListener("abort", cut)
  const kept = new Uint8Array(EXCERPT_BYTES)
  let length = 0
  let done = false
  try {
    while (!done && length < EXCERPT_BYTES) {
      const chunk = await reader.read()
      deadline.throwIfAborted()
      done = chunk.done
      if (chunk.value) {
        const part = chunk.value.subarray(0, EXCERPT_BYTES - length)
        kept.set(part, length)
        length += part.length
      }
    }
  } finally {
    deadline.removeEventListener("abort", cut)
    reader.cancel().catch(() => undefined)
  }
  // Decoded as part of a stream where it was cut, so that half a character at the end is left out.
  const text = new TextDecoder().decode(kept.subarray(0, length), { stream: !done })
  return text.replaceAll("\0", "\uFFFD")
}
