// Sends requests to card providers, with one timeout, one size limit and one mapping of errors for all of them.

import * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { fetchOutbound, serviceUrl } from "../../core/outbound/fetch"
import { readBoundedText } from "../../lib/read-text"
import { SECOND } from "../../lib/time"
import type { ProviderCtx } from "./provider"

/** Timeout of a request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10 * SECOND

/** Maximum size of a response body; the providers' objects have a few thousand bytes. */
const MAX_RESPONSE_BYTES = 1_000_000

/** Every response body is an object, including errors. */
const ResponseBody = z.record(z.string(), z.unknown())

export interface ProviderRequest {
  method: string
  /** The API's URL without the path. */
  base: string
  /** Logged when the request fails. */
  path: string
  headers: Record<string, string>
  body?: BodyInit
  /** Ten seconds by default. */
  timeoutMs?: number
}

export interface ProviderResponse {
  status: number
  /** The parsed body; `{}` for an error response. */
  body: Record<string, unknown>
}

/**
 * Sends a request to a provider's API.
 * @throws Refusal `provider_unreachable` without a valid response
 */
export async function sendProviderRequest(
  { log }: ProviderCtx,
  { method, base, path, headers, body, timeoutMs = REQUEST_TIMEOUT_MS }: ProviderRequest,
): Promise<ProviderResponse> {
  try {
    const response = await fetchOutbound(serviceUrl(base, path), {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await readBoundedText(response, MAX_RESPONSE_BYTES)
    // The body of an error is not needed, and proxies return HTML.
    return { status: response.status, body: response.ok ? ResponseBody.parse(JSON.parse(text)) : {} }
  } catch (cause) {
    log.error("a request to the payment provider failed", cause, { path })
    throw new Refusal("provider_unreachable")
  }
}

/** Logs a rejected request or an unexpected response, and returns the Refusal to throw. */
export function reportUnexpectedResponse({ log }: ProviderCtx, path: string, status: number): Refusal {
  log.error("the payment provider refused", new Error(`status ${status}`), { path })
  return new Refusal("provider_unreachable")
}

/** Returns a URL that a browser can be redirected to; null for anything else. */
export const parseHttpUrl = (url: unknown): string | null =>
  typeof url === "string" && /^https?:\/\//.test(url) ? url : null
