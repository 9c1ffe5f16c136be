// What the hot reads cost: made anew, answered from the cache at the edge, and as a 304, against a raw Worker that makes the same calls to
// objects and databases without any library. By the CPU that workerd spends on a request, which a busy machine does not move as it moves
// requests a second.
import { readdirSync, readFileSync } from "node:fs"
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { text } from "node:stream/consumers"
import { MANY, makeManyLicenses } from "../test/support/many-licenses.ts"
import { makeManyStores, NEEDLE, NEEDLES } from "../test/support/many-stores.ts"
import { callApi } from "../tools/lib/api.ts"
import { median, type Target } from "./lib/load.ts"
import { workerds } from "./lib/memory.ts"
import type { Stage, Topic } from "./lib/topic.ts"

const POSTS = 40
const STORES = 100_000
const LICENSES = 1_000_000
/** Requests before a row is measured: for its first thousand an isolate is busy with compiling what turns out to be hot. */
const WARM_UP = 1_500
const REQUESTS = 50
const ROUNDS = 61
const CONNECTIONS = 8

/** What the platform is to reach of the raw Worker. */
const GOAL = 0.85

interface Ask extends Target {
  json?: object
  /** Of a good answer. */
  status?: number
  /** What a good answer holds: one that found nothing is cheap. */
  holds?: string
}

/** One row: how the platform is asked, and how the raw Worker is for the same. */
interface Read {
  name: string
  ours: Ask
  raw: Ask
}

export const reads: Topic = async (stage) => {
  await makePosts(stage)
  const rows = [
    [`CPU ms a request, median of ${ROUNDS} rounds in turn`, "platform", "raw Worker", "raw ÷ platform", "goal"],
  ]
  const bare = { url: `${stage.urls.bare}/raw/constant`, headers: {} }
  const [nothing] = await measure([bare])
  rows.push(["a bare Worker's constant", "", ms(nothing), "", ""])
  for (const { name, ours, raw } of [...(await ofSite(stage)), ...(await ofPlatform(stage)), await ofLicense(stage)]) {
    const [own = Number.NaN, theirs = Number.NaN] = await measure([ours, raw])
    rows.push([name, ms(own), ms(theirs), (theirs / own).toFixed(2), String(GOAL)])
  }
  return rows
}

const ms = (value = Number.NaN) => value.toFixed(3)
const spaced = (count: number) => count.toLocaleString("en").replaceAll(",", " ")

/** Public reads: made anew, kept, and known to the reader. */
async function ofSite({ urls, store }: Stage): Promise<Read[]> {
  const host = `${store}.localhost`
  const paths = {
    "GET /posts": ["/api/v1/posts?include=categories,tags", "/posts", `post-${POSTS - 9}`],
    "GET /posts/{slug}": ["/api/v1/posts/post-7", "/post/post-7", "Craft"],
    "storefront, front page": ["/", "/home", `Post ${POSTS - 2}`],
  }
  const found: Read[] = []
  for (const [name, [path = "", rawPath = "", holds = ""]] of Object.entries(paths)) {
    const ask = (headers: Record<string, string>, status = 200): Ask => ({
      url: urls.platform + path,
      headers: { Host: host, ...headers },
      status,
      holds: status === 200 ? holds : "",
    })
    const raw = { url: `${urls.bare}/raw${rawPath}`, headers: { Host: host }, holds }
    const { etag } = await once(ask({}))
    if (!etag) throw new Error(`${path} has no ETag`)
    found.push(
      // A range is nobody else's to be given, and means nothing to what is no file.
      { name: `${name}, made anew`, ours: ask({ Range: "bytes=0-" }), raw },
      { name: `${name}, kept at the edge`, ours: ask({}), raw },
      { name: `${name}, 304`, ours: ask({ "If-None-Match": etag }, 304), raw },
    )
  }
  return found
}

/** The control plane's reads, the lists among many stores. */
async function ofPlatform({ urls, store, key, central }: Stage): Promise<Read[]> {
  await makeManyStores(central, STORES)
  const headers = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": "203.0.113.7" }
  const read = (name: string, path: string, holds: string): Read => ({
    name,
    ours: { url: `${urls.platform}/api/platform/v1${path}`, headers, holds },
    raw: { url: `${urls.bare}/raw${path}`, headers, holds },
  })
  const among = `of ${spaced(STORES)}`
  return [
    read("GET /stores/{id}", `/stores/${store}`, store),
    read(`GET /stores, page 1 ${among}`, "/stores", `"total":${STORES + 1}`),
    read(`GET /stores?q=, ${NEEDLES} ${among}`, `/stores?q=${NEEDLE}`, `"total":${NEEDLES}`),
  ]
}

/** An installation that proves its license by its code. */
async function ofLicense({ urls, central, operatorToken }: Stage): Promise<Read> {
  await makeManyLicenses(central, LICENSES)
  const limits = { lm_requests_rate_limiting_period: 1_000_000 }
  await callApi(urls.platform, operatorToken, "POST", "/api/operator/v1/license-settings", limits)
  const create = "/api/operator/v1/license-keys:create"
  const made = { type: "external", name: "Benchmark" }
  const { key } = await callApi<{ key: string }>(urls.platform, operatorToken, "POST", create, made)
  const headers = {
    "X-API-KEY": key,
    "X-API-URL": "https://here.example",
    "X-API-IP": "203.0.113.9",
    "CF-Connecting-IP": "203.0.113.7",
    "Content-Type": "application/json",
  }
  const json = { product_id: MANY, license_code: `MANY-${LICENSES / 2}` }
  await once({ url: `${urls.platform}/api/external/license/activate`, headers, json })
  return {
    name: `POST /license/verify, one of ${spaced(LICENSES)}`,
    ours: { url: `${urls.platform}/api/external/license/verify`, headers, json, holds: `"is_active":true` },
    raw: { url: `${urls.bare}/raw/verify`, headers, json, holds: json.license_code },
  }
}

async function makePosts({ urls, operatorToken, store }: Stage): Promise<void> {
  const save = (command: string, json: object) =>
    callApi(urls.platform, operatorToken, "POST", `/api/operator/v1/${command}`, { site: store, ...json })
  for (const name of ["News", "Craft"]) {
    await save("categories:save", { name, slug: name.toLowerCase() })
    await save("tags:save", { name, slug: name.toLowerCase() })
  }
  const content = "<p>Text</p>".repeat(100)
  for (let n = 1; n <= POSTS; n += 1)
    await save("posts:save", { name: `Post ${n}`, slug: `post-${n}`, content, categories: "news,craft", tags: "news" })
}

/** The CPU milliseconds of a request of each kind, asked in turn, round after round. */
async function measure(asks: Ask[]): Promise<number[]> {
  for (const ask of asks) await many(ask, WARM_UP)
  const spent: number[][] = asks.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, ask] of asks.entries()) {
      const before = cpuMilliseconds()
      await many(ask, REQUESTS)
      spent[index]?.push((cpuMilliseconds() - before) / REQUESTS)
    }
  }
  return spent.map(median)
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/** Sends a request many times, some at a time. */
async function many(ask: Ask, times: number): Promise<void> {
  let left = times
  const worker = async () => {
    for (; left > 0; left -= 1) await once(ask)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

/** The headers of an answer, which has to be a good one. */
const once = ({ url, headers, json, status = 200, holds = "" }: Ask): Promise<IncomingHttpHeaders> =>
  new Promise((resolve, reject) => {
    const body = json && JSON.stringify(json)
    const sent = request(url, {
      agent,
      method: body ? "POST" : "GET",
      headers: { ...headers, ...(body && { "Content-Length": String(Buffer.byteLength(body)) }) },
    })
    sent.on("error", reject)
    sent.on("response", (response) => {
      text(response).then((answer) => {
        if (response.statusCode === status && answer.includes(holds)) resolve(response.headers)
        else reject(new Error(`${url} answered ${response.statusCode}: ${answer.slice(0, 500)}`))
      }, reject)
    })
    sent.end(body)
  })

/** CPU time of the workerd that this process started: of each of its threads, in nanoseconds, as Linux counts it. */
function cpuMilliseconds(): number {
  let nanoseconds = 0
  for (const pid of workerds()) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      try {
        nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0])
      } catch {
        // It ended between two lines.
      }
    }
  }
  return nanoseconds / 1e6
}
