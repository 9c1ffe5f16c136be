// npm run layers: checks the import rules of every folder, that writes are passed to a writer, that retired
// identifiers do not come back, and that the migrations have the triggers of the apps.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../tools/lib/project.ts"
import { findViolations } from "../tools/lint/layers.ts"
import { retiredIdentifiers } from "../tools/lint/retired-identifiers.ts"
import { checkApps } from "../tools/migrations/check.ts"

/** Generated code, with names from the API. */
const GENERATED = new Set(["src/client/openapi.ts", "src/console/assets/built.ts", "tools/lint/retired-names.ts"])

const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.ts", "*.tsx"], {
  cwd: root,
  encoding: "utf8",
})
const files = new Map(stdout.split("\n").filter(Boolean).flatMap(readSource))
const found = [
  ...findViolations(files),
  ...[...files].filter(([path]) => !GENERATED.has(path)).flatMap(([path, text]) => retiredIdentifiers(path, text)),
]
const appViolations = await checkApps()
for (const { file, message } of appViolations) console.error(`${file}: ${message}`)
for (const { file, line, rule, imports } of found) console.error(`${file}:${line}: ${rule} (${imports})`)
if (found.length + appViolations.length) process.exitCode = 1
else console.log(`${files.size} files follow the rules.`)

/** Reads a file; a deleted file that is not committed yet is still listed by git. */
function readSource(path: string): [string, string][] {
  try {
    return [[path, readFileSync(join(root, path), "utf8")]]
  } catch {
    return []
  }
}
