// Builds a Worker as it is deployed, and measures its size and startup time.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { runWrangler } from "../local/wrangler.ts"

/**
 * Bundles a Worker the way `wrangler deploy` does, without deploying it.
 * @param config its wrangler.toml, relative to the root
 * @param directory output directory of the modules, absolute
 * @param entry entry module relative to the root; defaults to the one in wrangler.toml
 */
export async function buildBundle(config: string, directory: string, entry?: string): Promise<void> {
  await runWrangler(["deploy", ...(entry ? [entry] : []), "--dry-run", "--config", config, "--outdir", directory])
}

/**
 * The most that a bundle may have, in KB of gzip: what every new isolate has to load. Files other than code belong in
 * assets/ (docs/adr/0110-serve-files-other-than-code-from-static-assets.md).
 */
export const MAX_BUNDLE_GZIP_KB = 700

/**
 * Measures a bundle's modules in bytes, raw and as one gzip stream. Source maps are not uploaded, so they do not count.
 */
export function measureBundleSize(directory: string): { raw: number; gzip: number } {
  const modules = readdirSync(directory).filter((name) => !name.endsWith(".map") && name !== "README.md")
  const bytes = Buffer.concat(modules.map((name) => readFileSync(join(directory, name))))
  return { raw: bytes.length, gzip: gzipSync(bytes).length }
}

/**
 * Measures the CPU time of a Worker's global scope: the samples of `wrangler check startup` that are not idle.
 * @param profile output file of the profile, absolute
 * @returns milliseconds
 */
export async function measureStartupCpu(profile: string): Promise<number> {
  await runWrangler(["check", "startup", "--outfile", profile])
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(profile, "utf8")) as {
    nodes: { id: number; callFrame: { functionName: string } }[]
    samples: number[]
    timeDeltas: number[]
  }
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id))
  const microseconds = samples.reduce((sum, id, i) => sum + (idle.has(id) ? 0 : (timeDeltas[i] ?? 0)), 0)
  return microseconds / 1000
}
