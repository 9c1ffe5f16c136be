// Sends GET requests to Cloudflare's API with wrangler's login, for facts that wrangler does not print.
import { UserError, type WranglerConfig } from "../lib/project.ts"
import { createWranglerError } from "./account.ts"
import { parseJson, type Wrangler } from "./wrangler.ts"

const REQUEST_TIMEOUT_MS = 30_000

/** More pages than any account has; an API that repeats its last page must not loop. */
const MAX_PAGES = 100

/** A failed API request. The message contains the API's own errors. */
class ApiError extends Error {
  override readonly name = "ApiError"

  /** HTTP status; 0 without a response. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Api {
  accountId: string
  /** Returns `result` of a response; for a list, of all its pages. */
  get<Result>(path: string): Promise<Result>
}

/**
 * Creates an API client.
 * @throws UserError without a login, or when the login has several accounts and none is selected
 */
export function createApi(wrangler: Wrangler, config: WranglerConfig): Api {
  const base = (process.env.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4").replace(/\/+$/, "")
  const headers = getAuthHeaders(wrangler)
  return {
    accountId: process.env.CLOUDFLARE_ACCOUNT_ID || config.account_id || getOnlyAccount(wrangler),
    get: (path) => getAllPages(`${base}${path}`, headers),
  }
}

interface Envelope {
  success?: boolean
  result?: unknown
  errors?: { code: number; message: string }[]
  result_info?: { total_pages?: number }
}

async function getAllPages<Result>(url: string, headers: Record<string, string>): Promise<Result> {
  const first = await getPage(url, headers)
  if (!Array.isArray(first.result)) return first.result as Result
  const rows = [...first.result]
  const pages = Math.min(first.result_info?.total_pages ?? 1, MAX_PAGES)
  for (let page = 2; page <= pages; page++) {
    const next = await getPage(`${url}${url.includes("?") ? "&" : "?"}page=${page}`, headers)
    rows.push(...(next.result as unknown[]))
  }
  return rows as Result
}

async function getPage(url: string, headers: Record<string, string>): Promise<Envelope> {
  const { pathname } = new URL(url)
  let response: Response
  let body: Envelope
  try {
    response = await fetch(url, { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    body = (await response.json()) as Envelope
  } catch (cause) {
    throw new ApiError(0, `GET ${pathname} failed: ${cause instanceof Error ? cause.message : cause}`)
  }
  if (response.ok && body.success !== false) return body
  const errors = (body.errors ?? []).map(({ code, message }) => `${message} [code: ${code}]`).join(", ")
  throw new ApiError(response.status, `GET ${pathname} returned ${response.status}${errors && `: ${errors}`}`)
}

function getAuthHeaders(wrangler: Wrangler): Record<string, string> {
  const result = wrangler(["auth", "token", "--json"])
  // The output may contain the token, so it is not part of the message.
  if (!result.ok)
    throw new UserError('Could not read the login. Run "npx wrangler login", or set CLOUDFLARE_API_TOKEN.')
  const login = parseJson(result) as { type: string; token?: string; key?: string; email?: string }
  return login.type === "api_key"
    ? { "X-Auth-Email": login.email ?? "", "X-Auth-Key": login.key ?? "" }
    : { Authorization: `Bearer ${login.token}` }
}

function getOnlyAccount(wrangler: Wrangler): string {
  const result = wrangler(["whoami", "--json"])
  if (!result.ok) throw createWranglerError("Could not list the accounts", result)
  const { accounts = [] } = parseJson(result) as { accounts?: { id: string; name: string }[] }
  const [only] = accounts
  if (only && accounts.length === 1) return only.id
  throw new UserError(
    `The login has ${accounts.length} accounts. Set CLOUDFLARE_ACCOUNT_ID, or account_id in wrangler.toml: ${accounts.map(({ id, name }) => `${id} (${name})`).join(", ")}`,
  )
}
