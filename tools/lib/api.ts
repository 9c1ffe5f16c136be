// HTTP client for a running Worker, used by the scripts.
import { UserError } from "./project.ts"

/** An error response of the Worker. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly status: number
  readonly code: string
  /** Field to error messages; empty for other errors. */
  readonly fields: Record<string, string[]>

  constructor(status: number, code: string, message: string, fields: Record<string, string[]>) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
  }
}

interface ResponseBody extends ErrorBody {
  data?: unknown
  /** The license manager's errors have no `error` envelope. */
  error?: ErrorBody
}

interface ErrorBody {
  code?: string
  message?: string
  errors?: Record<string, string[]>
}

/** No response: the connection failed. */
export class UnreachableError extends UserError {}

/**
 * Calls an API with a bearer token.
 * @param base e.g. `http://localhost:8787`
 * @param body sent as JSON when given, or as a form when it is one
 * @returns the `data` of the response; undefined when the response has no body
 * @throws ApiError for a status other than 2xx, UnreachableError when the connection fails
 */
export async function callApi<Data>(
  base: string,
  token: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Data> {
  const { status, text } = await sendRequest(new URL(path, base), {
    method,
    headers: { Authorization: `Bearer ${token}`, ...headers },
    body: body instanceof FormData ? body : body && JSON.stringify(body),
  })
  const content = parseBody(text)
  if (status < 300) return content.data as Data
  const { code, message, errors } = content.error ?? content
  throw new ApiError(
    status,
    code ?? "http_error",
    message ?? `${method} ${path} returned status ${status}.`,
    errors ?? {},
  )
}

/**
 * One request and its whole response.
 * @param request.body sent as JSON when it is text
 * @throws UnreachableError when the connection fails
 */
export async function sendRequest(
  url: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string | FormData },
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url.href, {
      method,
      headers: {
        Accept: "application/json",
        ...(typeof body === "string" && { "Content-Type": "application/json" }),
        ...headers,
      },
      body,
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    throw new UnreachableError(
      `Cannot reach ${url.origin} (${cause?.code ?? message}). ${
        isLoopback(url)
          ? "Is the platform running? Start it with npm start."
          : "Check the URL in TENANCY_URL or the profile, and your network."
      }`,
    )
  }
}

/** Whether a URL is on this machine. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || hostname.startsWith("127.")

function parseBody(text: string): ResponseBody {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
