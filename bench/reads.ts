// What the hot reads cost: uncached, answered from the cache at the edge, and as a 304, against a raw Worker that makes
// the same calls to objects and databases without any library. By the CPU that workerd spends on a request, which a
// busy machine does not move as it moves requests a second.
import { readdirSync, readFileSync } from "node:fs"
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { text } from "node:stream/consumers"
import { MANY_LICENSES_PRODUCT, makeManyLicenses } from "../test/support/many-licenses.ts"
import { makeManyStores, NEEDLE, NEEDLE_COUNT } from "../test/support/many-stores.ts"
import { callApi } from "../tools/lib/api.ts"
import { getMedian, type Target } from "./lib/load.ts"
import { listWorkerdPids } from "./lib/memory.ts"
import type { Stage, Topic } from "./lib/topic.ts"

const POSTS = 40
const STORES = 100_000
const LICENSES = 1_000_000
/** Warm-up requests per row; the isolate compiles hot code during the first thousand. */
const WARM_UP = 1_500
const REQUESTS = 50
const ROUNDS = 61
const CONNECTIONS = 8

/** Target ratio of the raw Worker's CPU time to the platform's. */
const TARGET_RATIO = 0.85

interface ReadRequest extends Target {
  json?: object
  /** Expected status. */
  status?: number
  /** Expected text, because an empty result would be cheaper. */
  holds?: string
}

/** A row: the same read on the platform and on the raw Worker. */
interface Read {
  name: string
  ours: ReadRequest
  raw: ReadRequest
}

export const reads: Topic = async (stage) => {
  await makePosts(stage)
  const rows = [[`CPU ms per request, median of ${ROUNDS} rounds`, "platform", "raw Worker", "raw ÷ platform", "goal"]]
  const bare = { url: `${stage.urls.bare}/raw/constant`, headers: {} }
  const [nothing] = await measureCpuMs([bare])
  rows.push(["a Worker that does nothing", "", formatMs(nothing), "", ""])
  for (const { name, ours: platform, raw } of [
    ...(await listSiteReads(stage)),
    ...(await listPlatformReads(stage)),
    await buildLicenseRead(stage),
  ]) {
    const [platformMs = Number.NaN, rawMs = Number.NaN] = await measureCpuMs([platform, raw])
    rows.push([name, formatMs(platformMs), formatMs(rawMs), (rawMs / platformMs).toFixed(2), String(TARGET_RATIO)])
  }
  return rows
}

const formatMs = (value = Number.NaN) => value.toFixed(3)
const formatCount = (count: number) => count.toLocaleString("en").replaceAll(",", " ")

/** Public reads: uncached, cached and not modified. */
async function listSiteReads({ urls, store }: Stage): Promise<Read[]> {
  const host = `${store}.localhost`
  const paths = {
    "GET /posts": ["/api/v1/posts?include=categories,tags", "/posts", `post-${POSTS - 9}`],
    "GET /posts/{slug}": ["/api/v1/posts/post-7", "/post/post-7", "Craft"],
    "storefront, home page": ["/", "/home", `Post ${POSTS - 2}`],
  }
  const siteReads: Read[] = []
  for (const [name, [path = "", rawPath = "", holds = ""]] of Object.entries(paths)) {
    const ask = (headers: Record<string, string>, status = 200): ReadRequest => ({
      url: urls.platform + path,
      headers: { Host: host, ...headers },
      status,
      holds: status === 200 ? holds : "",
    })
    const raw = { url: `${urls.bare}/raw${rawPath}`, headers: { Host: host }, holds }
    const { etag } = await sendOnce(ask({}))
    if (!etag) throw new Error(`${path} has no ETag`)
    siteReads.push(
      // A Range header bypasses the cache, and has no other effect on a response that is not a file.
      { name: `${name}, uncached`, ours: ask({ Range: "bytes=0-" }), raw },
      { name: `${name}, cached`, ours: ask({}), raw },
      { name: `${name}, 304`, ours: ask({ "If-None-Match": etag }, 304), raw },
    )
  }
  return siteReads
}

/** Reads of the control plane, including lists of many stores. */
async function listPlatformReads({ urls, store, key, central }: Stage): Promise<Read[]> {
  await makeManyStores(central, STORES)
  const headers = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": "203.0.113.7" }
  const read = (name: string, path: string, holds: string): Read => ({
    name,
    ours: { url: `${urls.platform}/api/platform/v1${path}`, headers, holds },
    raw: { url: `${urls.bare}/raw${path}`, headers, holds },
  })
  const among = `of ${formatCount(STORES)}`
  return [
    read("GET /stores/{id}", `/stores/${store}`, store),
    read(`GET /stores, page 1 ${among}`, "/stores", `"total":${STORES + 1}`),
    read(`GET /stores?q=, ${NEEDLE_COUNT} ${among}`, `/stores?q=${NEEDLE}`, `"total":${NEEDLE_COUNT}`),
  ]
}

/** A license verification by code. */
async function buildLicenseRead({ urls, central, operatorToken }: Stage): Promise<Read> {
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
  const json = { product_id: MANY_LICENSES_PRODUCT, license_code: `MANY-${LICENSES / 2}` }
  await sendOnce({ url: `${urls.platform}/api/external/license/activate`, headers, json })
  return {
    name: `POST /license/verify, one of ${formatCount(LICENSES)}`,
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

/** Measures the CPU milliseconds per request of each kind, in alternating rounds. */
async function measureCpuMs(asks: ReadRequest[]): Promise<number[]> {
  for (const ask of asks) await sendMany(ask, WARM_UP)
  const samples: number[][] = asks.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, ask] of asks.entries()) {
      const before = readCpuMs()
      await sendMany(ask, REQUESTS)
      samples[index]?.push((readCpuMs() - before) / REQUESTS)
    }
  }
  return samples.map(getMedian)
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/** Sends a request many times, concurrently. */
async function sendMany(ask: ReadRequest, times: number): Promise<void> {
  let left = times
  const worker = async () => {
    for (; left > 0; left -= 1) await sendOnce(ask)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

/** Sends a request and returns the response headers; rejects for an unexpected response. */
const sendOnce = ({ url, headers, json, status = 200, holds = "" }: ReadRequest): Promise<IncomingHttpHeaders> =>
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
