// Compares reads with other content APIs, in production mode on SQLite with the same forty posts, in alternating
// rounds. The peers are installed outside the project and reused by later runs; TENANCY_PEERS sets their directory.
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findFreePort } from "../tools/local/port.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { directus } from "./lib/directus.ts"
import { measureThroughput, type Target } from "./lib/load.ts"
import { NotInstalledError, startPeer } from "./lib/peer.ts"
import { strapi } from "./lib/strapi.ts"
import type { Topic } from "./lib/topic.ts"

/** Required ratio of cached reads to those of a peer. */
const MIN_RATIO = "≥ 3.00"

const posts = Array.from({ length: 40 }, (_, n) => ({
  name: `Peer ${n + 1}`,
  slug: `peer-${n + 1}`,
  content: "<p>Text</p>".repeat(100),
}))

export const peers: Topic = async ({ urls, operatorToken, key, store }) => {
  const seeder = createSeeder(urls.platform, operatorToken, key)
  for (const post of posts) await seeder.operator("posts:save", { site: store, ...post })
  const buildTarget = (path: string, headers: Record<string, string> = {}): Target => ({
    url: urls.platform + path,
    headers: { Host: `${store}.localhost`, ...headers },
  })
  const rows = [["requests/s, median of 5", "cached", "uncached", "peer", "cached ÷ peer", "budget", "uncached ÷ peer"]]
  for (const peer of [strapi, directus]) {
    const directory = join(process.env.TENANCY_PEERS ?? join(tmpdir(), "tenancy-peers"), peer.name.toLowerCase())
    const started = await startPeer(peer, directory, await findFreePort(), posts).catch((cause) => {
      if (!(cause instanceof NotInstalledError)) throw cause
      console.error(cause.message)
      rows.push([`${peer.name} ${peer.dependencies[peer.package]}`, "could not be installed here"])
    })
    if (!started) continue
    const { base, name, stop } = started
    try {
      const { data } = (await (await fetch(base + peer.list)).json()) as { data: Record<string, unknown>[] }
      if (data.length !== 25) throw new Error(`${name} has ${data.length} posts on its page`)
      const reads: [what: string, ours: string, theirs: string][] = [
        ["25 posts", "/api/v1/posts?per_page=25", peer.list],
        ["one post", "/api/v1/posts/peer-7", peer.single(data[6] ?? {})],
      ]
      for (const [what, ours, theirs] of reads) {
        const { cached, uncached, other } = await measureThroughput({
          cached: buildTarget(ours),
          // A Range header bypasses the cache, and has no other effect on a response that is not a file.
          uncached: buildTarget(ours, { Range: "bytes=0-" }),
          other: { url: base + theirs, headers: {} },
        })
        const [fast, slow] = [(cached / other).toFixed(2), (uncached / other).toFixed(2)]
        rows.push([`${what}, ${name}`, cached.toFixed(0), uncached.toFixed(0), other.toFixed(0), fast, MIN_RATIO, slow])
      }
    } finally {
      stop()
    }
  }
  return rows
}
