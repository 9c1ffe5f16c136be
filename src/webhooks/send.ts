// Sends the HTTP request of one attempt and reports its outcome; never throws, whatever the receiver does.

import type { Ctx } from "../core/context"
import { dnsResolver, fetchOutbound, type OutboundUrl, safeUrl } from "../core/outbound/fetch"
import { resolveHost } from "../core/outbound/url-safety"
import { API_VERSION } from "../core/write/events"
import { decrypt } from "../lib/cipher"
import { currentMs, currentTime } from "../lib/clock"
import { SECOND } from "../lib/time"
import { buildBody } from "./body"
import { DNS_OUTAGE_ERROR } from "./dns-outage"
import { checkEndpointUrl } from "./endpoints/check-url"
import { decryptHeaders } from "./endpoints/headers"
import { CURSOR_HEADER } from "./receiver-cursor/report"
import type { Endpoint } from "./receiving-condition"
import { getRequestedDelayMs } from "./schedule"
import { buildPlatformSignature, buildStandardSignature } from "./sign"

/** The outcome of an attempt. `dns_unavailable`: the resolver did not respond, so no request was made. */
export type Outcome = SentOutcome | "dns_unavailable"

/**
 * The outcome of a request. `status` and `excerpt` are present if the receiver responded, `cursor` if it reported one,
 * `retryAfterMs` if it requested a delay.
 */
export type SentOutcome =
  | { delivered: true; status: number; excerpt: string; cursor?: string | undefined }
  | { delivered: false; error: string; status?: number; excerpt?: string; retryAfterMs?: number | undefined }

/** The status by which a receiver ends its subscription. */
export const HTTP_GONE = 410

/** The error of a delivery whose receiver took longer than TENANCY_WEBHOOK_TIMEOUT. */
export const TIMEOUT_ERROR = "timeout"

/** The error of a delivery whose endpoint's secret was encrypted under another APP_KEY. */
const UNREADABLE_SECRET_ERROR = "SecretUnreadable: encrypted under another APP_KEY; rotate the endpoint's secret"

/** The error of a delivery whose endpoint's headers were encrypted under another APP_KEY. */
const UNREADABLE_HEADERS_ERROR = "HeadersUnreadable: encrypted under another APP_KEY; set the endpoint's headers again"

/** Stored part of a response body. */
const MAX_EXCERPT_BYTES = 1024

/** Stored part of an error message, in characters. */
const MAX_ERROR_LENGTH = 500

const buildFailure = (error: string): SentOutcome => ({
  delivered: false,
  error: error.slice(0, MAX_ERROR_LENGTH).toWellFormed(),
})

/** The outcome of an attempt once DNS has been down for longer than the grace. */
export const DNS_UNAVAILABLE = buildFailure(DNS_OUTAGE_ERROR)

/**
 * Signs the payload and posts it to the endpoint.
 * @param event id, type and exact payload of the event
 * @returns the outcome, at the latest after the resolver's timeout plus TENANCY_WEBHOOK_TIMEOUT, which starts with the
 *   request
 */
export async function sendEvent(
  ctx: Ctx,
  endpoint: Endpoint,
  event: { id: string; event: string; payload: string },
): Promise<Outcome> {
  const secrets = await decryptSecrets(ctx, endpoint)
  if (!secrets) return buildFailure(UNREADABLE_SECRET_ERROR)
  const headers = endpoint.headers ? await decryptHeaders(ctx.settings.APP_KEY, endpoint.headers) : {}
  if (!headers) return buildFailure(UNREADABLE_HEADERS_ERROR)
  const url = await vetUrl(ctx, endpoint.url)
  if (url === "unanswered") return "dns_unavailable"
  if (url === null) return buildFailure("unsafe_host")
  const deadline = AbortSignal.timeout(ctx.settings.TENANCY_WEBHOOK_TIMEOUT * SECOND)
  const body = buildBody(ctx, endpoint, event)
  const request = {
    method: "POST",
    headers: { ...headers, ...(await buildRequestHeaders(ctx, secrets, { ...event, payload: body }, currentTime())) },
    body,
    signal: deadline,
  }
  return postEvent(url, request)
}

/**
 * Builds the request's headers, including both signatures.
 * @param at the signed time
 */
export async function buildRequestHeaders(
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
    "X-Tenancy-Signature": await buildPlatformSignature(secrets, signable),
    "webhook-id": event.id,
    "webhook-timestamp": String(signable.timestamp),
    "webhook-signature": await buildStandardSignature(secrets, signable),
  }
}

/** Decrypts the secrets in force, newest first; null if the current one cannot be decrypted. */
export async function decryptSecrets(
  ctx: Ctx,
  { secret, previousSecret, previousSecretUntil }: Endpoint,
): Promise<string[] | null> {
  const newest = await decrypt(ctx.settings.APP_KEY, secret)
  if (!newest) return null
  const isInGrace =
    previousSecret !== null && previousSecretUntil !== null && previousSecretUntil.getTime() > currentMs()
  const previous = isInGrace ? await decrypt(ctx.settings.APP_KEY, previousSecret) : null
  return previous ? [newest, previous] : [newest]
}

/**
 * Checks the URL and its DNS records again before every request, because the records may have changed.
 * @returns null for a URL that is not safe, `unanswered` when DNS did not respond
 */
async function vetUrl(ctx: Ctx, url: string): Promise<OutboundUrl | "unanswered" | null> {
  const checked = checkEndpointUrl(ctx, url)
  if (!checked.ok) return null
  if (ctx.settings.TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS) return safeUrl(url)
  const resolved = await resolveHost(checked.host, dnsResolver(ctx.settings))
  if (resolved === "unanswered") return "unanswered"
  return resolved === "public" ? safeUrl(url) : null
}

/** @param request its signal aborts everything from connecting to reading the body */
async function postEvent(url: OutboundUrl, request: RequestInit & { signal: AbortSignal }): Promise<SentOutcome> {
  const deadline = request.signal
  try {
    deadline.throwIfAborted()
    const response = await fetchOutbound(url, request)
    const excerpt = await readExcerpt(response, deadline)
    const { status } = response
    if (response.ok)
      return { delivered: true, status, excerpt, cursor: response.headers.get(CURSOR_HEADER) ?? undefined }
    const retryAfterMs = getRequestedDelayMs(status, response.headers.get("Retry-After"), currentMs())
    return { delivered: false, error: `http_${status}`, status, excerpt, retryAfterMs }
  } catch (thrown) {
    if (!(thrown instanceof Error)) return buildFailure(`Error: ${thrown}`)
    return buildFailure(
      deadline.aborted || thrown.name === "TimeoutError" ? TIMEOUT_ERROR : `${thrown.name}: ${thrown.message}`,
    )
  }
}

/**
 * Reads the first bytes of a response body as text and cancels the rest.
 * @returns what arrived, if the body breaks off: the status counts all the same
 * @throws the deadline's reason once it has passed
 */
async function readExcerpt(response: Response, deadline: AbortSignal): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ""
  // A receiver that trickles would block the read for ever, so the deadline cancels the reader as well as the request.
  const cancelReader = () => {
    reader.cancel(deadline.reason).catch(() => undefined)
  }
  deadline.addEventListener("abort", cancelReader)
  const buffer = new Uint8Array(MAX_EXCERPT_BYTES)
  let length = 0
  let done = false
  try {
    while (!done && length < MAX_EXCERPT_BYTES) {
      const chunk = await reader.read()
      deadline.throwIfAborted()
      done = chunk.done
      if (chunk.value) {
        const part = chunk.value.subarray(0, MAX_EXCERPT_BYTES - length)
        buffer.set(part, length)
        length += part.length
      }
    }
  } catch {
    deadline.throwIfAborted()
  } finally {
    deadline.removeEventListener("abort", cancelReader)
    reader.cancel().catch(() => undefined)
  }
  // A truncated body is decoded as part of a stream, so that a partial character at the end is dropped.
  const text = new TextDecoder().decode(buffer.subarray(0, length), { stream: !done })
  return text.replaceAll("\0", "\uFFFD")
}
