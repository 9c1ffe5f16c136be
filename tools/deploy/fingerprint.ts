// Computes a fingerprint of the bundle and wrangler.toml: equal fingerprints deploy the same code and settings. Also
// computes a hash of the code that renders cached responses.
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { createWranglerError } from "./account.ts"
import type { Wrangler } from "./wrangler.ts"

/**
 * Builds the bundle without uploading it, and hashes it.
 * @param file the path of wrangler.toml
 * @returns the tag of the version to upload
 * @throws UserError when the build fails
 */
export const computeFingerprint = (wrangler: Wrangler, file: string): string =>
  `build-${hashBundle(wrangler, [], [readFileSync(file)])}`

/** The modules that render cached responses. */
const RENDERING_ENTRY = "tools/deploy/rendering-entry.ts"

/**
 * Builds the options that define `RENDERING_HASH` (src/core/cache/rendering.ts) in the uploaded code.
 * @throws UserError when the build fails
 */
export const defineRendering = (wrangler: Wrangler): string[] => [
  "--define",
  `RENDERING_HASH:"${hashBundle(wrangler, [RENDERING_ENTRY])}"`,
]

/** Bundles an entry, by default that of wrangler.toml, without uploading it; returns a hash of its modules. */
function hashBundle(wrangler: Wrangler, entry: string[], inputs: Buffer[] = []): string {
  const outdir = mkdtempSync(join(tmpdir(), "tenancy-bundle-"))
  try {
    const result = wrangler(["deploy", "--dry-run", "--outdir", outdir, ...entry])
    if (!result.ok) throw createWranglerError("Could not build the Worker", result)
    const hash = createHash("sha256")
    for (const input of inputs) hash.update(input)
    const modules = readdirSync(outdir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(map|md)$/.test(entry.name))
      .map((entry) => relative(outdir, join(entry.parentPath, entry.name)))
      .sort()
    for (const name of modules) hash.update(`\n${name}\n`).update(readFileSync(join(outdir, name)))
    return hash.digest("hex").slice(0, 20)
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}
