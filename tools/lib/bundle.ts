// Builds a Worker as it is deployed, and says how large it is and how long it takes to start.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { runWrangler } from "../local/wrangler.ts"

/**
 * Bundles a Worker the way `wrangler deploy` does, without deploying it.
 * @param config its wrangler.toml, relative to the root
 * @param directory where the modules go, absolute
 * @param entry another module than the one that it names, relative to the root
 */
export async function buildBundle(config: string, directory: string, entry?: string): Promise<void> {
  await runWrangler(["deploy", ...(entry ? [entry] : []), "--dry-run", "--config", config, "--outdir", directory])
}

/** The bytes of a bundle's modules, raw and as one gzip stream. Source maps are not uploaded and do not count. */
export function bundleSize(directory: string): { raw: number; gzip: number } {
  const modules = readdirSync(directory).filter((name) => !name.endsWith(".map") && name !== "README.md")
  const bytes = Buffer.concat(modules.map((name) => readFileSync(join(directory, name))))
  return { raw: bytes.length, gzip: gzipSync(bytes).length }
}

/**
 * The milliseconds of CPU that a Worker's global scope takes, from the profile of `wrangler check startup`: the samples in
 * which something ran.
 * @param profile where to put the profile, absolute
 */
export async function startupCpu(profile: string): Promise<number> {
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
