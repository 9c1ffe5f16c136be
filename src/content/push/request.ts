// Sends requests to the push provider. Failures and timeouts are returned as a response without a status, never thrown.
import { fetchOutbound, type OutboundUrl } from "../../core/outbound/fetch"
import { currentMs } from "../../lib/clock"
import { isJsonObject, tryParseJson } from "../../lib/json"
import { parseRetryAfter } from "../../lib/retry-after"
import { SECOND } from "../../lib/time"

/** Timeout of a request, including the response body. */
const REQUEST_TIMEOUT_MS = 10 * SECOND

/** Characters of a response body that are read; actual responses have fewer than a thousand. */
const MAX_RESPONSE_LENGTH = 16 * 1024

export interface ProviderResponse {
  /** Null when there was no response, or none in time. */
  status: number | null
  /** JSON object of the body; null for any other body. */
  body: Record<string, unknown> | null
  /** Requested delay in milliseconds; null without a `Retry-After` header. */
  retryAfter: number | null
}

const NO_RESPONSE: ProviderResponse = { status: null, body: null, retryAfter: null }

/** Sends a request to the provider. Never throws. */
export async function requestProvider(url: OutboundUrl, request: RequestInit): Promise<ProviderResponse> {
  // `AbortSignal.timeout` would keep its timer running after the response, one for every request.
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), REQUEST_TIMEOUT_MS)
  const { signal } = controller
  try {
    const response = await fetchOutbound(url, { ...request, signal })
    const body = parseObject(await readText(response, signal))
    return {
      status: response.status,
      body,
      retryAfter: parseRetryAfter(response.headers.get("Retry-After"), currentMs()),
    }
  } catch {
    return NO_RESPONSE
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the start of a response body. The timeout also ends a body that trickles. */
async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ""
  const cancel = () => {
    reader.cancel(signal.reason).catch(() => undefined)
  }
  signal.addEventListener("abort", cancel)
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done || text.length > MAX_RESPONSE_LENGTH) return text
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    signal.removeEventListener("abort", cancel)
    reader.cancel().catch(() => undefined)
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  const value = tryParseJson(text)
  return isJsonObject(value) ? value : null
}
