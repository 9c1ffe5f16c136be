// Measures the CPU time that workerd spends on a request. Unlike requests per second, it hardly depends on other load.
import { readdirSync, readFileSync } from "node:fs"
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { text } from "node:stream/consumers"
import type { Target } from "./load.ts"
import { listWorkerdPids } from "./memory.ts"

/** Requests before the rounds; the isolate compiles hot code during the first thousand. */
const WARM_UP = 1_500
export const REQUESTS = 50
export const ROUNDS = 61
const CONNECTIONS = 8

export interface ReadRequest extends Target {
  /** Expected status. */
  status?: number
  /** Expected text, because an empty result would be cheaper. */
  holds?: string
}

/** Formats milliseconds with microseconds. */
export const formatMs = (value = Number.NaN): string => value.toFixed(3)

/** CPU milliseconds per request. */
export interface CpuTimes {
  /** Of the first requests, while the isolate compiles their code. */
  first: number
  /** Of each round after the warm-up. */
  rounds: number[]
}

/** Measures the CPU time per request of each kind, in alternating rounds. */
export async function measureCpuTimes<const Requests extends readonly ReadRequest[]>(
  requests: Requests,
): Promise<{ [At in keyof Requests]: CpuTimes }> {
  const times: CpuTimes[] = []
  for (const request of requests) {
    const first = await measureRound(request)
    await sendMany(request, WARM_UP)
    times.push({ first, rounds: [] })
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, request] of requests.entries()) times[at]?.rounds.push(await measureRound(request))
  }
  return times as { [At in keyof Requests]: CpuTimes }
}

async function measureRound(request: ReadRequest): Promise<number> {
  const before = readCpuMs()
  await sendMany(request, REQUESTS)
  return (readCpuMs() - before) / REQUESTS
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/** Sends a request many times, concurrently. */
async function sendMany(read: ReadRequest, times: number): Promise<void> {
  let left = times
  const worker = async () => {
    for (; left > 0; left -= 1) await sendOnce(read)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

/** Sends a request and returns the response headers; rejects for an unexpected response. */
export const sendOnce = ({ url, headers, json, status = 200, holds = "" }: ReadRequest): Promise<IncomingHttpHeaders> =>
  new Promise((resolve, reject) => {
    const body = json && JSON.stringify(json)
    const sent = request(url, {
      agent,
      method: body ? "POST" : "GET",
      headers: { ...headers, ...(body && { "Content-Length": String(Buffer.byteLength(body)) }) },
    })
    sent.on("error", reject)
    sent.on("response", (response) => {
      text(response).then((received) => {
        if (response.statusCode === status && received.includes(holds)) resolve(response.headers)
        else reject(new Error(`${url} responded with ${response.statusCode}: ${received.slice(0, 500)}`))
      }, reject)
    })
    sent.end(body)
  })

/** Reads the CPU time of this process's workerds from /proc, in milliseconds. */
function readCpuMs(): number {
  let nanoseconds = 0
  for (const pid of listWorkerdPids()) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      try {
        nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0])
      } catch {
        // The thread exited meanwhile.
      }
    }
  }
  return nanoseconds / 1e6
}
