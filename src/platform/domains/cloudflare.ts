// Cloudflare for SaaS: the custom hostnames of a zone, by which customers' domains get a certificate and reach the Worker.
// https://developers.cloudflare.com/api/resources/custom_hostnames/
import * as z from "zod"
import type { Settings } from "../../env"
import { boundedText } from "../../lib/read-text"
import { SECOND } from "../../lib/time"

const TIMEOUT_MS = 10 * SECOND
/** Characters of an answer that are read. */
const MAX_ANSWER = 64 * 1024
/** Cloudflare's codes: the zone has that hostname already; it has none of that id. */
const DUPLICATE = 1406
const UNKNOWN = 1436

const Hostname = z.object({
  id: z.string().min(1).max(100),
  status: z.string().max(100).optional(),
  ssl: z.object({ status: z.string().max(100).optional() }).nullish(),
})

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  result: z.unknown().optional(),
})

/** A hostname as Cloudflare tells it. */
export interface CustomHostname {
  id: string
  status: string | null
  certificate: string | null
}

/** A call that Cloudflare refused or did not answer; the message says why, without the token. */
export class CloudflareError extends Error {
  override readonly name = "CloudflareError"
}

export interface CustomHostnames {
  /** Creates it, or finds it when the zone has it already. */
  create(hostname: string): Promise<CustomHostname>
  /** Null when the zone has none of that id. */
  read(id: string): Promise<CustomHostname | null>
  /** Null when the zone has none of that name. */
  find(hostname: string): Promise<CustomHostname | null>
  /** Removes it; one that is not there is as good as removed. */
  remove(id: string): Promise<void>
}

/**
 * The custom hostnames of the platform's zone; every method throws a CloudflareError for what it could not do.
 * @returns null unless CLOUDFLARE_ZONE_ID and CLOUDFLARE_API_TOKEN are set
 */
export function customHostnamesOf(settings: Settings): CustomHostnames | null {
  const { CLOUDFLARE_API_URL, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ZONE_ID: zone } = settings
  if (!token || !zone) return null
  const ask = (method: string, path: string, body?: unknown) =>
    call(`${CLOUDFLARE_API_URL}/zones/${zone}/custom_hostnames${path}`, token, method, body)
  const find = async (hostname: string) => {
    const [found] = z.array(Hostname).parse(await ask("GET", `?hostname=${encodeURIComponent(hostname)}`))
    return found ? described(found) : null
  }
  return {
    find,
    async create(hostname) {
      try {
        // `http`: the name points here already, so Cloudflare proves it and renews its certificate by itself.
        const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.2" } }
        return described(Hostname.parse(await ask("POST", "", { hostname, ssl })))
      } catch (cause) {
        const there = has(cause, DUPLICATE) ? await find(hostname) : null
        if (!there) throw cause
        return there
      }
    },
    async read(id) {
      try {
        return described(Hostname.parse(await ask("GET", `/${encodeURIComponent(id)}`)))
      } catch (cause) {
        if (has(cause, UNKNOWN)) return null
        throw cause
      }
    },
    async remove(id) {
      try {
        await ask("DELETE", `/${encodeURIComponent(id)}`)
      } catch (cause) {
        if (!has(cause, UNKNOWN)) throw cause
      }
    },
  }
}

const described = ({ id, status, ssl }: z.output<typeof Hostname>): CustomHostname => ({
  id,
  status: status ?? null,
  certificate: ssl?.status ?? null,
})

/** A refusal with the codes that Cloudflare gave. */
class Refused extends CloudflareError {
  readonly codes: number[]

  constructor(message: string, codes: number[]) {
    super(message)
    this.codes = codes
  }
}

const has = (cause: unknown, code: number): boolean => cause instanceof Refused && cause.codes.includes(code)

/** One call. @throws CloudflareError */
async function call(url: string, token: string, method: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new CloudflareError("no answer", { cause })
  })
  const answer = Answer.safeParse(parsed(await boundedText(response, MAX_ANSWER).catch(() => "")))
  if (!answer.success) throw new CloudflareError(`${response.status} without an answer that can be read`)
  const { success, errors, result } = answer.data
  if (success && response.ok) return result
  const words = errors.map(({ code, message }) => `${code} ${message}`).join("; ")
  throw new Refused(`${response.status} ${words}`.trim().slice(0, 500), [
    ...errors.map(({ code }) => code),
    ...(response.status === 404 ? [UNKNOWN] : []),
  ])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
