// Client of Cloudflare for SaaS: the custom hostnames of a zone, which give customers' domains a certificate and route
// them to the Worker.
// https://developers.cloudflare.com/api/resources/custom_hostnames/

import * as z from "zod"
import { fetchOutbound, serviceUrl } from "../../core/outbound/fetch"
import type { Settings } from "../../env"
import { readBoundedText } from "../../lib/read-text"
import { SECOND } from "../../lib/time"

const TIMEOUT_MS = 10 * SECOND
/** Longest response that is read. */
const MAX_RESPONSE_LENGTH = 64 * 1024
/** Cloudflare's error codes: the zone already has that hostname; it has none with that id. */
const DUPLICATE = 1406
const NOT_FOUND = 1436

const HostnameResult = z.object({
  id: z.string().min(1).max(100),
  status: z.string().max(100).optional(),
  ssl: z.object({ status: z.string().max(100).optional() }).nullish(),
})

const ApiResponse = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  result: z.unknown().optional(),
})

/** A custom hostname as Cloudflare reports it. */
export interface CustomHostname {
  id: string
  status: string | null
  certificate: string | null
}

/** A call that failed or was refused. The message gives the reason, without the token. */
export class CloudflareError extends Error {
  override readonly name = "CloudflareError"
}

export interface CustomHostnamesClient {
  /** Creates the hostname, or returns the existing one. */
  create(hostname: string): Promise<CustomHostname>
  /** Returns null when the zone has none with that id. */
  read(id: string): Promise<CustomHostname | null>
  /** Returns null when the zone has none of that name. */
  find(hostname: string): Promise<CustomHostname | null>
  /** Removes the hostname; a missing one counts as removed. */
  remove(id: string): Promise<void>
}

/**
 * Creates a client for the platform's zone. Every method throws a CloudflareError on failure.
 * @returns null unless CLOUDFLARE_ZONE_ID and CLOUDFLARE_API_TOKEN are set
 */
export function createCustomHostnamesClient(settings: Settings): CustomHostnamesClient | null {
  const { CLOUDFLARE_API_URL, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ZONE_ID: zone } = settings
  if (!token || !zone) return null
  const request = (method: string, path: string, body?: unknown) =>
    callApi(`${CLOUDFLARE_API_URL}/zones/${zone}/custom_hostnames${path}`, token, method, body)
  const find = async (hostname: string) => {
    const [match] = z.array(HostnameResult).parse(await request("GET", `?hostname=${encodeURIComponent(hostname)}`))
    return match ? toCustomHostname(match) : null
  }
  return {
    find,
    async create(hostname) {
      try {
        // `http`: the name already points here, so Cloudflare validates and renews the certificate by itself.
        const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.2" } }
        return toCustomHostname(HostnameResult.parse(await request("POST", "", { hostname, ssl })))
      } catch (cause) {
        const existing = hasCode(cause, DUPLICATE) ? await find(hostname) : null
        if (!existing) throw cause
        return existing
      }
    },
    async read(id) {
      try {
        return toCustomHostname(HostnameResult.parse(await request("GET", `/${encodeURIComponent(id)}`)))
      } catch (cause) {
        if (hasCode(cause, NOT_FOUND)) return null
        throw cause
      }
    },
    async remove(id) {
      try {
        await request("DELETE", `/${encodeURIComponent(id)}`)
      } catch (cause) {
        if (!hasCode(cause, NOT_FOUND)) throw cause
      }
    },
  }
}

const toCustomHostname = ({ id, status, ssl }: z.output<typeof HostnameResult>): CustomHostname => ({
  id,
  status: status ?? null,
  certificate: ssl?.status ?? null,
})

/** An error response, with Cloudflare's error codes. */
class CloudflareApiError extends CloudflareError {
  readonly codes: number[]

  constructor(message: string, codes: number[]) {
    super(message)
    this.codes = codes
  }
}

const hasCode = (cause: unknown, code: number): boolean =>
  cause instanceof CloudflareApiError && cause.codes.includes(code)

/**
 * Calls the API.
 * @throws CloudflareError
 */
async function callApi(url: string, token: string, method: string, body: unknown): Promise<unknown> {
  const response = await fetchOutbound(serviceUrl(url), {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new CloudflareError("no response", { cause })
  })
  const parsed = ApiResponse.safeParse(parseJson(await readBoundedText(response, MAX_RESPONSE_LENGTH).catch(() => "")))
  if (!parsed.success) throw new CloudflareError(`${response.status} with an unreadable body`)
  const { success, errors, result } = parsed.data
  if (success && response.ok) return result
  const messages = errors.map(({ code, message }) => `${code} ${message}`).join("; ")
  throw new CloudflareApiError(`${response.status} ${messages}`.trim().slice(0, 500), [
    ...errors.map(({ code }) => code),
    ...(response.status === 404 ? [NOT_FOUND] : []),
  ])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
