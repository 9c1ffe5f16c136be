// npm run lint: checks the project's own rules: what each folder may import, what code may call where, identifiers that
// must not come back, and that the migrations have the triggers of the apps.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../tools/lib/project.ts"
import { lint } from "../tools/lint/lint.ts"
import { checkApps } from "../tools/migrations/check.ts"

const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.ts", "*.tsx"], {
  cwd: root,
  encoding: "utf8",
})
// Git lists a deleted file until the deletion is committed.
const paths = stdout.split("\n").filter((path) => path && existsSync(join(root, path)))
const found = lint(new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])))
const appViolations = await checkApps()
for (const { file, message } of appViolations) console.error(`${file}: ${message}`)
for (const { file, line, rule, found: code } of found) console.error(`${file}:${line}: ${rule} (${code})`)
if (found.length + appViolations.length) process.exitCode = 1
else console.log(`${paths.length} files follow the rules.`)
