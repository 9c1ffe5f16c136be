// Waits until a local Worker is healthy.
import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { UserError } from "../lib/project.ts"

/**
 * A starting Worker may fail a check or two, and reuses the result for five seconds. It will not recover after this
 * many in a row, half a second apart.
 */
const MAX_CONSECUTIVE_FAILURES = 15

interface HealthResponse {
  status: number
  /** The body's `message`, else its text. */
  message: string
}

/**
 * Waits until `GET /api/health-check` on the central host returns 200.
 * @param host the central domain
 * @param ended returns whether the server has exited
 * @param wait waits between two checks, in milliseconds
 * @throws UserError in the Worker's words when it keeps answering something else, and when the server ends
 */
export async function waitUntilHealthy(
  port: number,
  host: string,
  ended: () => boolean,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  for (let failures = 0; failures < MAX_CONSECUTIVE_FAILURES; ) {
    if (ended()) throw new UserError("wrangler dev exited before the Worker was ready.")
    const response = await checkHealth(port, host)
    if (response?.status === 200) return
    failures = response ? failures + 1 : 0
    if (response && failures === MAX_CONSECUTIVE_FAILURES) {
      throw new UserError(`The Worker failed to start. Health check returned ${response.status}. ${response.message}`)
    }
    await wait(response ? 500 : 100)
  }
}

/** Requests the health check; null when the connection fails. fetch cannot set the Host header. */
function checkHealth(port: number, host: string): Promise<HealthResponse | null> {
  return new Promise((resolve) => {
    const headers = { Host: `${host}:${port}` }
    const call = request(
      { host: "localhost", port, path: "/api/health-check", headers, timeout: 10_000 },
      (response) => {
        let body = ""
        response.setEncoding("utf8")
        response.on("data", (chunk) => (body += chunk))
        response.once("close", () => resolve({ status: response.statusCode ?? 0, message: extractMessage(body) }))
      },
    )
    call.once("timeout", () => call.destroy())
    call.once("error", () => resolve(null))
    call.end()
  })
}

function extractMessage(body: string): string {
  try {
    return JSON.parse(body).message ?? body
  } catch {
    return body.slice(0, 500)
  }
}
