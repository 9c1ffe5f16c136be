// Detects memory leaks: measures the Worker's heap after garbage collection, over rounds of 100,000 requests in total
// that fill caches, rate limits, logs and webhook deliveries.
import { join } from "node:path"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { type Bundle, serveBundles } from "../tools/lib/serve.ts"
import { findFreePort } from "../tools/local/port.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { connectInspector, getResidentBytes, listWorkerdPids } from "./lib/memory.ts"
import { createReadyStore } from "./lib/ready-store.ts"
import type { Topic } from "./lib/topic.ts"

const ROUNDS = 10
const REQUESTS_PER_ROUND = 10_000
const CONCURRENCY = 6
const MB = 1024 * 1024

/** Rounds that fill the caches, which have limited sizes. */
const WARM_UP_ROUNDS = 1

/** Maximum growth of the heap from the first to the second half of the rounds, without the warm-up. */
const MAX_GROWTH_MB = 3

export const memory: Topic = async ({ directory, vars, operatorToken }) => {
  const previousPids = listWorkerdPids()
  const inspectorPort = await findFreePort()
  const handleOutbound = async () => new Response("ok")
  const bundle: Bundle = {
    name: "memory",
    config: "wrangler.toml",
    directory: join(directory, "platform"),
    vars,
    handleOutbound,
  }
  const settings = { ...bundle, vars: { ...vars, TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true" } }
  const databases = readWranglerConfig().d1_databases
  const { urls, stop } = await serveBundles([settings], databases, join(directory, "memory-state"), inspectorPort)
  const [pid = 0] = listWorkerdPids().filter((known) => !previousPids.includes(known))
  const base = urls.memory ?? ""
  const key = await createFreshKey(createSeeder(base, operatorToken, ""), { name: "Benchmark", scopes: "read,write" })
  const seeder = createSeeder(base, operatorToken, key)
  const store = await createReadyStore(seeder)
  await seeder.operator("posts:save", { site: store, name: "Post", slug: "post", content: "<p>Text</p>" })
  await seeder.platform("POST", "/webhooks", { url: "https://receiver.example/hook", events: ["*"] })
  const inspector = await connectInspector(inspectorPort, "memory")
  const rows = [["requests", "heap after GC", "buffers", "workerd", "budget"]]
  const heaps: number[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    await sendMixedRequests(base, key, (round - 1) * REQUESTS_PER_ROUND)
    await inspector.collect()
    const { heap, buffers } = await inspector.usage()
    heaps.push(heap)
    rows.push([
      String(round * REQUESTS_PER_ROUND),
      formatSize(heap),
      formatSize(buffers),
      formatSize(getResidentBytes(pid)),
      "",
    ])
  }
  // Single samples vary by three megabytes, so the minimum of each half is compared.
  const [before, after] = [Math.min(...heaps.slice(WARM_UP_ROUNDS, ROUNDS / 2)), Math.min(...heaps.slice(ROUNDS / 2))]
  rows.push(["minimum of the second half", formatSize(after), "", "", `≤ ${formatSize(before + MAX_GROWTH_MB * MB)}`])
  inspector.close()
  await stop()
  return rows
}

const formatSize = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

/** Sends mixed requests, each with another address and forged token. */
async function sendMixedRequests(base: string, key: string, from: number): Promise<void> {
  let next = from
  const worker = async () => {
    for (let turn = next++; turn < from + REQUESTS_PER_ROUND; turn = next++) {
      const [path, init] = buildRequest(key, turn)
      const answer = await fetch(base + path, init)
      await answer.arrayBuffer()
      if (answer.status >= 500) throw new Error(`${path} answered ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

function buildRequest(key: string, turn: number): [path: string, init: RequestInit] {
  const address = { "CF-Connecting-IP": `2001:db8:${(turn >> 8).toString(16)}:${(turn & 255).toString(16)}::1` }
  const headers = { ...address, Authorization: `Bearer ${key}` }
  const json = { "Content-Type": "application/json" }
  const forgedToken = { ...address, Authorization: `Bearer tnk_${turn}_made_up` }
  const login = JSON.stringify({ email: `${turn}@nobody.example`, password: "made up by nobody" })
  if (turn % 30 === 0) {
    const body = JSON.stringify({ name: `Benchmark ${turn}` })
    return ["/api/platform/v1/stores/bench", { method: "PATCH", headers: { ...headers, ...json }, body }]
  }
  // Rare, because password hashing takes a tenth of a second.
  if (turn % 60 === 10) return ["/api/v1/login", { method: "POST", headers: { ...address, ...json }, body: login }]
  const kinds: [path: string, headers: Record<string, string>][] = [
    ["/api/platform/v1/stores/bench", headers],
    ["/api/platform/v1/stores", headers],
    ["/api/platform/v1/stores/bench", forgedToken],
    [`/api/v1/posts?search=word${turn}`, address],
    ["/api/v1/posts", address],
    [`/nothing-${turn}`, address],
    ["/", address],
    ["/docs", address],
    [`/media/nothing-${turn}`, address],
    ["/api/v1/me", forgedToken],
  ]
  const [path, sent] = kinds[turn % kinds.length] ?? ["/", address]
  return [path, { headers: sent }]
}
