// Measures the CPU time of the most frequent reads: uncached, cached and not modified. Compares them with a raw Worker
// that makes the same calls to objects and databases without any library.
import { MANY_LICENSES_PRODUCT, makeManyLicenses } from "../test/support/many-licenses.ts"
import { makeManyStores, NEEDLE, NEEDLE_COUNT } from "../test/support/many-stores.ts"
import { callApi } from "../tools/lib/api.ts"
import { formatMs, measureCpuTimes, REQUESTS, type ReadRequest, ROUNDS, sendOnce } from "./lib/cpu.ts"
import { getMedian, getQuartiles, measureThroughput } from "./lib/load.ts"
import type { Stage, Topic } from "./lib/topic.ts"

const POSTS = 40
const STORES = 100_000
const LICENSES = 1_000_000

/** Target ratio of the raw Worker's CPU time to the platform's. */
const TARGET_RATIO = 0.85

/** A row: the same read on the platform and on the raw Worker. */
interface Read {
  name: string
  ours: ReadRequest
  raw: ReadRequest
}

export const reads: Topic = async (stage) => {
  await makePosts(stage)
  const rows = [
    [
      `CPU ms per request, median of ${ROUNDS} rounds`,
      "platform",
      "raw Worker",
      "raw ÷ platform",
      "middle half",
      "goal",
      `platform, first ${REQUESTS} requests`,
      "requests/s ÷ raw",
    ],
  ]
  const bare = { url: `${stage.urls.bare}/raw/constant`, headers: {} }
  const [nothing] = await measureCpuTimes([bare])
  rows.push(["a Worker that does nothing", "", formatMs(getMedian(nothing.rounds))])
  for (const { name, ours, raw } of [
    ...(await listSiteReads(stage)),
    ...(await listPlatformReads(stage)),
    await buildLicenseRead(stage),
  ]) {
    const [ourTimes, rawTimes] = await measureCpuTimes([ours, raw])
    const [ourMs, rawMs] = [getMedian(ourTimes.rounds), getMedian(rawTimes.rounds)]
    const ratios = ourTimes.rounds.map((ms, round) => (rawTimes.rounds[round] ?? Number.NaN) / ms)
    const spread = getQuartiles(ratios).map((ratio) => ratio.toFixed(2))
    rows.push([
      name,
      formatMs(ourMs),
      formatMs(rawMs),
      (rawMs / ourMs).toFixed(2),
      spread.join(" to "),
      String(TARGET_RATIO),
      formatMs(ourTimes.first),
      ours.status === 304 ? "" : await compareThroughput(ours, raw),
    ])
  }
  return rows
}

async function compareThroughput(ours: ReadRequest, raw: ReadRequest): Promise<string> {
  const measured = await measureThroughput({ ours, raw }, { rounds: 9, milliseconds: 1000 })
  return (measured.ours / measured.raw).toFixed(2)
}

const formatCount = (count: number) => count.toLocaleString("en").replaceAll(",", " ")

/** Lists the public reads: uncached, cached and not modified. */
export async function listSiteReads({ urls, store }: Pick<Stage, "urls" | "store">): Promise<Read[]> {
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

/** Creates the posts that the public reads return. */
export async function makePosts({
  urls,
  operatorToken,
  store,
}: Pick<Stage, "urls" | "operatorToken" | "store">): Promise<void> {
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
