// Computes a fingerprint of the bundle, assets/ and wrangler.toml: equal fingerprints deploy the same code and
// settings. Also computes a hash of the code that renders cached responses.
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { root } from "../lib/project.ts"
import { createWranglerError } from "./account.ts"
import type { Wrangler } from "./wrangler.ts"

/**
 * Builds the bundle without uploading it, and hashes it.
 * @param file the path of wrangler.toml
 * @param assets the folder of the static assets
 * @returns the tag of the version to upload
 * @throws UserError when the build fails
 */
export const computeFingerprint = (wrangler: Wrangler, file: string, assets = join(root, "assets")): string =>
  `build-${hashBundle(wrangler, [], () => [
    readFileSync(file),
    ...listFiles(assets).flatMap(({ name, path }) => [Buffer.from(name), readFileSync(path)]),
  ])}`

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

/**
 * Bundles an entry, by default that of wrangler.toml, without uploading it, and hashes its modules.
 * @param readInputs reads what else to hash; called after the build, which generates some of the assets
 */
function hashBundle(wrangler: Wrangler, entry: string[], readInputs: () => Buffer[] = () => []): string {
  const outdir = mkdtempSync(join(tmpdir(), "tenancy-bundle-"))
  try {
    const result = wrangler(["deploy", "--dry-run", "--outdir", outdir, ...entry])
    if (!result.ok) throw createWranglerError("Could not build the Worker", result)
    const hash = createHash("sha256")
    for (const input of readInputs()) hash.update(input)
    const modules = listFiles(outdir).filter(({ name }) => !/\.(map|md)$/.test(name))
    for (const { name, path } of modules) hash.update(`\n${name}\n`).update(readFileSync(path))
    return hash.digest("hex").slice(0, 20)
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

/** Lists the files of a folder and its subfolders by their relative paths, sorted. */
const listFiles = (folder: string): { name: string; path: string }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ name: relative(folder, path), path }))
