// Computes a fingerprint of the bundle and wrangler.toml. Equal fingerprints deploy the same code and settings.
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
export function computeFingerprint(wrangler: Wrangler, file: string): string {
  const outdir = mkdtempSync(join(tmpdir(), "tenancy-bundle-"))
  try {
    const result = wrangler(["deploy", "--dry-run", "--outdir", outdir])
    if (!result.ok) throw createWranglerError("Could not build the Worker", result)
    const hash = createHash("sha256").update(readFileSync(file))
    const modules = readdirSync(outdir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(map|md)$/.test(entry.name))
      .map((entry) => relative(outdir, join(entry.parentPath, entry.name)))
      .sort()
    for (const name of modules) hash.update(`\n${name}\n`).update(readFileSync(join(outdir, name)))
    return `build-${hash.digest("hex").slice(0, 20)}`
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}
