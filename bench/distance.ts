// Measures sequential round trips: every call to a database or Durable Object takes an extra 25 ms.
import { request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { buildBundle } from "../tools/lib/bundle.ts"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { serveBundles } from "../tools/lib/serve.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { createReadyStore } from "./lib/ready-store.ts"
import type { Topic } from "./lib/topic.ts"

const REQUESTS_PER_ROW = 21
/** Added latency per call; must equal the one in bench/distant.ts. */
const LATENCY_MS = 25

/** Budget of sequential round trips. */
const MAX_ROUND_TRIPS = { read: 2, write: 3 }

interface BenchRequest {
  method?: string
  path: string
  kind: keyof typeof MAX_ROUND_TRIPS
  headers: Record<string, string>
  body?: () => string
}

export const distance: Topic = async ({ directory, vars, operatorToken }) => {
  const modules = join(directory, "distant")
  await buildBundle("wrangler.toml", modules, "bench/distant.ts")
  const bundle = { name: "distant", config: "wrangler.toml", directory: modules, vars }
  const { urls, stop } = await serveBundles([bundle], readWranglerConfig().d1_databases, join(directory, "distance"))
  const base = urls.distant ?? ""
  const key = await createFreshKey(createSeeder(base, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const seeder = createSeeder(base, operatorToken, key)
  const store = await createReadyStore(seeder)
  await seeder.operator("posts:save", { site: store, name: "Post", slug: "post", content: "<p>Text</p>" })
  const rows = [[`${LATENCY_MS} ms per database call`, "ms, fastest of 21", "round trips", "budget"]]
  for (const [name, asked] of Object.entries(buildRequests(key, store))) {
    const times: number[] = []
    for (let round = 0; round < REQUESTS_PER_ROW; round += 1) times.push(await measureMs(base, asked))
    const fastest = Math.min(...times)
    rows.push([name, fastest.toFixed(0), String(Math.floor(fastest / LATENCY_MS)), String(MAX_ROUND_TRIPS[asked.kind])])
  }
  await stop()
  return rows
}

/** Builds the requests by row name. */
function buildRequests(key: string, store: string): Record<string, BenchRequest> {
  const keyed = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": "203.0.113.7" }
  const site = { Host: `${store}.localhost` }
  // A Range header bypasses the cache, and has no other effect on a response that is not a file.
  const uncached = { ...site, Range: "bytes=0-" }
  let turn = 0
  const name = () => JSON.stringify({ name: `Benchmark ${turn++}` })
  return {
    "GET /stores/bench": { path: "/api/platform/v1/stores/bench", kind: "read", headers: keyed },
    "GET /stores": { path: "/api/platform/v1/stores", kind: "read", headers: keyed },
    "PATCH /stores/bench": {
      method: "PATCH",
      path: "/api/platform/v1/stores/bench",
      kind: "write",
      headers: { ...keyed, "Content-Type": "application/json" },
      body: name,
    },
    "GET /posts, uncached": { path: "/api/v1/posts", kind: "read", headers: uncached },
    "GET /posts/post, uncached": { path: "/api/v1/posts/post", kind: "read", headers: uncached },
    "GET /posts, cached": { path: "/api/v1/posts", kind: "read", headers: site },
    "storefront, uncached": { path: "/", kind: "read", headers: uncached },
    "storefront, cached": { path: "/", kind: "read", headers: site },
  }
}

/** Measures one request with node:http, because fetch cannot set the Host header. */
function measureMs(base: string, { method = "GET", path, headers, body }: BenchRequest): Promise<number> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(base + path, { method, headers }, async (answer) => {
      const words = await text(answer)
      if (answer.statusCode === 200) resolve(performance.now() - started)
      else reject(new Error(`${path} answered ${answer.statusCode}: ${words.slice(0, 500)}`))
    })
    sent.on("error", reject)
    sent.end(body?.())
  })
}
