// A request to the push provider, and its answer as it came. Whatever the provider does, this answers.
import { SECOND } from "../../lib/time"

/** Milliseconds that the provider has to answer, to the last byte. */
const PATIENCE = 10 * SECOND

/** Bytes of an answer that are read; real ones have less than a thousand. */
const LONGEST = 16 * 1024

export interface ProviderAnswer {
  /** Null when there was no answer, or none in time. */
  status: number | null
  /** Its JSON object; null for anything else. */
  body: Record<string, unknown> | null
  /** Milliseconds that it asks to wait; null when it does not say. */
  retryAfter: number | null
}

const NONE: ProviderAnswer = { status: null, body: null, retryAfter: null }

/** Asks the provider. */
export async function ask(url: string, request: RequestInit): Promise<ProviderAnswer> {
  // A signal of the runtime's own would keep its timer after the answer, one for each of very many.
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), PATIENCE)
  const { signal } = patience
  try {
    const response = await fetch(url, { ...request, redirect: "manual", signal })
    const body = objectIn(await textOf(response, signal))
    return { status: response.status, body, retryAfter: retryAfter(response.headers.get("Retry-After")) }
  } catch {
    return NONE
  } finally {
    clearTimeout(timer)
  }
}

/** The first bytes of an answer; one that trickles ends with the patience. */
async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ""
  const cut = () => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener("abort", cut)
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done || text.length > LONGEST) return text
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    signal.removeEventListener("abort", cut)
    reader.cancel().catch(() => undefined)
  }
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** `Retry-After` in milliseconds (RFC 9110, 10.2.3): seconds, or a date. */
function retryAfter(header: string | null): number | null {
  if (!header) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
