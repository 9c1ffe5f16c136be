// JSON over HTTP to a running Worker, for the scripts.
import { UserError } from "./project.ts"

/** A refusal of the Worker, in its own words. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal"
  readonly status: number
  readonly code: string
  /** What is wrong with which field, where the refusal says so. */
  readonly fields: Record<string, string[]>

  constructor(status: number, code: string, message: string, fields: Record<string, string[]>) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
  }
}

interface Answer extends Refused {
  data?: unknown
  /** The license manager's refusals have no envelope of their own. */
  error?: Refused
}

interface Refused {
  code?: string
  message?: string
  errors?: Record<string, string[]>
}

/** Nobody answered. */
export class Unreachable extends UserError {}

/**
 * One call with a bearer token.
 * @param base e.g. `http://localhost:8787`
 * @param body sent as JSON when given, or as a form when it is one
 * @returns the `data` of the answer; undefined when the answer has no body
 * @throws ApiRefusal for any other status than 2xx, Unreachable when nobody answers
 */
export async function callApi<Data>(
  base: string,
  token: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Data> {
  const { status, text } = await exchange(new URL(path, base), {
    method,
    headers: { Authorization: `Bearer ${token}`, ...headers },
    body: body instanceof FormData ? body : body && JSON.stringify(body),
  })
  const answer = parse(text)
  if (status < 300) return answer.data as Data
  const { code, message, errors } = answer.error ?? answer
  throw new ApiRefusal(status, code ?? "http_error", message ?? `${method} ${path} answered ${status}.`, errors ?? {})
}

/**
 * One request and its whole answer.
 * @param request.body sent as JSON when it is text
 * @throws Unreachable when nobody answers
 */
export async function exchange(
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
    throw new Unreachable(
      `Nobody answers at ${url.origin} (${cause?.code ?? message}). Is it running? npm start starts it.`,
    )
  }
}

function parse(text: string): Answer {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
