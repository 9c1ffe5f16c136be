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

/**
 * One call with a bearer token.
 * @param base e.g. `http://localhost:8787`
 * @param body sent as JSON when given, or as a form when it is one
 * @returns the `data` of the answer; undefined when the answer has no body
 * @throws ApiRefusal for any other status than 2xx, UserError when nobody answers
 */
export async function callApi<Data>(
  base: string,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const isForm = body instanceof FormData
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      Accept: "application/json",
      Authorization: `Bearer ${token}`,
      ...(body && !isForm && { "Content-Type": "application/json" }),
    },
    body: isForm ? body : body && JSON.stringify(body),
  }).catch((error) => {
    throw new UserError(
      `Nobody answers at ${base} (${error.cause?.code ?? error.message}). Is it running? npm start starts it.`,
    )
  })
  const answer = parse(await response.text())
  if (response.ok) return answer.data as Data
  const { code, message, errors } = answer.error ?? answer
  throw new ApiRefusal(
    response.status,
    code ?? "http_error",
    message ?? `${method} ${path} answered ${response.status}.`,
    errors ?? {},
  )
}

function parse(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
