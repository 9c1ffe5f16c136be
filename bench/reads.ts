// What a public read costs: made anew, answered from the cache at the edge, and as a 304. By the CPU that workerd spends on it,
// which a busy machine does not move as it moves requests a second.
import { readdirSync, readFileSync } from "node:fs"
import { Agent, get, type IncomingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import { median, type Target } from "./lib/load.ts"
import type { Stage, Topic } from "./lib/topic.ts"

const POSTS = 40
const WARM_UP = 300
const REQUESTS = 400
const ROUNDS = 5
const CONNECTIONS = 8

export const reads: Topic = async (stage) => {
  await makePosts(stage)
  const rows = [["CPU ms a request, median of 5", "read", "kept", "304", "bare GET"]]
  for (const path of ["/api/v1/posts?include=categories,tags", "/api/v1/posts/post-7", "/", "/products"]) {
    const target = (headers: Record<string, string>): Target => ({
      url: stage.urls.platform + path,
      headers: { Host: `${stage.store}.localhost`, ...headers },
    })
    const etag = await etagOf(target({}))
    const kinds = [
      // A range is nobody else's to be given, and means nothing to what is no file.
      { target: target({ Range: "bytes=0-" }), status: 200 },
      { target: target({}), status: 200 },
      { target: target({ "If-None-Match": etag }), status: 304 },
      {
        target: {
          url: `${stage.urls.bare}/api/platform/v1/platform`,
          headers: { Authorization: `Bearer ${stage.key}`, "CF-Connecting-IP": "203.0.113.7" },
        },
        status: 200,
      },
    ]
    for (const { target, status } of kinds) await ask(target, WARM_UP, status)
    const spent: number[][] = kinds.map(() => [])
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { target, status }] of kinds.entries()) {
        const before = cpuMilliseconds()
        await ask(target, REQUESTS, status)
        spent[index]?.push((cpuMilliseconds() - before) / REQUESTS)
      }
    }
    rows.push([path, ...spent.map((times) => median(times).toFixed(3))])
  }
  return rows
}

async function makePosts({ urls, operatorToken, store }: Stage): Promise<void> {
  for (let n = 1; n <= POSTS; n += 1) {
    const answer = await fetch(`${urls.platform}/api/operator/v1/posts:save`, {
      method: "POST",
      headers: { Authorization: `Bearer ${operatorToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ site: store, name: `Post ${n}`, slug: `post-${n}`, content: "<p>Text</p>".repeat(100) }),
    })
    if (answer.status !== 200) throw new Error(`posts:save answered ${answer.status}: ${await answer.text()}`)
  }
}

/** The tag of a target's answer. */
async function etagOf(target: Target): Promise<string> {
  const { etag } = await once(target, 200)
  if (!etag) throw new Error(`${target.url} has no ETag`)
  return etag
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/** Sends a request many times, some at a time. */
async function ask(target: Target, times: number, status: number): Promise<void> {
  let left = times
  const worker = async () => {
    for (; left > 0; left -= 1) await once(target, status)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

/** The headers of an answer, which has to have this status. */
const once = (target: Target, status: number): Promise<IncomingHttpHeaders> =>
  new Promise((resolve, reject) => {
    get(target.url, { agent, headers: target.headers }, (response) => {
      text(response).then((body) => {
        if (response.statusCode === status) resolve(response.headers)
        else reject(new Error(`${target.url} answered ${response.statusCode}: ${body.slice(0, 500)}`))
      }, reject)
    }).on("error", reject)
  })

/** Ticks of `/proc/<pid>/stat` are hundredths of a second on every Linux that Node runs on. */
const TICK = 10

/** CPU time of the workerd that this process started. */
function cpuMilliseconds(): number {
  let ticks = 0
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      if (stat.includes("(workerd)") && Number(fields[1]) === process.pid)
        ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // It ended between two lines.
    }
  }
  return ticks * TICK
}
