// The fingerprint of a deployment covers everything that is uploaded.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { computeFingerprint } from "../../../tools/deploy/fingerprint"
import { getScratchDirectory } from "../../../tools/local/scratch"

test("changes with the code, wrangler.toml, and the content and name of every static asset", () => {
  const directory = mkdtempSync(join(getScratchDirectory(), "fingerprint-"))
  const assets = join(directory, "assets")
  const toml = join(directory, "wrangler.toml")
  mkdirSync(join(assets, "themes"), { recursive: true })
  let code = "1"
  const compute = () =>
    computeFingerprint(
      (args) => {
        writeFileSync(join(args[args.indexOf("--outdir") + 1] ?? "", "index.js"), code)
        return { ok: true, stdout: "", output: "", entries: [] }
      },
      toml,
      assets,
    )
  writeFileSync(toml, "a")
  writeFileSync(join(assets, "themes/a.webp"), "a")
  const fingerprints = [compute()]
  expect(compute()).toBe(fingerprints[0])
  const changes = [
    () => writeFileSync(join(assets, "themes/a.webp"), "b"),
    () => renameSync(join(assets, "themes/a.webp"), join(assets, "a.webp")),
    () => writeFileSync(toml, "b"),
    () => (code = "2"),
  ]
  for (const change of changes) {
    change()
    fingerprints.push(compute())
  }
  expect(new Set(fingerprints).size).toBe(changes.length + 1)
  rmSync(directory, { recursive: true })
})
