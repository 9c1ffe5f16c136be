// npm run layers: whether every file imports only what its layer may, and hands its writes to a writer.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../tools/lib/project.ts"
import { breaches } from "../tools/lint/layers.ts"

const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.ts", "*.tsx"], {
  cwd: root,
  encoding: "utf8",
})
const paths = stdout.split("\n").filter(Boolean)
const files = new Map(paths.flatMap((path) => textOf(path)))
const found = breaches(files)
for (const { file, line, rule, imports } of found) console.error(`${file}:${line}: ${rule} (${imports})`)
if (found.length) process.exitCode = 1
else console.log(`${files.size} files keep to their layers.`)

/** A file that was deleted and not yet committed is still listed. */
function textOf(path: string): [string, string][] {
  try {
    return [[path, readFileSync(join(root, path), "utf8")]]
  } catch {
    return []
  }
}
