// Waiting until a local Worker is healthy, or is known not to get there.
import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { UserError } from "../lib/project.ts"

/** A Worker that starts may fail a check or two; one that fails so many in a row has a fault. */
const FAULTS_IN_A_ROW = 5

interface Answer {
  status: number
  /** The body's own `message`, else its text. */
  words: string
}

/**
 * Waits until `GET /api/health-check` of the central host answers 200.
 * @param host the central domain
 * @param ended whether the server has ended, so that nobody will ever answer
 * @throws UserError in the Worker's words when it keeps answering something else, and when the server ends
 */
export async function untilHealthy(port: number, host: string, ended: () => boolean): Promise<void> {
  for (let faults = 0; faults < FAULTS_IN_A_ROW; ) {
    if (ended()) throw new UserError("wrangler dev ended before the Worker was up.")
    const answer = await healthCheck(port, host)
    if (answer?.status === 200) return
    faults = answer ? faults + 1 : 0
    if (answer && faults === FAULTS_IN_A_ROW) {
      throw new UserError(`The Worker does not come up: its health check answers ${answer.status}. ${answer.words}`)
    }
    await sleep(answer ? 500 : 100)
  }
}

/** One health check, or null when nobody answers. (fetch would not let us name the host.) */
function healthCheck(port: number, host: string): Promise<Answer | null> {
  return new Promise((resolve) => {
    const headers = { Host: `${host}:${port}` }
    const call = request(
      { host: "localhost", port, path: "/api/health-check", headers, timeout: 10_000 },
      (response) => {
        let body = ""
        response.setEncoding("utf8")
        response.on("data", (chunk) => (body += chunk))
        response.once("close", () => resolve({ status: response.statusCode ?? 0, words: wordsOf(body) }))
      },
    )
    call.once("timeout", () => call.destroy())
    call.once("error", () => resolve(null))
    call.end()
  })
}

function wordsOf(body: string): string {
  try {
    return JSON.parse(body).message ?? body
  } catch {
    return body.slice(0, 500)
  }
}
